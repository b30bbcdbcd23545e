import type { ServiceError } from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type Actor, type Held, OperationFailed, type Resource, type Service } from "./actor";
import { startPlugin } from "./plugin";
import { quickTime, scaled } from "./quickTime";
import type { Kind, Properties } from "./schedule";

/** After a second Ctrl-C the engine gives a plugin so long. */
const graceMs = 5_000;

const urnOf = (type: string, name: string) => `urn:pulumi:dev::campaign::${type}::${name}`;

/** The provider as a plugin, over gRPC. */
export async function startInPlugin(service: Service): Promise<Actor> {
  const plugin = await startPlugin({
    APIKEYS_BASE_URL: service.url,
    APIKEYS_ACCESS_TOKEN: service.accessToken,
    APIKEYS_DEBUG: "1",
    ...quickTime(),
  });
  const { client, child } = plugin;
  const configure = new messages.ConfigureRequest()
    .setUrn(urnOf("pulumi:providers:apikeys", "default"))
    .setArgs(struct({}))
    .setAcceptsecrets(true);
  await call<messages.ConfigureResponse>((done) => client.configure(configure, done));
  const cancel = async () => void (await call<Empty>((done) => client.cancel(new Empty(), done)));
  const resources = new Map<Kind, Resource>();
  return {
    resource(kind) {
      const resource = resources.get(kind) ?? resourceOf(client, kind);
      resources.set(kind, resource);
      return resource;
    },
    cancel,
    interrupt() {
      // It may have ended in the meantime.
      void cancel().catch(() => {});
      child.kill("SIGINT");
      const timer = setTimeout(() => child.kill("SIGKILL"), scaled(graceMs));
      void plugin.ended.then(() => clearTimeout(timer));
    },
    desert: plugin.leave,
    async kill() {
      child.kill("SIGKILL");
      await plugin.ended;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGINT");
      await plugin.ended;
      client.close();
    },
    warnings: () => plugin.said.join("\n"),
    debug: () => plugin.unsaid.join("\n"),
  };
}

const { DIFF_NONE, DIFF_UNKNOWN } = messages.DiffResponse.DiffChanges;

function resourceOf(client: ResourceProviderClient, kind: Kind): Resource {
  // Names matter to check alone.
  const urn = (name = "resource") => urnOf(`apikeys:index:${kind}`, name);
  return {
    async check(inputs, before, name) {
      const request = new messages.CheckRequest()
        .setUrn(urn(name))
        .setOlds(struct(before ?? {}))
        .setNews(struct(inputs));
      const answer = await call<messages.CheckResponse>((done) => client.check(request, done));
      return {
        inputs: plain(answer.getInputs()),
        failures: answer.getFailuresList().map((failure) => failure.getReason()),
      };
    },
    async diff({ id, state }, inputs) {
      const request = new messages.DiffRequest()
        .setUrn(urn())
        .setId(id)
        .setOlds(struct(state))
        .setNews(struct(inputs));
      const answer = await call<messages.DiffResponse>((done) => client.diff(request, done));
      const changes = answer.getChanges();
      return {
        changes: changes === DIFF_UNKNOWN ? undefined : changes !== DIFF_NONE,
        replaces: answer.getReplacesList(),
      };
    },
    async create(inputs) {
      const request = new messages.CreateRequest().setUrn(urn()).setProperties(struct(inputs));
      const answer = await call<messages.CreateResponse>((done) => client.create(request, done));
      return { id: answer.getId(), state: plain(answer.getProperties()) };
    },
    async read({ id, state }) {
      const request = new messages.ReadRequest().setUrn(urn()).setId(id).setProperties(struct(state));
      const answer = await call<messages.ReadResponse>((done) => client.read(request, done));
      const inputs = answer.getInputs();
      if (answer.getId() === "") return undefined;
      return {
        id: answer.getId(),
        state: plain(answer.getProperties()),
        ...(inputs && { inputs: plain(inputs) }),
      };
    },
    async update({ id, state }, inputs) {
      const request = new messages.UpdateRequest()
        .setUrn(urn())
        .setId(id)
        .setOlds(struct(state))
        .setNews(struct(inputs));
      return plain(
        (await call<messages.UpdateResponse>((done) => client.update(request, done))).getProperties(),
      );
    },
    async delete({ id, state }) {
      const request = new messages.DeleteRequest().setUrn(urn()).setId(id).setProperties(struct(state));
      await call<Empty>((done) => client.delete(request, done));
    },
  };
}

function call<T>(send: (done: (error: ServiceError | null, answer: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    send((error, answer) =>
      error === null ? resolve(answer) : reject(new OperationFailed(error.details, keptOf(error))),
    ),
  );
}

function keptOf({ metadata }: ServiceError): Held | undefined {
  const [status] = metadata.get("grpc-status-details-bin");
  if (status === undefined) return undefined;
  const [detail] = Status.deserializeBinary(status as Buffer).getDetailsList();
  if (detail === undefined) return undefined;
  const kept = messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  return { id: kept.getId(), state: plain(kept.getProperties()) };
}

function struct(properties: Properties): Struct {
  return Struct.fromJavaScript(properties as Parameters<typeof Struct.fromJavaScript>[0]);
}

const secretMark = "4dabf18193072939515e22adb298388d";

/** The values alone, also of what is marked as a secret. */
function plain(properties: Struct | undefined): Properties {
  const value = (given: unknown): unknown => {
    if (typeof given !== "object" || given === null) return given;
    if (Array.isArray(given)) return given.map(value);
    if (secretMark in given) return value((given as Properties)["value"]);
    return Object.fromEntries(Object.entries(given).map(([name, inner]) => [name, value(inner)]));
  };
  return value(properties?.toJavaScript() ?? {}) as Properties;
}
