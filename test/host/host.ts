import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { projectWithPackage } from "./installed";

export type Properties = Record<string, unknown>;

/** What an operation that failed told the engine. */
export class HostFailure extends Error {
  readonly code: number;
  /** What the engine would keep; only partial failures have it. */
  readonly kept:
    | { readonly id: string; readonly properties: Properties; readonly reasons: string[] }
    | undefined;

  constructor(error: ServiceError) {
    super(error.details);
    this.code = error.code;
    this.kept = keptOf(error);
  }
}

interface Read {
  readonly id: string;
  readonly properties: Properties;
  /** undefined where the provider gave none. */
  readonly inputs: Properties | undefined;
}

/** A resource of the engine's: what it knows of it between two operations. */
export interface Held {
  readonly id: string;
  readonly state: Properties;
}

/** One resource's operations, as the engine calls them; a rejection is a HostFailure. */
export interface HostedResource {
  check(inputs: Properties, olds?: Properties): Promise<{ inputs: Properties; failures: Failure[] }>;
  diff(held: Held, inputs: Properties): Promise<{ changes: Changes; replaces: string[] }>;
  create(inputs: Properties): Promise<Held>;
  /** As refresh does it. */
  read(held: Held): Promise<Read>;
  /** As `.get` does it: there is no state yet. */
  get(id: string, inputs: Properties): Promise<Read>;
  update(held: Held, inputs: Properties): Promise<Held>;
  delete(held: Held): Promise<void>;
}

interface Failure {
  readonly property: string;
  readonly reason: string;
}
export type Changes = "unknown" | "none" | "some";

export interface Host {
  /** The stack's config, once, before anything else. */
  configure(config: Readonly<Record<string, string>>): Promise<void>;
  /** Default of `provider`: the string that our resources of that kind have. */
  resource(kind: string, provider?: string): HostedResource;
  readonly output: { stdout: string; stderr: string };
  readonly pid: number;
  /** The engine's address refuses connections from now on, as after its SIGKILL. */
  desert(): Promise<void>;
  /** Nobody reads what it prints to stderr from now on. */
  deafen(): void;
  /** Resolves when the process has ended, whatever ended it. */
  readonly ended: Promise<void>;
  /** Ends the process as the engine does, and gives all that it printed after its port. */
  stop(): Promise<string>;
}

/** Starts Pulumi's own dynamic-provider host in a project that has the package. */
export async function startHost(env: Readonly<Record<string, string>> = {}): Promise<Host> {
  const script = createRequire(__filename).resolve("@pulumi/pulumi/cmd/dynamic-provider");
  const engine = await listen();
  const child = spawn(process.execPath, [script, `127.0.0.1:${engine.port}`], {
    cwd: await projectWithPackage(),
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close").then(() => {});
  const client = new ResourceProviderClient(
    `127.0.0.1:${await portOf(child, output)}`,
    credentials.createInsecure(),
  );

  return {
    async configure(config) {
      const request = new messages.ConfigureRequest().setArgs(struct(config)).setAcceptsecrets(true);
      await call<messages.ConfigureResponse>((done) => client.configure(request, done));
    },
    resource: (kind, provider) => hosted(client, kind, provider),
    output,
    pid: child.pid ?? 0,
    desert: engine.close,
    deafen: () => void child.stderr.destroy(),
    ended,
    async stop() {
      client.close();
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGINT");
      await ended;
      await engine.close();
      return output.stdout.replace(/^\d+\n/, "") + output.stderr;
    },
  };
}

/** What stands for the engine: the host looks whether its address takes connections. */
async function listen() {
  const server = createServer((socket) => socket.on("error", () => {}).destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, close };
}

async function portOf(child: ChildProcess, output: Host["output"]): Promise<number> {
  while (!/^\d+\n/.test(output.stdout)) {
    if (child.exitCode !== null) throw new Error(`the host ended before it told its port:\n${output.stderr}`);
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, "data"), once(child, "exit")]);
  }
  return Number.parseInt(output.stdout, 10);
}

