import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type StandIn,
  startStandIn,
  type TenantOptions,
  type Variant,
  type VariantName,
} from "../../standin";
import { type CommandResult, type Environment, execute, shellEnvironment } from "../../tools/engine/command";
import { checkout, createProject, type Host, loadProgram, type Project } from "../../tools/engine/project";
import { createStack, type EngineStack, type Outcome, type StackOptions } from "../../tools/engine/stack";
import { expectKept, shownBy } from "./expectations";

/** A stand-in, a user's project with a program, and a stack of that program. */
export interface Fixture {
  readonly service: StandIn;
  readonly project: Project;
  readonly stack: EngineStack;
  /** The output and engine events of the stack's commands so far, except those with --show-secrets. */
  readonly printed: readonly string[];
  /** Replaces the program. */
  declare(program: string): Promise<void>;
  /** Ends everything, and fails if the output or a file contains a secret. */
  close(): Promise<void>;
}

export interface FixtureOptions {
  readonly program?: string;
  /** Default: none in Pulumi.yaml, which means "dynamic". */
  readonly host?: Host | undefined;
  /** A folder under examples/, whose program is run. */
  readonly example?: string;
  /** Whether the CLI itself runs the program, types and all, as it does for users; that takes longer. Default: false. */
  readonly byCli?: boolean;
  /** Whether pulumi-apikeys is installed in the project. Default: true. */
  readonly withPackage?: boolean;
  readonly variant?: Partial<Variant> | VariantName;
  readonly tenants?: readonly TenantOptions[];
  /** How long the service waits before each answer. Default: 0. */
  readonly latencyMs?: number;
  readonly config?: (service: StandIn) => NonNullable<StackOptions["config"]>;
  /** Default: the stand-in's base URL and its first tenant's token. */
  readonly env?: (service: StandIn) => Environment;
}

/** The variables that point a stack to a stand-in. */
export function credentials(service: StandIn): Environment {
  return { APIKEYS_BASE_URL: service.url, APIKEYS_ACCESS_TOKEN: service.accessToken };
}

/** Sets up everything that a test on the engine needs. The stack is still empty. */
export async function openFixture(name: string, options: FixtureOptions = {}): Promise<Fixture> {
  const {
    variant,
    tenants,
    latencyMs,
    example,
    byCli,
    withPackage = true,
    host,
    config,
    env = credentials,
  } = options;
  const service = await startStandIn({
    ...(variant === undefined ? {} : { variant }),
    ...(tenants === undefined ? {} : { tenants }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
  });
  const project = await createProject(
    name,
    example === undefined ? { withPackage } : { example, withPackage },
  );
  if (host !== undefined) await project.setHost(host);
  const declare = (program: string) => project.write("index.ts", program);
  if (options.program !== undefined) await declare(options.program);
  const stack = await createStack(project, {
    program: byCli ? undefined : loadProgram(project.dir),
    env: env(service),
    ...(config === undefined ? {} : { config: config(service) }),
  });
  const printed: string[] = [];
  const close = async () => {
    try {
      await expectKept(service.secrets(), printed, project.dir);
    } finally {
      await Promise.all([service.close(), project.remove()]);
    }
  };
  return { service, project, stack: recorded(stack, printed), printed, declare, close };
}

/** As `openFixture`, for the test that runs, whose end closes it. */
export async function createFixture(name: string, options?: FixtureOptions): Promise<Fixture> {
  const fixture = await openFixture(name, options);
  onTestFinished(() => fixture.close());
  return fixture;
}

/** Runs `npx pulumi-apikeys <args>` in a project. */
export function runApikeys(
  { project, service }: Fixture,
  ...args: readonly string[]
): Promise<CommandResult> {
  const command = join(project.dir, "node_modules", "pulumi-apikeys", "dist", "cli", "main.js");
  const env = { ...shellEnvironment(checkout, []), ...credentials(service) };
  return execute("node", [command, ...args], { cwd: project.dir, env });
}

function recorded(stack: EngineStack, printed: string[]): EngineStack {
  const record =
    <Given extends unknown[]>(command: (...given: Given) => Promise<Outcome>) =>
    async (...given: Given) => {
      const outcome = await command(...given);
      if (!JSON.stringify(given).includes("--show-secrets")) printed.push(...shownBy(outcome));
      return outcome;
    };
  const { up, preview, previewRefresh, refresh, destroy, run } = stack;
  return {
    ...stack,
    up: record(up),
    preview: record(preview),
    previewRefresh: record(previewRefresh),
    refresh: record(refresh),
    destroy: record(destroy),
    import: record(stack.import),
    run: record(run),
  };
}
