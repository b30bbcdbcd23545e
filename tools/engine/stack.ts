import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import {
  type ConfigValue,
  type DestroyOptions,
  type DiagnosticEvent,
  type EngineEvent,
  LocalWorkspace,
  type OpMap,
  type OpType,
  type OutputMap,
  type PreviewOptions,
  type PropertyDiff,
  PulumiCommand,
  type PulumiFn,
  type RefreshOptions,
  type StepEventMetadata,
  type UpOptions,
} from "@pulumi/pulumi/automation";
import * as settings from "@pulumi/pulumi/runtime/settings";
import {
  type CommandOptions,
  type CommandResult,
  type Environment,
  execute,
  ours,
  shellEnvironment,
} from "./command";
import { checkout, type Project, quickly } from "./project";
import { pulumiCli, userCli } from "./pulumiCli";

export interface StackOptions {
  /** Default: the CLI runs the project's program, as it does for users. */
  readonly program?: PulumiFn | undefined;
  /** Stack config by its full key, such as `apikeys:baseUrl`. */
  readonly config?: Readonly<Record<string, string | ConfigValue>>;
  /** The stack's own variables. Variables named APIKEYS_… and PULUMI_… are not inherited. */
  readonly env?: Environment;
  /** Default: `dev`. */
  readonly stackName?: string;
}

export interface EngineStack {
  readonly name: string;
  up(options?: UpOptions & CommandExtras): Promise<Outcome>;
  preview(options?: PreviewOptions & CommandExtras): Promise<Outcome>;
  refresh(options?: RefreshOptions & CommandExtras): Promise<Outcome>;
  /** `pulumi preview --refresh`. (`pulumi refresh --preview-only` is `refresh({ previewOnly: true })`.) */
  previewRefresh(options?: PreviewOptions & CommandExtras): Promise<Outcome>;
  destroy(options?: DestroyOptions & CommandExtras): Promise<Outcome>;
  /** `pulumi import --file`, with further arguments after it. */
  import(file: string, ...args: readonly string[]): Promise<Outcome>;
  /** Any command line in the workspace of the stack, as a user would type it. The CLI runs the program itself. */
  run(args: readonly string[]): Promise<Outcome>;
  /** The stack's state; secrets are in plain text if asked for. */
  exportState(options?: { showSecrets?: boolean }): Promise<StateDeployment>;
  /** The outputs in plain text, each with a flag whether it is secret. */
  outputs(): Promise<OutputMap>;
  /** A variable for all commands from now on; undefined removes it. */
  setEnv(name: string, value: string | undefined): void;
  /** A value of the stack config; undefined removes it. */
  setConfig(key: string, value: string | ConfigValue | undefined): Promise<void>;
}

export interface StateDeployment {
  readonly resources?: readonly StateResource[];
  readonly pending_operations?: readonly { readonly resource: StateResource; readonly type: string }[];
}
interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  /** Replaced, and still to be deleted. */
  readonly delete?: boolean;
  /** Where the program declares it. */
  readonly sourcePosition?: string;
  /** Why the operation that left it failed. */
  readonly initErrors?: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, which tests look into.
  readonly inputs?: Readonly<Record<string, any>>;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, which tests look into.
  readonly outputs?: Readonly<Record<string, any>>;
}

/**
 * The engines of a process may get a port that an earlier one had. @grpc/grpc-js shares connections by address, and fails at
 * once while it takes the earlier one's for lost. Pulumi's SDK takes that for the end of the engine: the program does not
 * run, and an update would delete everything. So each of Pulumi's clients has connections of its own.
 */
const { grpcClientOptions } = settings as unknown as { readonly grpcClientOptions: object };
Object.assign(grpcClientOptions, { "grpc.use_local_subchannel_pool": 1 });

/** The CLI of all stacks, as Automation API knows it. */
let official: Promise<PulumiCommand> | undefined;

