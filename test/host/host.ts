import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { quickly } from "../../tools/engine/project";
import { inWords } from "../words";
import { projectWithPackage } from "./installed";

export type Properties = Record<string, unknown>;

/** The error that a failed operation returned to the engine. */
export class HostFailure extends Error {
  readonly code: number;
  /** The message as the engine shows it. */
  readonly details: string;
  /** The state that the engine would save; only partial failures have it. */
  readonly kept:
    | { readonly id: string; readonly properties: Properties; readonly reasons: string[] }
    | undefined;

  constructor(error: ServiceError, unwrap: Envelope["unwrap"] = unmarked) {
    super(inWords(error.details));
    this.details = error.details;
    this.code = error.code;
    this.kept = keptOf(error, unwrap);
  }
}

interface Read {
  readonly id: string;
  readonly properties: Properties;
  /** undefined if the provider returned none. */
  readonly inputs: Properties | undefined;
}

/** A resource as the engine keeps it between two operations. */
export interface Resource {
  readonly id: string;
  readonly state: Properties;
}

/** One resource's operations, as the engine calls them; a rejection is a HostFailure. */
export interface HostedResource {
  /** `state`: what newer engines show the plugin. */
  check(
    inputs: Properties,
    olds?: Properties,
    state?: Properties,
  ): Promise<{ inputs: Properties; failures: Failure[] }>;
  diff(before: Resource, inputs: Properties): Promise<{ changes: Changes; replaces: string[] }>;
  /** `seconds`: those of customTimeouts, which only reach the plugin. */
  create(inputs: Properties, seconds?: number): Promise<Resource>;
  /** As a refresh does. */
  read(before: Resource): Promise<Read>;
  /** As `.get` does: there is no state yet. */
  get(id: string, inputs: Properties): Promise<Read>;
  update(before: Resource, inputs: Properties): Promise<Resource>;
  delete(before: Resource): Promise<void>;
}

interface Failure {
  readonly property: string;
  readonly reason: string;
}
type Changes = "unknown" | "none" | "some";

export interface Host {
  /** The stack's config, once, before anything else. With the plugin, `provider` is the name of an explicit Provider. */
  configure(config: Readonly<Record<string, string>>, provider?: string): Promise<void>;
  resource(kind: string): HostedResource;
  readonly output: { stdout: string; stderr: string };
  readonly pid: number;
  /** Ends its stdin, as a SIGKILL of the engine does. */
  desert(): void;
  /** From now on, nobody reads its stderr. */
  deafen(): void;
  /** Resolves when the process has ended, whatever ended it. */
  readonly ended: Promise<void>;
  /** Ends the process as the engine does, and returns all that it printed after its port. */
  stop(): Promise<string>;
}

/** Starts Pulumi's own dynamic-provider host in a project that has the package. */
export async function startHost(env: Readonly<Record<string, string>> = {}): Promise<Host> {
  const script = createRequire(__filename).resolve("@pulumi/pulumi/cmd/dynamic-provider");
  const child = spawn(process.execPath, [script, "127.0.0.1:0"], {
    cwd: await projectWithPackage(),
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...quickly, ...env },
    stdio: "pipe",
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
    resource: (kind) => hosted(client, dynamicEnvelope(kind)),
    output,
    pid: child.pid ?? 0,
    desert: () => void child.stdin.end(),
    deafen: () => void child.stderr.destroy(),
    ended,
    async stop() {
      client.close();
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGINT");
      await ended;
      return output.stdout.replace(/^\d+\n/, "") + output.stderr;
    },
  };
}

export async function portOf(child: ChildProcess, output: Host["output"]): Promise<number> {
  while (!/^\d+\n/.test(output.stdout)) {
    if (child.exitCode !== null)
      throw new Error(`the host ended before it printed its port:\n${output.stderr}`);
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, "data"), once(child, "exit")]);
  }
  return Number.parseInt(output.stdout, 10);
}

/** How a host's protocol wraps a resource's properties. */
export interface Envelope {
  readonly urn: string;
  wrap(properties: Properties): Properties;
  /** Throws if a required part is missing. */
  unwrap(properties: Properties): Properties;
}

function dynamicEnvelope(kind: string): Envelope {
  const __provider = `exports.handler=()=>require("pulumi-apikeys/dynamic").provider(${JSON.stringify(kind)});`;
  return {
    urn: "",
    wrap: (properties) => ({ ...properties, __provider }),
    // It must come back unchanged.
    unwrap: ({ __provider: came, ...rest }) => {
      if (came !== __provider) throw new Error("an answer lacks its __provider");
      return unmarked(rest);
    },
  };
}

