import { isDeepStrictEqual } from "node:util";
import type { Actor, StartActor } from "./actor";
import { destroy, openControl, preview, refresh, refusal, type Site, up } from "./engineModel";
import { declaredKeys, heldKeys, idsIn, meant } from "./heldKeys";
import { onItsWayMs } from "./judge";
import type { Declared, Drift, Program, Properties, Schedule, Step, Trouble } from "./schedule";
import { openStage, type Stage } from "./stage";
import type { CommandName, CommandRecord, StackState, Trace } from "./trace";

/** A command as it is given to the engine. */
interface Order {
  readonly name: CommandName;
  readonly program: Program;
}

/** What came of a command. */
type Ran = Pick<
  CommandRecord,
  "interruption" | "closedAt" | "green" | "operations" | "after" | "told" | "untold"
>;

/** What runs the commands. */
export interface Players {
  readonly start: StartActor;
  /** Whether an interruption reaches the provider amid the very request for which it was drawn. */
  readonly interruptsAtOnce: boolean;
  /** Whether the provider begins nothing new after one Ctrl-C, so that state then holds all that it made. */
  readonly closesOnCancel: boolean;
}

/** As a pipeline does after a failure, with nobody looking. */
const repetitions = 3;

/** Runs a schedule from its first up to its last destroy. */
export async function play(schedule: Schedule, players: Players, ledAstray: () => number): Promise<Trace> {
  const stage = await openStage(schedule);
  try {
    const run = openRun(openEngine(schedule, stage, players), stage);
    for (const [n, step] of schedule.steps.entries()) {
      stage.passDays(step.days);
      for (const drift of step.drifts) run.drift(drift);
      await run.stubbornly(n, ordersOf(step), { name: "up", program: step.program }, step);
    }
    const last = schedule.steps.at(-1)?.program ?? [];
    // No overlap of a rotating key lasts longer.
    stage.passDays(schedule.steps.reduce((days, step) => Math.max(0, days - step.days), 0) + 10);
    const converged = await run.settle(schedule.steps.length, last);
    const ending: Order = { name: "destroy", program: last };
    await run.stubbornly(schedule.steps.length, [ending], ending, schedule.ending);
    if (!run.isEmpty()) await run.command(schedule.steps.length, ending, 0);
    const { standIn, accessToken, made } = stage;
    return {
      schedule,
      interruptsAtOnce: players.interruptsAtOnce,
      closesOnCancel: players.closesOnCancel,
      commands: run.commands,
      made,
      requests: [...standIn.requests],
      live: stage.liveKeys(),
      ledAstray: ledAstray(),
      secrets: [accessToken, ...existingKeys(schedule)],
      converged,
    };
  } finally {
    await stage.standIn.close();
  }
}

function ordersOf({ command, program }: Step): readonly Order[] {
  if (command !== "upRefresh") return [{ name: command, program }];
  return [
    { name: "refresh", program },
    { name: "up", program },
  ];
}

function existingKeys({ steps }: Schedule): readonly string[] {
  const declared = steps
    .flatMap(({ program }) => program.flatMap(declaredKeys))
    .map(({ inputs }) => inputs["existingKey"]);
  return [...new Set(declared.filter((value) => typeof value === "string"))];
}

