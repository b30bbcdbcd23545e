/**
 * The language host with which the Pulumi CLI runs Node.js programs in tests, because the CLI's own is not in its Go
 * modules. It starts programs and policy packs in the same way, but can't install, debug or call functions synchronously.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  status,
} from "@grpc/grpc-js";
import language from "@pulumi/pulumi/proto/language_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/language_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";

/** The exit code of a program that has already printed its error. */
const errorPrinted = 32;

/** The address to which the program logs. */
const [engine = ""] = parseArgs({ strict: false, allowPositionals: true }).positionals;

async function run(request: messages.RunRequest): Promise<messages.RunResponse> {
  const answer = new messages.RunResponse();
  const folder = request.getInfo()?.getProgramDirectory() ?? "";
  let script: string;
  try {
    script = createRequire(join(folder, "index.js")).resolve("@pulumi/pulumi/cmd/run");
  } catch {
    const missing = "It looks like the Pulumi SDK has not been installed. Have you run pulumi install?";
    return answer.setError(missing);
  }
  const options = request.getInfo()?.getOptions()?.toJavaScript() ?? {};
  const nodeArguments = String(options["nodeargs"] ?? "").split(" ");
  const child = spawn("node", [...nodeArguments.filter(Boolean), script, ...programArguments(request)], {
    cwd: folder,
    env: { ...process.env, ...configuration(request), ...typescript(options) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.stdout.pipe(process.stdout, { end: false });
  child.stderr.pipe(process.stderr, { end: false });
  const code = await new Promise<number | string | null>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", resolve);
  });
  running.delete(child);
  if (code === errorPrinted) return answer.setBail(true);
  return code === 0 ? answer : answer.setError(`Program exited with non-zero exit code: ${code}`);
}

/** Runs a policy pack, until the engine ends the call. Of its output, the engine needs the port on stdout. */
const runPolicyPack: handleServerStreamingCall<messages.RunPluginRequest, messages.RunPluginResponse> = (
  call,
) => {
  const { request } = call;
  const pack = request.getInfo()?.getProgramDirectory() ?? "";
  const script = createRequire(join(pack, "index.js")).resolve("@pulumi/pulumi/cmd/run-policy-pack");
  const child = spawn("node", [script, ...request.getArgsList(), pack], {
    cwd: pack,
    env: { ...process.env, ...Object.fromEntries(request.getEnvList().map((line) => line.split(/=(.*)/s))) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.stdout.on("data", (data) => call.write(new messages.RunPluginResponse().setStdout(data)));
  child.stderr.on("data", (data) => call.write(new messages.RunPluginResponse().setStderr(data)));
  child.once("close", (code) => {
    running.delete(child);
    call.end(new messages.RunPluginResponse().setExitcode(code ?? 1));
  });
  call.once("cancelled", () => child.kill());
};

const running = new Set<ReturnType<typeof spawn>>();

function programArguments(request: messages.RunRequest): readonly string[] {
  const info = request.getInfo();
  const named = {
    monitor: request.getMonitorAddress(),
    engine,
    organization: request.getOrganization(),
    project: request.getProject(),
    "root-directory": info?.getRootDirectory() ?? "",
    stack: request.getStack(),
    pwd: info?.getProgramDirectory() ?? "",
    parallel: String(request.getParallel()),
  };
  return [
    ...Object.entries(named).flatMap(([name, value]) => (value === "" ? [] : [`--${name}`, value])),
    ...(request.getDryrun() ? ["--dry-run"] : []),
    info?.getEntryPoint() ?? ".",
    ...request.getArgsList(),
  ];
}

/** The stack's config, with its keys in the form that every version of @pulumi/pulumi reads. */
function configuration(request: messages.RunRequest) {
  const values = request.getConfigMap().toArray();
  const config = Object.fromEntries(values.map(([key, value]) => [key.replace(":", ":config:"), value]));
  return {
    PULUMI_CONFIG: JSON.stringify(config),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
  };
}

function typescript(options: Readonly<Record<string, unknown>>) {
  return {
    ...(options["typescript"] === false ? {} : { PULUMI_NODEJS_TYPESCRIPT: "true" }),
    ...(typeof options["tsconfig"] === "string" ? { PULUMI_NODEJS_TSCONFIG_PATH: options["tsconfig"] } : {}),
  };
}

const unary =
  <Request, Answer>(act: (request: Request) => Answer | Promise<Answer>): handleUnaryCall<Request, Answer> =>
  (call, done) => {
    Promise.resolve(call.request)
      .then(act)
      .then(
        (answer) => done(null, answer),
        (error: unknown) => done({ code: status.INTERNAL, message: String(error) }),
      );
  };

const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
server.addService(language.LanguageRuntimeService, {
  getPluginInfo: unary(() => new plugin.PluginInfo().setVersion("0.0.0")),
  // An npm package asks for a plugin with the field `pulumi` of its package.json, which the package doesn't have.
  getRequiredPackages: unary(() => new messages.GetRequiredPackagesResponse()),
  run: unary(run),
  runPlugin: runPolicyPack,
  cancel: unary(() => {
    for (const child of running) child.kill("SIGINT");
    return new empty.Empty();
  }),
});

// If the CLI is killed, nothing else ends this process and the programs.
const cli = process.ppid;
setInterval(() => {
  if (process.ppid === cli) return;
  for (const child of running) child.kill();
  process.exit();
}, 500);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  console.log(port);
});
