import { loadProgram } from "../engine/loadProgram";
import { createProject, type Project } from "../engine/project";
import { createStack, type EngineStack } from "../engine/stack";
import { restoreCheckpoint } from "./checkpoint";
import type { Engine, OpenEngine, Order } from "./engine";
import { operationsOf } from "./engineRecords";
import { openlyShown, stateOf } from "./exported";
import { quickTime } from "./quickTime";
import type { InterruptionKind, Program, Schedule } from "./schedule";
import { cutShort } from "./signals";
import type { Stage } from "./stage";

/** No command takes so long, however busy the machine. */
const hangMs = 300_000;

/** What the engine runs the resources in. */
export type EngineHost = "dynamic" | "plugin";

/** The real CLI on the packed package, in a project of the schedule's own. */
export function inEngine(host: EngineHost): OpenEngine {
  return async (schedule, stage) => {
    const { standIn, accessToken } = stage;
    const project = await createProject(`campaign-${schedule.seed}`);
    if (host === "plugin") await project.setHost(host);
    const stack = await createStack(project, {
      program: loadProgram(project.dir),
      env: { APIKEYS_BASE_URL: standIn.url, APIKEYS_ACCESS_TOKEN: accessToken, ...quickTime() },
    });
    const declare = (program: Program) => project.write("index.ts", programText(program));
    return {
      refreshesWithUp: true,
      interruptsAtOnce: false,
      closesOnCancel: host === "plugin",
      run: runIn(stack, project, declare, schedule, stage),
      async isSettled(program) {
        await declare(program);
        const preview = await stack.preview();
        return preview.ok && preview.steps.every(({ op }) => op === "same");
      },
      close: () => project.remove(),
    };
  };
}

function programText(program: Program): string {
  const resources = program.map(({ kind, name, inputs }) => {
    return `new apikeys.${kind}(${JSON.stringify(name)}, ${JSON.stringify(inputs)});`;
  });
  return ['import * as apikeys from "pulumi-apikeys";', ...resources, "export {};", ""].join("\n");
}

function runIn(
  stack: EngineStack,
  project: Project,
  declare: (program: Program) => Promise<void>,
  { parallel }: Schedule,
  stage: Stage,
): Engine["run"] {
  const { standIn, trouble: begin, living } = stage;
  return async (order, before, trouble) => {
    await declare(order.program);
    for (const [variable, value] of Object.entries(quickTime(stage.aheadMs))) stack.setEnv(variable, value);
    const from = standIn.requests.length;
    const began = Date.now();
    let pid = 0;
    let printed = "";
    let ended = false;
    let interruption: InterruptionKind | undefined;
    let cut: Promise<void> | undefined;
    const hear = (text: string) => {
      printed += text;
    };
    if (trouble !== undefined) {
      await begin(trouble, ({ kind }) => {
        interruption = kind;
        cut = cutShort(kind, { pid, printed: () => printed, hasEnded: () => ended });
        // It may fail before the command ends, which is when it is waited for.
        cut.catch(() => {});
      });
    }
    const patience = setTimeout(() => process.kill(pid, "SIGKILL"), hangMs);
    const outcome = await act(stack, order, {
      ...(parallel ? {} : { parallel: 1 }),
      onStart: (started: number) => {
        pid = started;
      },
      ...{ onOutput: hear, onError: hear },
    });
    ended = true;
    if (Date.now() - began >= hangMs) throw new Error(`${order.name} does not end:\n${printed}`);
    clearTimeout(patience);
    await cut;
    let checkpointLost = false;
    if (interruption === "engineKilled") {
      checkpointLost = await restoreCheckpoint(project);
      const freed = await stack.run(["cancel", "--yes"]);
      if (!freed.ok && !/no update|not currently|lock/i.test(freed.output)) throw new Error(freed.output);
    }
    const deployment = await stack.exportState({ showSecrets: true });
    const after = stateOf(deployment);
    const { requests } = standIn;
    return {
      ...{ interruption, checkpointLost, green: outcome.ok, after },
      operations: operationsOf({ order, outcome, before, after, checkpointLost, requests, from, living }),
      told: outcome.output,
      untold: openlyShown(deployment),
    };
  };
}

function act(stack: EngineStack, { name, refreshes }: Order, options: Parameters<EngineStack["refresh"]>[0]) {
  if (name === "refresh") return stack.refresh(options);
  if (name === "destroy") return stack.destroy(options);
  return stack.up({ ...options, ...(refreshes ? { refresh: true } : {}) });
}
