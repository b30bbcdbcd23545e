/** The plugin `pulumi-resource-nothing`: answers at once, with as much as ours does. */
import { type handleUnaryCall, Server, ServerCredentials } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import { madeKey, outputsOf } from "./made";

const secretMark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

const unary =
  <Request, Answer>(act: (request: Request) => Answer): handleUnaryCall<Request, Answer> =>
  (call, done) =>
    done(null, act(call.request));

const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
server.addService(ResourceProviderService, {
  handshake: unary(() => new messages.ProviderHandshakeResponse().setAcceptSecrets(true)),
  getPluginInfo: unary(() => new PluginInfo().setVersion("1.0.0")),
  getSchema: unary(() => new messages.GetSchemaResponse().setSchema('{"name":"nothing","version":"1.0.0"}')),
  checkConfig: unary((request: messages.CheckRequest) => checked(request)),
  diffConfig: unary(() => new messages.DiffResponse()),
  configure: unary(() => new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true)),
  check: unary((request: messages.CheckRequest) => checked(request)),
  // Unknown: the engine compares the inputs itself.
  diff: unary(() => new messages.DiffResponse()),
  create: unary((request: messages.CreateRequest) => {
    const properties = request.getProperties() ?? new Struct();
    const kind = request.getUrn().split("::")[2]?.split(":").at(-1) ?? "";
    const outputs = outputsOf(kind, kind === "ApiKeySet" ? Object.keys(plain(properties, "keys")) : []);
    for (const [name, value] of Object.entries(outputs)) {
      const isSecret = name === "key" || name === "secrets";
      const given = isSecret ? { ...secretMark, value } : value;
      properties.getFieldsMap().set(name, Value.fromJavaScript(given as never));
    }
    return new messages.CreateResponse().setId(madeKey().id).setProperties(properties);
  }),
  read: unary((request: messages.ReadRequest) =>
    new messages.ReadResponse()
      .setId(request.getId())
      .setProperties(request.getProperties())
      .setInputs(request.getInputs()),
  ),
  update: unary((request: messages.UpdateRequest) => {
    const properties = request.getOlds() ?? new Struct();
    const fields = properties.getFieldsMap();
    request
      .getNews()
      ?.getFieldsMap()
      .forEach((value, name) => {
        fields.set(name, value);
      });
    return new messages.UpdateResponse().setProperties(properties);
  }),
  delete: unary(() => new Empty()),
  cancel: unary(() => new Empty()),
});
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`${port}\n`);
});

function checked(request: messages.CheckRequest): messages.CheckResponse {
  return new messages.CheckResponse().setInputs(request.getNews());
}

function plain(properties: Struct, name: string): object {
  return properties.getFieldsMap().get(name)?.getStructValue()?.toJavaScript() ?? {};
}
