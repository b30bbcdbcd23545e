/** The provider as a plugin: the engine's calls over gRPC. */
import { promisify } from "node:util";
import {
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { type IResourceProviderServer, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { version } from "../../../package.json";
import { asFailure, Failure } from "../../core/errors";
import type { OpenRun } from "../../core/run";
import type { Properties } from "../../core/state";
import { nameIn } from "../../core/text";
import * as functions from "../../functions";
import type { Instance } from "../../instance";
import { argumentNamespace, configNamespace, type EngineConfig, engineConfig } from "../../lifecycle/config";
import { changesAt } from "../../lifecycle/planning";
import { list } from "../../listing";
import type { Engine } from "./engine";
import { calls, diffResponse } from "./resource";
import { fromStruct, toStruct } from "./wire";

interface Served {
  readonly instance: Instance;
  readonly engine: Engine;
  readonly run: OpenRun;
}

interface OfResource {
  getUrn(): string;
  getTimeout?(): number;
  getProperties?(): Parameters<typeof fromStruct>[0];
  getNews?(): Parameters<typeof fromStruct>[0];
}

/** Starts to listen on this machine, and returns the port. */
export function serve(served: Served): Promise<number> {
  // The engine takes messages of any size.
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  server.addService(ResourceProviderService, handlers(served) as unknown as IResourceProviderServer);
  return promisify(server.bindAsync).call(server, "127.0.0.1:0", ServerCredentials.createInsecure());
}

function handlers({ instance, engine, run }: Served) {
  const kinds = new Map<string, ReturnType<typeof calls>>();
  const callsOf = (urn: string) => {
    const name = kindIn(urn);
    const found = kinds.get(name) ?? calls(instance.resource(name));
    kinds.set(name, found);
    return found;
  };

  const unary =
    <Request, Answer>(act: (request: Request) => Promise<Answer>): handleUnaryCall<Request, Answer> =>
    (call, done) => {
      act(call.request).then(
        (answer) => done(null, answer),
        (error: unknown) => done(serviceError(asFailure(error).message)),
      );
    };
  /** The messages of the operation are shown with its resource. */
  const ofResource =
    (name: Exclude<keyof ReturnType<typeof calls>, "initFailed">): handleUnaryCall<OfResource, unknown> =>
    (call, done) => {
      const { request } = call;
      // The engine never cancels one call of several. The event also follows the answer.
      const stop = () => run.stop("the Pulumi engine exited");
      call.on("cancelled", stop);
      const urn = request.getUrn();
      // Under way until it is answered, and not only until it is done.
      void run.during(() =>
        engine
          .withResource(urn, async () => callsOf(urn)[name](request as never), request.getTimeout?.())
          .finally(() => call.off("cancelled", stop))
          .then(
            (answer) => done(null, answer),
            (error: unknown) => {
              const given = fromStruct(request.getNews?.() ?? request.getProperties?.()).properties;
              const { kind, message, kept } = asFailure(error);
              // The program is right, and only too early. The engine doesn't show the message, which the diff has shown.
              const early = kind === "notRotated" ? new messages.ErrorResourceAwaitFailed() : undefined;
              // An unknown kind keeps nothing.
              done(serviceError(message, kept ? callsOf(urn).initFailed(kept, given, message) : early));
            },
          ),
      );
    };

  return {
    handshake: unary(async (request: messages.ProviderHandshakeRequest) => {
      engine.connect(request.getEngineAddress());
      return new messages.ProviderHandshakeResponse()
        .setAcceptSecrets(true)
        .setSupportsAutonamingConfiguration(true);
    }),
    // Follows a handshake, if the engine did not start the plugin.
    attach: unary(async () => new Empty()),
    getPluginInfo: unary(async () => new PluginInfo().setVersion(version)),
    getSchema: unary(async () => {
      // Most commands never need it.
      const schema = await import("./schema.json", { with: { type: "json" } });
      return new messages.GetSchemaResponse().setSchema(JSON.stringify(schema.default));
    }),
    checkConfig: unary(async (request: messages.CheckRequest) => {
      const { properties: given, secrets } = fromStruct(request.getNews());
      const properties = { ...given, ...argumentsOfDefault(request.getUrn(), given) };
      const names = ["accessToken", ...[configNamespace, argumentNamespace].map((of) => `${of}:accessToken`)];
      const tokens = names.filter((name) => name in properties);
      const inputs = toStruct(properties, [...secrets, ...tokens.map((name) => [name] as const)]);
      return new messages.CheckResponse().setInputs(inputs);
    }),
    // A changed Provider never replaces its resources. The engine would compare secrets as they are masked, and so not
    // show a changed token.
    diffConfig: unary(async (request: messages.DiffRequest) => {
      const { properties: olds } = fromStruct(request.getOlds());
      const details = changesAt([], olds, fromStruct(request.getNews()).properties);
      return diffResponse({ changes: details.length > 0, replaces: [], details }, olds);
    }),
    configure: unary(async (request: messages.ConfigureRequest) => {
      instance.configure(configFrom(request.getUrn() ?? "", fromStruct(request.getArgs()).properties));
      return new messages.ConfigureResponse()
        .setAcceptsecrets(true)
        .setSupportspreview(true)
        .setSupportsAutonamingConfiguration(true);
    }),
    invoke: unary(async (request: messages.InvokeRequest) => {
      const { properties } = fromStruct(request.getArgs());
      const found = await invoked(request.getTok(), instance.source(), properties);
      return new messages.InvokeResponse().setReturn(toStruct(found));
    }),
    list: async (call: ServerWritableStream<messages.ListRequest, messages.ListResponse>) => {
      const { request } = call;
      try {
        const { workspaceId } = fromStruct(request.getQuery()).properties;
        const found = await list(instance.source(), kindIn(request.getToken()), workspaceId);
        for (const { id, name = "" } of found.slice(0, request.getLimit() || undefined)) {
          const result = new messages.ListResponse.Result().setId(id).setName(name);
          call.write(new messages.ListResponse().setResult(result));
        }
        call.end();
      } catch (error) {
        call.emit("error", serviceError(asFailure(error).message));
      }
    },
    check: ofResource("check"),
    diff: ofResource("diff"),
    create: ofResource("create"),
    read: ofResource("read"),
    update: ofResource("update"),
    delete: ofResource("delete"),
    // The engine still takes results. It also calls this at the end of every command.
    cancel: unary(async () => {
      run.close("the run was canceled");
      return new Empty();
    }),
  };
}

/** The kind in a type or a URN: `apikeys:index:ApiKey`, or with the types of parents before it. */
function kindIn(token: string): string {
  const type = token.split("::")[2] ?? token;
  return type.split("$").at(-1)?.split(":").at(-1) ?? "";
}

/** The engine adds a version to the name of a default provider. */
const isDefault = (urn: string) => /^default(_\d+_\d+_\d+.*)?$/.test(nameIn(urn));

/** The arguments of a Provider that the program calls `default`: the engine's own has what the plugin's environment has. */
function argumentsOfDefault(urn: string, given: Properties): Properties {
  const { argument } = engineConfig((key) => given[key.replace(/.*:/, "")]);
  const set = Object.entries(argument).filter(([, value]) => value !== undefined);
  const stack = JSON.parse(process.env["PULUMI_CONFIG"] ?? "null");
  if (!isDefault(urn) || stack === null || set.every(([name, value]) => value === stack[name])) return {};
  return Object.fromEntries(set.map(([name, value]) => [`${argumentNamespace}:${name}`, value]));
}

/**
 * A default provider is configured by stack config; any other by its arguments. A Node.js program passes both under the
 * names that they have in the dynamic host, so that a Provider does not change when its stack moves.
 */
function configFrom(urn: string, given: Properties): EngineConfig {
  const own = `${isDefault(urn) ? configNamespace : argumentNamespace}:`;
  return engineConfig(
    (key) => given[key] ?? (key.startsWith(own) ? given[key.slice(own.length)] : undefined),
  );
}

type Function = (source: functions.Source, given: never) => Promise<object>;
const { sourceOf: _, ...all } = functions;
const functionsByName = new Map<string, Function>(Object.entries(all));

async function invoked(token: string, source: functions.Source, given: Properties): Promise<Properties> {
  const find = functionsByName.get(kindIn(token));
  if (find === undefined)
    throw new Failure("unsupported", `This version of pulumi-apikeys has no function ${token}.`);
  const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return (await find(source, args as never)) as Properties;
}

/** `detail`: what the engine must still save, because the object exists, or that the program has to be run again later. */
function serviceError(
  message: string,
  detail?: messages.ErrorResourceInitFailed | messages.ErrorResourceAwaitFailed,
): Pick<ServiceError, "code" | "details" | "metadata"> {
  const metadata = new Metadata();
  if (detail !== undefined) {
    const any = new Any();
    const type = detail instanceof messages.ErrorResourceInitFailed ? "InitFailed" : "AwaitFailed";
    any.pack(detail.serializeBinary(), `pulumirpc.ErrorResource${type}`);
    const all = new Status().setCode(status.UNKNOWN).setMessage(message).setDetailsList([any]);
    metadata.add("grpc-status-details-bin", Buffer.from(all.serializeBinary()));
  }
  return { code: status.UNKNOWN, details: message, metadata };
}