function openRun(engine: Engine, stage: Stage) {
  const commands: CommandRecord[] = [];
  const drifted = new Set<string>();
  let state: StackState = { entries: [] };
  const written = openIds();

  async function command(
    step: number,
    order: Order,
    repetition: number,
    trouble?: Trouble,
  ): Promise<CommandRecord> {
    const from = stage.standIn.requests.length;
    const liveBefore = stage.liveKeys();
    const { name } = order;
    const program = written(order.program, state);
    const before = state;
    const ran = await cutOff(await engine.run({ ...order, program }, before, trouble));
    state = ran.after;
    for (const id of heldTwice(program, before)) drifted.add(id);
    await stage.standIn.settled();
    const live = stage.liveKeys();
    const until = stage.standIn.requests.length;
    const when = { aheadMs: stage.aheadMs, from, until, liveBefore, live };
    const record = { name, step, repetition, program, ...when, drifted: new Set(drifted), ...ran };
    commands.push(record);
    if (name === "refresh" && ran.green) drifted.clear();
    return record;
  }

  /** What a process sent that was ended may arrive after it: it belongs to what was under way. */
  async function cutOff(ran: Ran): Promise<Ran> {
    if (ran.interruption === undefined) return ran;
    const { requests } = stage.standIn;
    const ended = requests.length;
    await stage.abandoned();
    const operations = ran.operations.map((operation) =>
      operation.until === ended ? { ...operation, until: requests.length } : operation,
    );
    return { ...ran, operations };
  }

  return {
    commands,
    command,
    isEmpty: () => state.entries.length === 0,
    drift(drift: Drift): void {
      const id = stage.drift(drift, state.entries);
      if (id !== undefined) drifted.add(id);
    },
    /** The commands of a step; what fails is repeated. What goes wrong may outlast the first. */
    async stubbornly(step: number, orders: readonly Order[], again: Order, trouble: Trouble): Promise<void> {
      let green = true;
      for (const [n, order] of orders.entries()) {
        green &&= (await command(step, order, 0, n === 0 ? trouble : undefined)).green;
      }
      for (let repetition = 1; !green && repetition <= repetitions; repetition += 1) {
        if ((trouble.outage?.repetitions ?? 0) < repetition) await stage.restore();
        await command(step, again, repetition);
      }
      await stage.calm();
    },
    /** Whether up comes to an end at which refresh and preview are quiet, now that nothing goes wrong. */
    async settle(step: number, program: Program): Promise<boolean> {
      for (let repetition = 0; repetition <= repetitions; repetition += 1) {
        const { green } = await command(step, { name: "up", program }, repetition);
        const before = state;
        const looked = await command(step, { name: "refresh", program }, repetition);
        const quiet = green && looked.green && isQuiet(before, state);
        if (quiet && (await engine.isSettled(written(program, state), state))) return true;
      }
      return false;
    },
  };
}

/** What a user does who writes the id of another resource's key into the program. */
function openIds() {
  const known = new Map<string, { readonly existingId: string; readonly customerId: unknown }>();
  const inputsOf = ({ name, kind, inputs, shares }: Declared, { entries }: StackState) => {
    if (shares === undefined) return inputs;
    const held = entries.filter(({ doomed }) => !doomed).flatMap(heldKeys);
    const { id, inputs: theirs = {} } = held.find(({ place }) => place === shares.place) ?? {};
    const { customerId } = theirs;
    const found = known.get(name) ?? (id && customerId ? { existingId: id, customerId } : undefined);
    if (found === undefined) return undefined;
    known.set(name, found);
    const given = shares.adopts ? found : { customerId: found.customerId };
    if (kind !== "ApiKeySet") return { ...inputs, ...given };
    const keys = Object.entries(inputs["keys"] as Readonly<Record<string, Properties>>);
    return {
      ...inputs,
      keys: Object.fromEntries(keys.map(([alias, entry]) => [alias, { ...entry, ...given }])),
    };
  };
  /** Without the resources whose id is not known yet. */
  return (program: Program, state: StackState): Program =>
    program.flatMap((declared) => {
      const inputs = inputsOf(declared, state);
      return inputs === undefined ? [] : [{ ...declared, inputs }];
    });
}

/** The keys in state that another resource declares: it may have changed them. */
function heldTwice(program: Program, { entries }: StackState): readonly string[] {
  const adopted = program.flatMap((one) =>
    declaredKeys(one).map(({ inputs }) => ({ name: one.name, id: inputs["existingId"] })),
  );
  return entries.flatMap((entry) =>
    idsIn(entry).filter((id) => adopted.some((one) => one.id === id && one.name !== entry.name)),
  );
}

