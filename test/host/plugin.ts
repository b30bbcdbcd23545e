import { spawn } from "node:child_process";
import { once } from "node:events";
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
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { quickly } from "../../tools/engine/project";
import {
  askedToRead,
  call,
  type Envelope,
  type Host,
  type HostedResource,
  hosted,
  type Properties,
  portOf,
  propertiesIn,
  type Resource,
  struct,
  unmarked,
} from "./host";
import { installedPlugin } from "./installed";

/** A message that the plugin sends to the engine. */
interface LogMessage {
  readonly urn: string;
  readonly severity: "debug" | "info" | "warning" | "error";
  readonly message: string;
  /** Whether the next message takes its place. */
  readonly isEphemeral: boolean;
}

/** The operations that only the plugin has. */
export interface PluginResource extends HostedResource {
  readonly urn: string;
  /** The state that the preview of a create promises, or with `before` that of an update. */
  preview(inputs: Properties, before?: Resource): Promise<Properties>;
  /** The detailed diff: each path with its kind, such as "update" or "add_replace". */
  details(before: Resource, inputs: Properties): Promise<Readonly<Record<string, string>>>;
  /** As `pulumi import` and the option `import` do. */
  import(id: string): ReturnType<HostedResource["read"]>;
  /** As a refresh does: with the inputs of the last update. */
  refresh(before: Resource, inputs: Properties): ReturnType<HostedResource["read"]>;
}

interface Listed {
  readonly id: string;
  readonly name: string;
}

interface CheckedConfig {
  readonly inputs: Properties;
  readonly failures: readonly string[];
}

export interface PluginHost extends Host {
  /** A resource of this name in the program. */
  resource(kind: string, name?: string): PluginResource;
  /** The same with each secret marked in what it answers. */
  marked(kind: string, name?: string): PluginResource;
  invoke(name: string, args: Properties): Promise<Properties>;
  list(kind: string, query?: Properties, limit?: number): Promise<readonly Listed[]>;
  /** With each secret marked. */
  checkConfig(config: Properties, provider?: string): Promise<CheckedConfig>;
  diffConfig(
    before: Properties,
    now: Properties,
  ): Promise<{ changes: string; replaces: string[]; details: Readonly<Record<string, string>> }>;
  /** As after a first Ctrl-C: the engine still saves results. */
  cancel(): Promise<void>;
  readonly logged: readonly LogMessage[];
}

const providerUrn = (name: string) => `urn:pulumi:dev::project::pulumi:providers:apikeys::${name}`;

/** Starts the installed plugin as the engine does. Its messages to the engine are in `output.stderr` too. */
export async function startPlugin(env: Readonly<Record<string, string>> = {}): Promise<PluginHost> {
  const logged: LogMessage[] = [];
  const output = { stdout: "", stderr: "" };
  const engine = await serveEngine((one) => {
    logged.push(one);
    output.stderr += `${one.severity}: ${one.message}\n`;
  });
  const child = spawn(process.execPath, [await installedPlugin(), `127.0.0.1:${engine.port}`], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...quickly, ...env },
    stdio: "pipe",
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close").then(() => {});
  const address = `127.0.0.1:${await portOf(child, output)}`;
  const client = new ResourceProviderClient(address, credentials.createInsecure(), unlimited);
  const handshake = new messages.ProviderHandshakeRequest().setEngineAddress(`127.0.0.1:${engine.port}`);
  await call((done) => client.handshake(handshake, done));
  const resourceOf = (kind: string, name: string, unwrap: Envelope["unwrap"]) =>
    pluginResource(client, { urn: urnOf(kind, name), wrap: (properties) => properties, unwrap });

  return {
    async configure(config, provider = "default_0_1_0") {
      const own = /^default(_\d+_\d+_\d+|$)/.test(provider) ? "apikeys:" : "apikeys.provider:";
      const args = Object.entries(config).map(([key, value]) => [
        key.startsWith(own) ? key.slice(own.length) : key,
        value,
      ]);
      const request = new messages.ConfigureRequest()
        .setUrn(providerUrn(provider))
        .setArgs(struct(Object.fromEntries(args)))
        .setAcceptsecrets(true);
      await call((done) => client.configure(request, done));
    },
    resource: (kind, name = "ci") => resourceOf(kind, name, unmarked),
    marked: (kind, name = "ci") => resourceOf(kind, name, (properties) => properties),
    async invoke(name, args) {
      const request = new messages.InvokeRequest().setTok(`apikeys:index:${name}`).setArgs(struct(args));
      const answer = await call<messages.InvokeResponse>((done) => client.invoke(request, done));
      return propertiesIn(answer.getReturn());
    },
    async list(kind, query = {}, limit = 0) {
      const request = new messages.ListRequest().setToken(`apikeys:index:${kind}`);
      return listed(client, request.setQuery(struct(query)).setLimit(limit));
    },
    async checkConfig(config, provider = "default_0_1_0") {
      const request = new messages.CheckRequest().setUrn(providerUrn(provider)).setNews(struct(config));
      const answer = await call<messages.CheckResponse>((done) => client.checkConfig(request, done));
      const failures = answer.getFailuresList().map((one) => one.getReason());
      return { inputs: propertiesIn(answer.getInputs()), failures };
    },
    async diffConfig(before, now) {
      const request = new messages.DiffRequest().setOlds(struct(before)).setNews(struct(now));
      const answer = await call<messages.DiffResponse>((done) => client.diffConfig(request, done));
      const changes = ["unknown", "none", "some"][answer.getChanges()] ?? "";
      return { changes, replaces: answer.getReplacesList(), details: detailsIn(answer) };
    },
    async cancel() {
      await call((done) => client.cancel(new Empty(), done));
    },
    logged,
    output,
    pid: child.pid ?? 0,
    desert() {
      engine.close();
      child.stdin.end();
    },
    deafen: () => void child.stderr.destroy(),
    ended,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGINT");
      await ended;
      client.close();
      engine.close();
      return output.stdout.replace(/^\d+\n/, "") + output.stderr;
    },
  };
}