export function hosted(client: ResourceProviderClient, envelope: Envelope): HostedResource {
  const { urn } = envelope;
  const own = (properties: Properties) => struct(envelope.wrap(properties));
  const unwrap = (properties: Struct | undefined) => envelope.unwrap(propertiesIn(properties));
  const asked = <T>(send: Send<T>) => call(send, envelope.unwrap);
  const read = (request: messages.ReadRequest) => askedToRead(client, envelope, request.setUrn(urn));
  return {
    async check(inputs, olds, state) {
      const request = new messages.CheckRequest().setUrn(urn).setNews(own(inputs));
      request.setOlds(olds ? own(olds) : struct({})).setOldOutputs(state && own(state));
      const answer = await asked<messages.CheckResponse>((done) => client.check(request, done));
      return {
        inputs: unwrap(answer.getInputs()),
        failures: answer.getFailuresList().map((one) => one.toObject()),
      };
    },
    async diff({ id, state }, inputs) {
      const request = new messages.DiffRequest()
        .setUrn(urn)
        .setId(id)
        .setOlds(own(state))
        .setNews(own(inputs));
      const answer = await asked<messages.DiffResponse>((done) => client.diff(request, done));
      const changes = (["unknown", "none", "some"] as const)[answer.getChanges()] ?? "unknown";
      return { changes, replaces: answer.getReplacesList() };
    },
    async create(inputs, seconds = 0) {
      const request = new messages.CreateRequest().setUrn(urn).setProperties(own(inputs)).setTimeout(seconds);
      const answer = await asked<messages.CreateResponse>((done) => client.create(request, done));
      return { id: answer.getId(), state: unwrap(answer.getProperties()) };
    },
    read: ({ id, state }) => read(new messages.ReadRequest().setId(id).setProperties(own(state))),
    get: (id, inputs) => read(new messages.ReadRequest().setId(id).setInputs(own(inputs))),
    async update({ id, state }, inputs) {
      const request = new messages.UpdateRequest()
        .setUrn(urn)
        .setId(id)
        .setOlds(own(state))
        .setNews(own(inputs));
      const answer = await asked<messages.UpdateResponse>((done) => client.update(request, done));
      return { id, state: unwrap(answer.getProperties()) };
    },
    async delete({ id, state }) {
      const request = new messages.DeleteRequest().setUrn(urn).setId(id).setProperties(own(state));
      await asked((done) => client.delete(request, done));
    },
  };
}

export async function askedToRead(
  client: ResourceProviderClient,
  { unwrap }: Envelope,
  request: messages.ReadRequest,
): Promise<Read> {
  const answer = await call<messages.ReadResponse>((done) => client.read(request, done), unwrap);
  const inputs = answer.getInputs();
  return {
    id: answer.getId(),
    properties: unwrap(propertiesIn(answer.getProperties())),
    inputs: inputs && unwrap(propertiesIn(inputs)),
  };
}

/** The property that marks a secret in Pulumi's protocol. */
export const secretMark = "4dabf18193072939515e22adb298388d";
export const secret = (value: unknown) => ({ [secretMark]: "1b47061264138c4ac30d75fd1eb44270", value });

/** Replaces each marked secret by its plain value, as the engine does. */
export function unmarked(properties: Properties): Properties {
  const value = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(value);
    if (typeof given !== "object" || given === null) return given;
    return secretMark in given ? value((given as Properties)["value"]) : unmarked(given as Properties);
  };
  return Object.fromEntries(Object.entries(properties).map(([name, given]) => [name, value(given)]));
}

/** As the engine sends them: a Struct has no undefined values, and unknown values are plain strings. */
export function struct(properties: Properties): Struct {
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));
}

export function propertiesIn(properties: Struct | undefined): Properties {
  return (properties?.toJavaScript() ?? {}) as Properties;
}

type Send<T> = (done: (error: ServiceError | null, answer: T) => void) => void;

export function call<T>(send: Send<T>, unwrap?: Envelope["unwrap"]): Promise<T> {
  return new Promise((resolve, reject) =>
    send((error, answer) => (error === null ? resolve(answer) : reject(new HostFailure(error, unwrap)))),
  );
}

function keptOf({ metadata }: ServiceError, unwrap: Envelope["unwrap"]): HostFailure["kept"] {
  const [status] = metadata?.get("grpc-status-details-bin") ?? [];
  if (status === undefined) return undefined;
  const [detail] = Status.deserializeBinary(status as Buffer).getDetailsList();
  if (detail?.getTypeName() !== "pulumirpc.ErrorResourceInitFailed") return undefined;
  const kept = messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  const properties = unwrap(propertiesIn(kept.getProperties()));
  return { id: kept.getId(), properties, reasons: kept.getReasonsList() };
}
