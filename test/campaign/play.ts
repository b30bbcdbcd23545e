import { isDeepStrictEqual } from "node:util";
import type { StartActor } from "./actor";
import { openControl } from "./control";
import { destroy, preview, refresh, up } from "./engineModel";
import type { Program, Schedule, Trouble } from "./schedule";
import type { Site } from "./site";
import { openStage, type Stage } from "./stage";
import type { CommandName, CommandRecord, StackState, Trace } from "./trace";

/** As a pipeline does after a failure, with nobody looking. */
const repetitions = 3;

/** Runs a schedule from its first up to its last destroy. */
export async function play(schedule: Schedule, start: StartActor, ledAstray: () => number): Promise<Trace> {
  const stage = await openStage(schedule);
  try {
    const run = openRun(schedule, start, stage);
    for (const [n, step] of schedule.steps.entries()) {
      for (const drift of step.drifts) run.drift(drift);
      const names = ({ up: ["up"], refresh: ["refresh"], upRefresh: ["refresh", "up"] } as const)[
        step.command
      ];
      await run.stubbornly(n, names, "up", step.program, step);
    }
    const last = schedule.steps.at(-1)?.program ?? [];
    const converged = await run.settle(schedule.steps.length, last);
    await run.stubbornly(schedule.steps.length, ["destroy"], "destroy", last, schedule.ending);
    if (!run.isEmpty()) await run.command(schedule.steps.length, "destroy", last, 0);
    const { standIn, accessToken, made } = stage;
    return {
      schedule,
      commands: run.commands,
      made,
      requests: [...standIn.requests],
      live: stage.liveKeys(),
      billings: standIn.billings(),
      ledAstray: ledAstray(),
      secrets: [accessToken, ...existingKeys(schedule)],
      converged,
    };
  } finally {
    await stage.standIn.close();
  }
}

function existingKeys({ steps }: Schedule): readonly string[] {
  const declared = steps.flatMap(({ program }) => program.map(({ inputs }) => inputs["existingKey"]));
  return [...new Set(declared.filter((value) => typeof value === "string"))];
}

function openRun({ parallel }: Schedule, start: StartActor, stage: Stage) {
  const { standIn, accessToken } = stage;
  const commands: CommandRecord[] = [];
  const drifted = new Set<string>();
  let state: StackState = { entries: [], pending: [] };

  /** One command in a process of its own. */
  async function command(
    step: number,
    name: CommandName,
    program: Program,
    repetition: number,
    trouble?: Trouble,
  ): Promise<CommandRecord> {
    const actor = await start({ url: standIn.url, accessToken });
    const control = openControl();
    let interruption: CommandRecord["interruption"];
    let heard = Number.POSITIVE_INFINITY;
    let ending: Promise<void> | undefined;
    if (trouble !== undefined) {
      await stage.trouble(trouble, ({ kind }) => {
        interruption = kind;
        if (kind === "hostKilled") ending = actor.kill();
        else if (kind === "ctrlC") control.cancel();
        else control.drop();
        if (kind === "twoCtrlC") actor.interrupt();
        if (kind !== "engineKilled") return;
        actor.desert();
        heard = actor.warnings().length;
      });
    }
    const site: Site = {
      actor,
      control,
      parallel,
      requests: () => standIn.requests.length,
      alive: stage.alive,
    };
    const { green, after, operations } = await {
      up: () => up(site, state, program),
      refresh: () => refresh(site, state),
      destroy: () => destroy(site, state),
    }[name]();
    await control.rest();
    await ending;
    await actor.stop();
    state = after;
    const warnings = actor.warnings();
    const record: CommandRecord = {
      ...{ name, step, repetition, program, interruption, green, operations, after },
      live: stage.liveKeys(),
      drifted: new Set(drifted),
      told: warnings.slice(0, heard),
      untold: `${warnings.slice(heard)}\n${actor.debug()}`,
    };
    commands.push(record);
    if (name === "refresh" && green) drifted.clear();
    return record;
  }

  return {
    commands,
    command,
    isEmpty: () => state.entries.length === 0,
    drift(drift: Schedule["steps"][number]["drifts"][number]): void {
      stage.drift(drift, state.entries);
      drifted.add(drift.kind === "editWorkspace" ? "settings" : drift.resource);
    },
    /** The commands of a step; what fails is repeated. What goes wrong may outlast the first. */
    async stubbornly(
      step: number,
      names: readonly CommandName[],
      again: CommandName,
      program: Program,
      trouble: Trouble,
    ): Promise<void> {
      let green = true;
      for (const [n, name] of names.entries()) {
        green &&= (await command(step, name, program, 0, n === 0 ? trouble : undefined)).green;
      }
      for (let repetition = 1; !green && repetition <= repetitions; repetition += 1) {
        if ((trouble.outage?.repetitions ?? 0) < repetition) await stage.restore();
        await command(step, again, program, repetition);
      }
      await stage.calm();
    },
    /** Whether up comes to an end at which refresh and preview are quiet, now that nothing goes wrong. */
    async settle(step: number, program: Program): Promise<boolean> {
      for (let repetition = 0; repetition <= repetitions; repetition += 1) {
        const { green } = await command(step, "up", program, repetition);
        const before = state;
        const looked = await command(step, "refresh", program, repetition);
        if (green && looked.green && isQuiet(before, state)) {
          const actor = await start({ url: standIn.url, accessToken });
          const site = { actor, control: openControl(), parallel, requests: () => 0, alive: stage.alive };
          const changed = await preview(site, state, program);
          await actor.stop();
          if (changed.length === 0) return true;
        }
      }
      return false;
    },
  };
}

/** Whether a refresh showed nothing. */
function isQuiet(before: StackState, after: StackState): boolean {
  const shown = ({ entries }: StackState) =>
    entries.map(({ name, id, inputs, doomed }) => ({ name, id, inputs, doomed }));
  return isDeepStrictEqual(shown(before), shown(after));
}
