import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import { AnalyzerClient } from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/analyzer_pb";
import ts from "typescript";
import { call, type Properties, portOf, struct } from "./host";
import { projectWithPackage } from "./installed";

/** A resource that the engine hands to a policy pack. */
export interface Analyzed {
  readonly type: string;
  readonly name?: string;
  readonly stack?: string;
  readonly props: Properties;
  readonly protect?: boolean;
}

export interface PolicyPack {
  /** The violations of a resource: each policy's name, with the last line of its message. */
  analyze(resource: Analyzed): Promise<readonly (readonly [policy: string, message: string])[]>;
  stop(): Promise<void>;
}

/** Starts the policy pack of a file, as the CLI does, in a project that has the package. */
export async function startPolicyPack(file: string): Promise<PolicyPack> {
  const folder = await mkdtemp(join(await projectWithPackage(), "pack-"));
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(await readFile(file, "utf8"), { compilerOptions });
  await writeFile(join(folder, "index.js"), outputText);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "pack", version: "1.0.0" }));
  const script = createRequire(__filename).resolve("@pulumi/pulumi/cmd/run-policy-pack");
  const child = spawn(process.execPath, [script, "127.0.0.1:1", folder], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close");
  const client = new AnalyzerClient(`127.0.0.1:${await portOf(child, output)}`, credentials.createInsecure());
  return {
    async analyze({ type, name = "ci", stack = "dev", props, protect = false }) {
      const options = new messages.AnalyzerResourceOptions()
        .setProtect(protect)
        .setCustomtimeouts(new messages.AnalyzerResourceOptions.CustomTimeouts());
      const request = new messages.AnalyzeRequest()
        .setType(type)
        .setName(name)
        .setUrn(`urn:pulumi:${stack}::project::${type}::${name}`)
        .setProperties(struct(props))
        .setOptions(options);
      const answer = await call<messages.AnalyzeResponse>((done) => client.analyze(request, done));
      return answer
        .getDiagnosticsList()
        .map((one) => [one.getPolicyname(), one.getMessage().trim().split("\n").at(-1) ?? ""] as const);
    },
    async stop() {
      client.close();
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