const unlimited = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

function urnOf(kind: string, name: string): string {
  return `urn:pulumi:dev::project::apikeys:index:${kind}::${name}`;
}

const severities = ["debug", "info", "warning", "error"] as const;

/** Takes the engine's part: it receives the plugin's messages. */
async function serveEngine(hear: (line: LogMessage) => void) {
  const server = new Server();
  server.addService(EngineService, {
    log: ({ request }: ServerUnaryCall<LogRequest, Empty>, done: sendUnaryData<Empty>) => {
      hear({
        urn: request.getUrn(),
        severity: severities[request.getSeverity()] ?? "error",
        message: request.getMessage(),
        isEphemeral: request.getEphemeral(),
      });
      done(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { port, close: () => server.forceShutdown() };
}

function pluginResource(client: ResourceProviderClient, envelope: Envelope): PluginResource {
  const { urn, unwrap } = envelope;
  const read = (request: messages.ReadRequest) => askedToRead(client, envelope, request.setUrn(urn));
  return {
    ...hosted(client, envelope),
    urn,
    // The engine sends the arguments of `.get` as both.
    get: (id, inputs) =>
      read(new messages.ReadRequest().setId(id).setInputs(struct(inputs)).setProperties(struct(inputs))),
    import: (id) => read(new messages.ReadRequest().setId(id)),
    refresh: ({ id, state }, inputs) =>
      read(new messages.ReadRequest().setId(id).setInputs(struct(inputs)).setProperties(struct(state))),
    async preview(inputs, before) {
      if (before === undefined) {
        const request = new messages.CreateRequest().setUrn(urn).setPreview(true);
        const answer = await call<messages.CreateResponse>((done) =>
          client.create(request.setProperties(struct(inputs)), done),
        );
        return unwrap(propertiesIn(answer.getProperties()));
      }
      const request = new messages.UpdateRequest().setUrn(urn).setPreview(true).setId(before.id);
      request.setOlds(struct(before.state)).setNews(struct(inputs));
      const answer = await call<messages.UpdateResponse>((done) => client.update(request, done));
      return unwrap(propertiesIn(answer.getProperties()));
    },
    async details({ id, state }, inputs) {
      const request = new messages.DiffRequest().setUrn(urn).setId(id);
      request.setOlds(struct(state)).setNews(struct(inputs));
      const answer = await call<messages.DiffResponse>((done) => client.diff(request, done));
      return detailsIn(answer);
    },
  };
}

const kinds = ["add", "add_replace", "delete", "delete_replace", "update", "update_replace"] as const;

function detailsIn(answer: messages.DiffResponse): Readonly<Record<string, string>> {
  if (!answer.getHasdetaileddiff()) throw new Error("a diff without details");
  const details: Record<string, string> = {};
  answer.getDetaileddiffMap().forEach((one, path) => {
    details[path] = `${kinds[one.getKind()]}${one.getInputdiff() ? " of inputs" : ""}`;
  });
  return details;
}

function listed(client: ResourceProviderClient, request: messages.ListRequest): Promise<readonly Listed[]> {
  return new Promise((resolve, reject) => {
    const found: Listed[] = [];
    client
      .list(request)
      .on("data", (answer: messages.ListResponse) => {
        const result = answer.getResult();
        if (result !== undefined) found.push({ id: result.getId(), name: result.getName() });
      })
      .on("error", reject)
      .on("end", () => resolve(found));
  });
}