/** A stack of the project, with a state, a Pulumi home and an environment of its own, on the real CLI. */
export async function createStack(project: Project, options: StackOptions): Promise<EngineStack> {
  const [{ root }, bin] = [await pulumiCli(), await userCli()];
  const home = join(project.dir, ".pulumi-home");
  const state = join(project.dir, ".pulumi-state");
  // Inside the project, where files that are left behind are searched for secrets.
  const temporary = join(project.dir, ".tmp");
  await Promise.all([home, state, temporary].map((folder) => mkdir(folder, { recursive: true })));
  const secrets = await keyService();
  let env: Environment = {
    ...shellEnvironment(checkout, [bin]),
    ...quickly,
    ...secrets.env,
    TMPDIR: temporary,
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: `file://${state}`,
    // For the states in test/snapshots, and for programs that create stacks.
    PULUMI_CONFIG_PASSPHRASE: "test",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...options.env,
  };

  official ??= PulumiCommand.get({ root, skipVersionCheck: true });
  const command = (args: readonly string[], rest: CommandOptions = {}) =>
    execute(join(bin, "pulumi"), ["--non-interactive", ...args], {
      cwd: project.dir,
      ...rest,
      env: { ...env, ...rest.env },
    });
  let hasRun = false;
  const { program: given } = options;
  const program =
    given &&
    (async () => {
      const outputs = await given();
      hasRun = true;
      return outputs;
    });
  const name = options.stackName ?? "dev";
  const workspace = {
    workDir: project.dir,
    pulumiCommand: pulumiCommand(await official, command),
    secretsProvider: secrets.provider,
  };
  const stack = await (program === undefined
    ? LocalWorkspace.createStack({ stackName: name, workDir: project.dir }, workspace)
    : LocalWorkspace.createStack({ stackName: name, projectName: project.name, program }, workspace));
  // After each command, Automation API reads a summary and the outputs, which takes as long as the command itself. The
  // engine's events have the summary, and outputs() reads the outputs.
  stack.info = async () => undefined;
  stack.outputs = async () => ({});

  const operate = async <Options extends UpOptions | PreviewOptions | RefreshOptions | DestroyOptions>(
    act: (options: Options) => Promise<unknown>,
    { args, onStart, ...given }: Options & CommandExtras,
  ): Promise<Outcome> => {
    const mine: Operation = { args, onStart };
    hasRun = false;
    const events: EngineEvent[] = [];
    const onEvent = (event: EngineEvent) => {
      events.push(event);
    };
    const all = { color: "never", suppressProgress: true, ...given, onEvent } as unknown as Options;
    let failure: unknown;
    await carryOut(mine, env, () => act(all)).catch((error) => {
      failure = error;
    });
    // A failed command is an outcome; any other failure is a bug in the test or its program.
    if (failure !== undefined && (mine.result === undefined || mine.result.code === 0)) throw failure;
    if (mine.result === undefined) throw new Error("the CLI was not run");
    return outcomeOf(mine.result, events);
  };
  /** Throws if a command succeeded whose program did not run to its end. */
  const expectRun = (outcome: Outcome): Outcome => {
    if (outcome.ok && program !== undefined && !hasRun)
      throw new Error(`The program did not run to its end:\n${outcome.output}`);
    return outcome;
  };
  const run = async (args: readonly string[]): Promise<Outcome> => {
    const log = join(temporary, `${randomUUID()}.jsonl`);
    const result = logging.has(args[0])
      ? await command([...args, "--event-log", log], { env: { PULUMI_DEBUG_COMMANDS: "true" } })
      : await command(args);
    const lines = (await readFile(log, "utf8").catch(() => "")).split("\n").filter(Boolean);
    // It has secrets.
    await rm(log, { force: true });
    const events = lines.map((line): EngineEvent => JSON.parse(line));
    return outcomeOf(result, events);
  };

  const config = Object.entries(options.config ?? {}).map(
    ([key, value]) => [key, configValue(value)] as const,
  );
  if (config.length > 0) await stack.setAllConfig(Object.fromEntries(config));

  const exportState: EngineStack["exportState"] = async ({ showSecrets = false } = {}) => {
    // The project may have several stacks, and the last one created is selected.
    const args = ["stack", "export", "--stack", name, ...(showSecrets ? ["--show-secrets"] : [])];
    const exported = await run(args);
    if (!exported.ok) throw new Error(exported.output);
    return JSON.parse(exported.stdout).deployment;
  };

  return {
    name,
    up: async (given = {}) => expectRun(await operate((all) => stack.up(all), given)),
    preview: async (given = {}) => expectRun(await operate((all) => stack.preview(all), given)),
    previewRefresh: async (given = {}) =>
      expectRun(await operate((all) => stack.preview(all), { ...given, refresh: true })),
    refresh: (given = {}) => operate((all) => stack.refresh(all), given),
    destroy: (given = {}) => operate((all) => stack.destroy(all), given),
    import: (file, ...args) =>
      run(["import", "--file", file, "--yes", "--skip-preview", "--generate-code=false", ...args]),
    run,
    exportState,
    // Automation API would run two commands for the outputs.
    outputs: async () => {
      const { resources = [] } = await exportState({ showSecrets: true });
      const { outputs = {} } = resources.find(({ type }) => type === "pulumi:pulumi:Stack") ?? {};
      return Object.fromEntries(
        Object.entries(outputs).map(([name, value]) => [
          name,
          { value: revealed(value), secret: isSecret(value) },
        ]),
      );
    },
    setEnv: (variable, value) => {
      env = { ...env, [variable]: value };
    },
    setConfig: (key, value) =>
      value === undefined ? stack.removeConfig(key) : stack.setConfig(key, configValue(value)),
  };
}

