import { type Dialect, type PresetName, type StandIn, startStandIn, type TenantOptions } from "../../standin";
import { quickTimers } from "../host/quickTimers";
import type { Environment } from "./command";
import type { Outcome } from "./outcome";
import { loadProgram } from "./program";
import { createProject, type Host, type Project } from "./project";
import { expectKept, told } from "./secrecy";
import { createStack, type EngineStack, type StackOptions } from "./stack";

/** A stand-in of the service, a user's project with a program in it, and a stack of that program. */
export interface Scene {
  readonly service: StandIn;
  readonly project: Project;
  readonly stack: EngineStack;
  /** All that the stack's commands have printed so far, and the engine's events; not what was asked to show secrets. */
  readonly printed: readonly string[];
  /** Puts another program in the place of the one before. */
  declare(program: string): Promise<void>;
  /** Ends it all, and fails where something that was printed or written holds a secret. */
  close(): Promise<void>;
}

export interface SceneOptions {
  readonly program?: string;
  /** Default: as of a program that says nothing of it, which is "dynamic". */
  readonly host?: Host | undefined;
  /** A folder under examples/, whose program is run. */
  readonly example?: string;
  /** Whether the CLI itself runs the program, types and all, as it does for users; that takes longer. Default: false. */
  readonly byCli?: boolean;
  readonly dialect?: Partial<Dialect> | PresetName;
  readonly tenants?: readonly TenantOptions[];
  /** How long the service takes for an answer. Default: 0. */
  readonly latencyMs?: number;
  readonly config?: (service: StandIn) => NonNullable<StackOptions["config"]>;
  /** Default: the stand-in's address and its first tenant's token. */
  readonly env?: (service: StandIn) => Environment;
}

/** The variables that point a stack to a stand-in. */
export function credentials(service: StandIn): Environment {
  return { APIKEYS_BASE_URL: service.url, APIKEYS_ACCESS_TOKEN: service.accessToken };
}

/** The same, in processes that don't wait as long as a service may take to show what it did. */
export function hurried(service: StandIn): Environment {
  return { ...credentials(service), ...quickTimers() };
}

/** Sets everything up that a test on the engine needs. Nothing is created in the stack yet. */
export async function setScene(name: string, options: SceneOptions = {}): Promise<Scene> {
  const { dialect, tenants, latencyMs, example, byCli, host, config, env = credentials } = options;
  const service = await startStandIn({
    ...(dialect === undefined ? {} : { dialect }),
    ...(tenants === undefined ? {} : { tenants }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
  });
  const project = await createProject(name, example === undefined ? {} : { example });
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
  return { service, project, stack: heard(stack, printed), printed, declare, close };
}

function heard(stack: EngineStack, printed: string[]): EngineStack {
  const hear =
    <Given extends unknown[]>(command: (...given: Given) => Promise<Outcome>) =>
    async (...given: Given) => {
      const outcome = await command(...given);
      if (!JSON.stringify(given).includes("--show-secrets")) printed.push(...told(outcome));
      return outcome;
    };
  const { up, preview, previewRefresh, refresh, destroy, run } = stack;
  return {
    ...stack,
    up: hear(up),
    preview: hear(preview),
    previewRefresh: hear(previewRefresh),
    refresh: hear(refresh),
    destroy: hear(destroy),
    import: hear(stack.import),
    run: hear(run),
  };
}
