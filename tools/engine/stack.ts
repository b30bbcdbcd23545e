import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type ConfigValue,
  type DestroyOptions,
  type EngineEvent,
  LocalWorkspace,
  type OutputMap,
  type PreviewOptions,
  PulumiCommand,
  type PulumiFn,
  type RefreshOptions,
  type UpOptions,
} from "@pulumi/pulumi/automation";
import { type CommandOptions, type Environment, execute } from "./command";
import { keyService, shellEnvironment, withVariables } from "./environment";
import { checkout, quickly } from "./folders";
import { type CommandExtras, needsProgram, type Operation, operation, pulumiCommand } from "./operation";
import { type Outcome, outcomeOf } from "./outcome";
import type { Project } from "./project";
import { pulumiCli } from "./pulumiCli";
import { userCli } from "./userCli";

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
  /** Any command line in the workspace of the stack, as a user would type it. */
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

/** The CLI of all stacks, as Automation API knows it. */
let official: Promise<PulumiCommand> | undefined;

/** A stack of the project, with a state, a Pulumi home and an environment of its own, on the real CLI. */
export async function createStack(project: Project, options: StackOptions): Promise<EngineStack> {
  const { root } = await pulumiCli();
  const bin = options.program === undefined ? await userCli() : join(root, "bin");
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
  const name = options.stackName ?? "dev";
  const workspace = {
    workDir: project.dir,
    pulumiCommand: pulumiCommand(await official, command),
    secretsProvider: secrets.provider,
  };
  const stack = await (options.program === undefined
    ? LocalWorkspace.createStack({ stackName: name, workDir: project.dir }, workspace)
    : LocalWorkspace.createStack(
        { stackName: name, projectName: project.name, program: options.program },
        workspace,
      ));
  // After each command, Automation API reads a summary and the outputs, which takes as long as the command itself. The
  // engine's events have the summary, and outputs() reads the outputs.
  stack.info = async () => undefined;
  stack.outputs = async () => ({});

  const operate = async <Options extends UpOptions | PreviewOptions | RefreshOptions | DestroyOptions>(
    act: (options: Options) => Promise<unknown>,
    { args, onStart, ...given }: Options & CommandExtras,
    instead?: readonly string[],
  ): Promise<Outcome> => {
    const mine: Operation = { args, onStart, instead };
    const events: EngineEvent[] = [];
    const onEvent = (event: EngineEvent) => {
      events.push(event);
    };
    const all = { color: "never", suppressProgress: true, ...given, onEvent } as unknown as Options;
    let failure: unknown;
    await withVariables(env, () => operation.run(mine, () => act(all))).catch((error) => {
      failure = error;
    });
    // A failed command is an outcome; any other failure is a bug in the test or its program.
    if (failure !== undefined && (mine.result === undefined || mine.result.code === 0)) throw failure;
    if (mine.result === undefined) throw new Error("the CLI was not run");
    return outcomeOf(mine.result, events);
  };
  const run = async (args: readonly string[]): Promise<Outcome> => {
    if (!needsProgram(args)) return outcomeOf(await command(args), []);
    const outcome = await operate((all) => stack.preview(all), {}, args);
    return ["up", "preview"].includes(args[0] ?? "") ? wholeProgram(outcome) : outcome;
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
    up: async (given = {}) => wholeProgram(await operate((all) => stack.up(all), given)),
    preview: async (given = {}) => wholeProgram(await operate((all) => stack.preview(all), given)),
    previewRefresh: async (given = {}) =>
      wholeProgram(await operate((all) => stack.preview(all), { ...given, refresh: true })),
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

/**
 * The outcome of a command whose program ran to its end. If the engine can't be reached, as on a machine that is too busy,
 * Pulumi's SDK ends a program in silence: it seems to declare nothing, and the update deletes everything.
 */
function wholeProgram(outcome: Outcome): Outcome {
  // A program gives the stack its outputs last.
  const isEnd = ({ resOutputsEvent: event }: EngineEvent) =>
    event?.metadata.type === "pulumi:pulumi:Stack" &&
    ["create", "same", "update"].includes(event.metadata.op);
  if (outcome.ok && !outcome.events.some(isEnd))
    throw new Error(`The program did not run to its end:\n${outcome.output}`);
  return outcome;
}

/** The value with its secrets in plain text, at any depth. */
function revealed(value: unknown): unknown {
  const text = JSON.stringify(value);
  return JSON.parse(text, (_, one) => (isSecret(one) ? revealed(JSON.parse(one.plaintext)) : one));
}

function isSecret(value: unknown): value is { readonly plaintext: string } {
  return typeof value === "object" && value !== null && "plaintext" in value;
}

function configValue(value: string | ConfigValue): ConfigValue {
  return typeof value === "string" ? { value } : value;
}