/** The value with its secrets in plain text, at any depth. */
export function revealed(value: unknown): unknown {
  const text = JSON.stringify(value);
  return JSON.parse(text, (_, one) => (isSecret(one) ? revealed(JSON.parse(one.plaintext)) : one));
}

function isSecret(value: unknown): value is { readonly plaintext: string } {
  return typeof value === "object" && value !== null && "plaintext" in value;
}

function configValue(value: string | ConfigValue): ConfigValue {
  return typeof value === "string" ? { value } : value;
}

/** Options of every command, in addition to those of Automation API. */
interface CommandExtras {
  /** Further arguments of the command line, such as `["--target-replace", urn]`. */
  readonly args?: readonly string[] | undefined;
  /** Gets the CLI's process id, so that a test can send signals. */
  readonly onStart?: ((pid: number) => void) | undefined;
}

/** One call of Automation API: what it adds to the command line, and the command's result. */
interface Operation extends CommandExtras {
  result?: CommandResult;
}

/** The operation for which Automation API runs the CLI. */
let current: Operation | undefined;

type Run = (args: readonly string[], options: CommandOptions) => Promise<CommandResult>;

/**
 * The CLI as Automation API runs it, but with exactly the given environment, with the operation's changes of the command
 * line, and with the output of failed commands.
 */
export function pulumiCommand(official: PulumiCommand, execute: Run): PulumiCommand {
  const run = async (
    offered: readonly string[],
    cwd: string,
    env: Environment,
    onStdout?: (text: string) => void,
    onStderr?: (text: string) => void,
    signal?: AbortSignal,
  ) => {
    const operation = current;
    const args = [...offered, ...(operation?.args ?? [])];
    const result = await execute(args, { cwd, env, onStdout, onStderr, signal, onStart: operation?.onStart });
    if (operation !== undefined) operation.result = result;
    if (result.code !== 0) throw new Error(`pulumi ${args.join(" ")} fails:\n${result.output}`);
    return result;
  };
  // Automation API calls run(), which its declarations leave out.
  return Object.assign({ command: official.command, version: official.version }, { run });
}

/** Commands that can write the engine's events, with PULUMI_DEBUG_COMMANDS. */
const logging: ReadonlySet<string | undefined> = new Set(["up", "preview", "refresh", "destroy", "import"]);

/** Runs an operation while this process has exactly the APIKEYS_ and PULUMI_ variables that an inline program may read. */
async function carryOut<T>(operation: Operation, env: Environment, act: () => Promise<T>): Promise<T> {
  if (current !== undefined) throw new Error("a process can only run one command of a stack at a time");
  const before = { ...process.env };
  current = operation;
  replaceOurs(env);
  try {
    return await act();
  } finally {
    replaceOurs(before);
    current = undefined;
  }
}

function replaceOurs(wanted: Environment) {
  for (const name of Object.keys(process.env)) if (ours.test(name)) delete process.env[name];
  const defined = Object.entries(wanted).filter(([name, value]) => ours.test(name) && value !== undefined);
  Object.assign(process.env, Object.fromEntries(defined));
}

/** How a stack's secrets are encrypted: `--secrets-provider`, and the variables that it needs. */
interface KeyService {
  readonly provider: string;
  readonly env: Environment;
}

let started: Promise<KeyService> | undefined;

/**
 * A key service for the stacks of this process, which the CLI uses like HashiCorp Vault. With a passphrase, each command
 * would first derive the stack's key from it, which takes at least 0.2 s of CPU time.
 */
function keyService(): Promise<KeyService> {
  started ??= start();
  return started;
}

