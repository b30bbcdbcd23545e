import { isDeepStrictEqual } from "node:util";
import type { Engine, OpenEngine, Order, Ran } from "./engine";
import { declaredKeys, heldKeys, idsIn, meant } from "./heldKeys";
import type { Declared, Program, Properties, Schedule, Step, Trouble } from "./schedule";
import { openStage, type Stage } from "./stage";
import type { CommandRecord, StackState, Trace } from "./trace";

/** As a pipeline does after a failure, with nobody looking. */
const repetitions = 3;

/** Runs a schedule from its first up to its last destroy. */
export async function play(schedule: Schedule, open: OpenEngine, ledAstray: () => number): Promise<Trace> {
  const stage = await openStage(schedule);
  let engine: Engine | undefined;
  try {
    engine = await open(schedule, stage);
    const run = openRun(engine, stage);
    for (const [n, step] of schedule.steps.entries()) {
      stage.passDays(step.days);
      for (const drift of step.drifts) run.drift(drift);
      const orders = ordersOf(step, engine.refreshesWithUp);
      await run.stubbornly(n, orders, { name: "up", program: step.program }, step);
    }
    const last = schedule.steps.at(-1)?.program ?? [];
    // No overlap of a rotating key lasts longer.
    stage.passDays(schedule.steps.reduce((days, step) => Math.max(0, days - step.days), 0) + 10);
    const converged = await run.settle(schedule.steps.length, last);
    const destroy: Order = { name: "destroy", program: last };
    await run.stubbornly(schedule.steps.length, [destroy], destroy, schedule.ending);
    if (!run.isEmpty()) await run.command(schedule.steps.length, destroy, 0);
    const { standIn, accessToken, made } = stage;
    return {
      schedule,
      interruptsAtOnce: engine.interruptsAtOnce,
      closesOnCancel: engine.closesOnCancel,
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
    await engine?.close();
    await stage.standIn.close();
  }
}

function ordersOf({ command, program }: Step, refreshesWithUp: boolean): readonly Order[] {
  if (command !== "upRefresh") return [{ name: command, program }];
  if (refreshesWithUp) return [{ name: "up", program, refreshes: true }];
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
  let state: StackState = { entries: [], pending: [] };
  const written = openIds();

  async function command(
    step: number,
    order: Order,
    repetition: number,
    trouble?: Trouble,
  ): Promise<CommandRecord> {
    const from = stage.standIn.requests.length;
    const liveBefore = stage.liveKeys();
    const { name, refreshes } = order;
    const program = written(order.program, state);
    const before = state;
    const ran = await cutOff(await engine.run({ ...order, program }, before, trouble));
    state = ran.after;
    for (const id of heldTwice(program, before)) drifted.add(id);
    if (refreshes && ran.green) drifted.clear();
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
    drift(drift: Schedule["steps"][number]["drifts"][number]): void {
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
    const { id, inputs: theirs } = held.find(({ place }) => place === shares.place) ?? {};
    const found =
      known.get(name) ?? (id && theirs ? { existingId: id, customerId: theirs["customerId"] } : undefined);
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