function hosted(client: ResourceProviderClient, kind: string, provider?: string): HostedResource {
  const ours = `exports.handler=()=>require("pulumi-apikeys/dynamic").provider(${JSON.stringify(kind)});`;
  const __provider = provider ?? ours;
  const own = (properties: Properties) => struct({ ...properties, __provider });
  const theirs = (properties: Struct | undefined) => plain(properties, __provider);
  return {
    async check(inputs, olds) {
      const request = new messages.CheckRequest().setOlds(olds ? own(olds) : struct({})).setNews(own(inputs));
      const answer = await call<messages.CheckResponse>((done) => client.check(request, done));
      return {
        inputs: unmarked(theirs(answer.getInputs())),
        failures: answer.getFailuresList().map((one) => one.toObject()),
      };
    },
    async diff({ id, state }, inputs) {
      const request = new messages.DiffRequest().setId(id).setOlds(own(state)).setNews(own(inputs));
      const answer = await call<messages.DiffResponse>((done) => client.diff(request, done));
      const changes = (["unknown", "none", "some"] as const)[answer.getChanges()] ?? "unknown";
      return { changes, replaces: answer.getReplacesList() };
    },
    async create(inputs) {
      const request = new messages.CreateRequest().setProperties(own(inputs));
      const answer = await call<messages.CreateResponse>((done) => client.create(request, done));
      return { id: answer.getId(), state: theirs(answer.getProperties()) };
    },
    async read({ id, state }) {
      const request = new messages.ReadRequest().setId(id).setProperties(own(state));
      return readAnswer(await call<messages.ReadResponse>((done) => client.read(request, done)), theirs);
    },
    async get(id, inputs) {
      const request = new messages.ReadRequest().setId(id).setInputs(own(inputs));
      return readAnswer(await call<messages.ReadResponse>((done) => client.read(request, done)), theirs);
    },
    async update({ id, state }, inputs) {
      const request = new messages.UpdateRequest().setId(id).setOlds(own(state)).setNews(own(inputs));
      const answer = await call<messages.UpdateResponse>((done) => client.update(request, done));
      return { id, state: theirs(answer.getProperties()) };
    },
    async delete({ id, state }) {
      const request = new messages.DeleteRequest().setId(id).setProperties(own(state));
      await call((done) => client.delete(request, done));
    },
  };
}

function readAnswer(answer: messages.ReadResponse, theirs: (of: Struct | undefined) => Properties): Read {
  const inputs = answer.getInputs();
  return {
    id: answer.getId(),
    properties: theirs(answer.getProperties()),
    inputs: inputs && unmarked(theirs(inputs)),
  };
}

const secretMark = "4dabf18193072939515e22adb298388d";

/** The values of what came marked as a secret: the engine takes the mark for itself. */
function unmarked(properties: Properties): Properties {
  const value = (given: unknown): unknown => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
    return secretMark in given ? (given as Properties)["value"] : unmarked(given as Properties);
  };
  return Object.fromEntries(Object.entries(properties).map(([name, given]) => [name, value(given)]));
}

/** As the engine sends them: a Struct holds no undefined value, and unknown values are plain text. */
function struct(properties: Properties): Struct {
  return Struct.fromJavaScript(properties as Parameters<typeof Struct.fromJavaScript>[0]);
}

/** Without the provider string, which must come back as it went. */
function plain(properties: Struct | undefined, provider: string): Properties {
  const { __provider, ...rest } = (properties?.toJavaScript() ?? {}) as Properties;
  if (__provider !== provider) throw new Error("an answer lacks its __provider");
  return rest;
}

function call<T>(send: (done: (error: ServiceError | null, answer: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    send((error, answer) => (error === null ? resolve(answer) : reject(new HostFailure(error)))),
  );
}

function keptOf({ metadata }: ServiceError): HostFailure["kept"] {
  const [status] = metadata?.get("grpc-status-details-bin") ?? [];
  if (status === undefined) return undefined;
  const [detail] = Status.deserializeBinary(status as Buffer).getDetailsList();
  const kept = messages.ErrorResourceInitFailed.deserializeBinary(
    detail?.getValue_asU8() ?? new Uint8Array(),
  );
  const properties = (kept.getProperties()?.toJavaScript() ?? {}) as Properties;
  return { id: kept.getId(), properties, reasons: kept.getReasonsList() };
}
