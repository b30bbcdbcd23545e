/** The plugin in a process of its own, and what of the engine it needs: a place for what it says, and a stdin that lasts. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
  credentials,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { checkout } from "../../test/engine/folders";

export interface Plugin {
  readonly client: ResourceProviderClient;
  readonly child: ChildProcess;
  /** What users are shown. */
  readonly said: string[];
  /** What nobody is shown for long, or at all. */
  readonly unsaid: string[];
  /** As when the engine dies: stdin ends, and nobody takes what is said. */
  leave(): void;
  readonly ended: Promise<void>;
}

export async function startPlugin(env: Readonly<Record<string, string>>): Promise<Plugin> {
  const said: string[] = [];
  const unsaid: string[] = [];
  const engine = new Server();
  engine.addService(EngineService, {
    log({ request }: ServerUnaryCall<LogRequest, Empty>, done: sendUnaryData<Empty>) {
      (request.getEphemeral() ? unsaid : said).push(request.getMessage());
      done(null, new Empty());
    },
  });
  const address = `127.0.0.1:${await portOf(engine)}`;
  const child = spawn(process.execPath, [join(checkout, "plugin", "provider.js"), address], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stdio: "pipe",
  });
  // One that has ended takes no more.
  child.stdin.on("error", () => {});
  child.stderr.setEncoding("utf8").on("data", (text: string) => unsaid.push(text));
  const ended = once(child, "close").then(() => engine.forceShutdown());
  const port = await firstLine(child);
  return {
    client: new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure()),
    ...{ child, said, unsaid, ended },
    leave() {
      child.stdin.end();
      engine.forceShutdown();
    },
  };
}

function portOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  let text = "";
  for await (const part of stdout?.setEncoding("utf8").iterator({ destroyOnReturn: false }) ?? []) {
    text += part;
    if (text.includes("\n")) break;
  }
  if (text === "") throw new Error("the plugin ended before it told its port");
  stdout?.resume();
  return text.trim();
}