async function start(): Promise<KeyService> {
  const server = createServer(async (request, response) => {
    const { plaintext, ciphertext } = (await json(request)) as Record<string, string | undefined>;
    // The CLI sends only the stack's own key, and keeps the answer in the stack's config.
    response.end(JSON.stringify({ data: { ciphertext: plaintext, plaintext: ciphertext } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { provider: "hashivault://stacks", env: { VAULT_SERVER_URL: `http://127.0.0.1:${port}` } };
}

/** A step that the engine took, or would take, for one resource. */
export interface Step {
  readonly op: OpType;
  /** The resource's name in the program. */
  readonly name: string;
  readonly type: string;
  readonly urn: string;
  /** Whether this was its refresh; `op` is then the refresh's result. */
  readonly duringRefresh: boolean;
  readonly failed: boolean;
  /** The inputs that differ between the states before and after; in a refresh, the drift. */
  readonly changed: Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>;
  /** The properties that the engine shows as changed. */
  readonly diffs: readonly string[];
  /** The properties that cause its replacement. */
  readonly replacedFor: readonly string[];
  /** The paths of the values that differ, such as `scopes[0].read`. */
  readonly detailedDiff: Readonly<Record<string, PropertyDiff>>;
  /** State before and after, as the engine shows it: secrets are masked. */
  readonly old: StepEventMetadata["old"];
  readonly new: StepEventMetadata["new"];
}

interface Diagnostic {
  readonly severity: DiagnosticEvent["severity"];
  readonly message: string;
  /** The resource that it is about. */
  readonly urn: string | undefined;
}

/** The result of a CLI command. A failed command has one too: nothing is thrown. */
export interface Outcome extends CommandResult {
  readonly ok: boolean;
  /** If not ok: the errors that the user reads. */
  readonly error: string | undefined;
  /** How many resources were created, updated, left the same and so on; the stack counts as one. */
  readonly changes: OpMap;
  /** One for each resource except the stack and the providers; several for a resource that is replaced. */
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
  readonly events: readonly EngineEvent[];
}

/** Combines a command's output and the events of its engine. */
function outcomeOf(result: CommandResult, events: readonly EngineEvent[]): Outcome {
  const ok = result.code === 0;
  const diagnostics = events.flatMap(({ diagnosticEvent: event }) =>
    // Debug messages come as events too, although no user sees them.
    event === undefined || (event.severity as string) === "debug"
      ? []
      : [{ severity: event.severity, message: event.message.trim(), urn: event.urn }],
  );
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  return {
    ...result,
    ok,
    error: ok ? undefined : errors.join("\n") || result.stderr.trim() || `exit code ${result.code}`,
    changes:
      events.findLast(({ summaryEvent }) => summaryEvent !== undefined)?.summaryEvent?.resourceChanges ?? {},
    steps: stepsOf(events),
    diagnostics,
    events,
  };
}

function stepsOf(events: readonly EngineEvent[]): readonly Step[] {
  const steps: (Step & { open: boolean })[] = [];
  for (const { resourcePreEvent: begun, resOutputsEvent: done, resOpFailedEvent: broken } of events) {
    const metadata = (begun ?? done ?? broken)?.metadata;
    if (metadata === undefined || /^pulumi:(pulumi:Stack|providers:)/.test(metadata.type)) continue;
    // A refresh begins as "refresh" and ends as its result, such as "update" or "delete".
    const place = steps.findIndex(
      ({ open, urn, op, duringRefresh }) =>
        open && urn === metadata.urn && (duringRefresh || op === metadata.op),
    );
    const before = steps[place];
    const step = stepOf(metadata, before?.duringRefresh ?? metadata.op === "refresh", broken !== undefined);
    if (before === undefined) steps.push({ ...step, open: begun !== undefined });
    else steps[place] = { ...step, open: false };
  }
  return steps.map(({ open: _, ...step }) => step);
}

function stepOf(metadata: StepEventMetadata, duringRefresh: boolean, failed: boolean): Step {
  const { op, urn, type, old, new: now } = metadata;
  return {
    op,
    name: urn.split("::").slice(3).join("::"),
    type,
    urn,
    duringRefresh,
    failed,
    diffs: metadata.diffs ?? [],
    replacedFor: metadata.keys ?? [],
    detailedDiff: metadata.detailedDiff ?? {},
    changed: differences(old?.inputs ?? {}, now?.inputs ?? {}),
    old,
    new: now,
  };
}

function differences(old: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>) {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const differing = names.filter(
    (name) => !name.startsWith("__") && !isDeepStrictEqual(old[name], now[name]),
  );
  return Object.fromEntries(differing.map((name) => [name, { old: old[name], new: now[name] }]));
}