/** Whether a refresh showed nothing. A set's inputs may be spelled otherwise: state tells how they were at its last update. */
function isQuiet(before: StackState, after: StackState): boolean {
  const shown = ({ entries }: StackState) =>
    entries.map((entry) => ({
      name: entry.name,
      ids: idsIn(entry),
      inputs: meant(entry),
      doomed: entry.doomed,
    }));
  return isDeepStrictEqual(shown(before), shown(after));
}

type Engine = ReturnType<typeof openEngine>;

/** What a plugin begins on an answer after Ctrl-C can't be taken for what was on its way. */
const afterCancelMs = 2 * onItsWayMs;

/** The model of the engine, with a process of the provider for each command. */
function openEngine({ parallel, seed }: Schedule, stage: Stage, { start, closesOnCancel }: Players) {
  const { standIn, accessToken, living } = stage;
  const acting = async <T>(act: (site: Site) => Promise<T>): Promise<T & { readonly actor: Actor }> => {
    const { aheadMs } = stage;
    const actor = await start({ url: standIn.url, accessToken, aheadMs, tellsNames: seed % 2 === 0 });
    const requests = () => standIn.requests.length;
    const result = await act({ actor, control: openControl(), parallel, requests, living });
    await actor.stop();
    return { ...result, actor };
  };
  return {
    /** `before` is what the last command left. */
    async run({ name, program }: Order, before: StackState, trouble: Trouble | undefined): Promise<Ran> {
      // Elsewhere, previews show nothing that the update doesn't.
      if (name === "up" && program.some(({ shares }) => shares !== undefined)) {
        const refused = await acting(async (site) => ({ up: await refusal(site, before, program) }));
        if (refused.up !== undefined) return { ...refused.up, interruption: undefined, told: "", untold: "" };
      }
      const ran = await acting(async (site) => {
        const interruption = await openInterruption(site, trouble);
        const command = await {
          up: () => up(site, before, program),
          refresh: () => refresh(site, before),
          destroy: () => destroy(site, before),
        }[name]();
        await site.control.rest();
        return { ...command, ...(await interruption.ended()) };
      });
      const { actor, heard, ...rest } = ran;
      const warnings = actor.warnings();
      return {
        ...rest,
        told: warnings.slice(0, heard),
        untold: `${warnings.slice(heard)}\n${actor.debug()}`,
      };
    },
    /** Whether an up would have nothing to do. */
    async isSettled(program: Program, state: StackState): Promise<boolean> {
      const { changes } = await acting(async (site) => ({ changes: await preview(site, state, program) }));
      return changes.length === 0;
    },
  };

  /** Lets things go wrong in a command, of which one may be that it is interrupted. */
  async function openInterruption({ actor, control }: Site, trouble: Trouble | undefined) {
    let interruption: CommandRecord["interruption"];
    let heard = Number.POSITIVE_INFINITY;
    let ending: Promise<void> | undefined;
    let closedAt: number | undefined;
    const interrupt = () => {
      switch (interruption) {
        case "hostKilled":
          ending = actor.kill();
          return;
        case "ctrlC": {
          control.cancel();
          if (closesOnCancel) standIn.setLatency(afterCancelMs);
          const close = () => {
            closedAt = Date.now();
          };
          // It may have ended in the meantime.
          ending = actor.cancel().then(close, () => {});
          return;
        }
        case "twoCtrlC":
          control.drop();
          return actor.interrupt();
        default:
          control.drop();
          actor.desert();
          heard = actor.warnings().length;
      }
    };
    if (trouble !== undefined) {
      await stage.trouble(trouble, ({ kind }) => {
        interruption = kind;
        interrupt();
      });
    }
    return {
      /** What became of it, once the command has ended. */
      async ended() {
        await ending;
        standIn.setLatency(0);
        return { interruption, closedAt, heard };
      },
    };
  }
}
