import type { LoggedRequest, StoredKey, StoredWorkspace } from "../../standin";
import type { InterruptionKind, StartActor } from "./actor";
import { type Command, destroy, preview, refresh, type State, up } from "./engine";
import { declaredKeys, heldKeys } from "./heldKeys";
import type { Declared, Program } from "./program";
import type { Schedule, Trouble } from "./schedule";
import { type MadeKey, openStage, type Stage } from "./stage";

/** The record of a run of a schedule: all that is judged afterwards. */
export interface Trace {
  readonly schedule: Schedule;
  readonly commands: readonly CommandRecord[];
  readonly made: readonly MadeKey[];
  readonly requests: readonly LoggedRequest[];
  /** Secrets besides those of the keys made. */
  readonly secrets: readonly string[];
  /** Whether what was declared last holds once nothing goes wrong any more. */
  readonly converged: boolean;
}

/** One command of the engine. */
export interface CommandRecord extends Order, Ran {
  /** Which step of the schedule it belongs to, and the how-manieth repetition of it this is. */
  readonly step: number;
  readonly repetition: number;
  /** The state that it found. */
  readonly before: State;
  /** The requests of the service's log from the command's begin to its end: (from, until]. */
  readonly from: number;
  readonly until: number;
  /** The keys that lived in the service when it began and when it ended. */
  readonly liveBefore: readonly StoredKey[];
  readonly live: readonly StoredKey[];
  /** The workspace when it began. */
  readonly workspaceBefore: StoredWorkspace | undefined;
  /** The time on its clock. */
  readonly now: number;
  /** Keys that somebody else changed since the stack last looked at them, by their ids. */
  readonly drifted: ReadonlySet<string>;
}

/** A command as it is given to the engine. */
interface Order {
  readonly name: "up" | "refresh" | "destroy";
  readonly program: Program;
}

/** The result of a command. */
interface Ran extends Command {
  readonly interruption: InterruptionKind | undefined;
  /** Messages to the user besides the operations' errors. */
  readonly told: string;
  /** Output that nobody reads, or only users who ask for it. */
  readonly untold: string;
}

/** How often a pipeline repeats a failed command, with nobody looking. */
const repetitions = 3;
const dayMs = 86_400_000;

/** Runs a schedule from its first up to its last destroy. */
export async function play(schedule: Schedule, start: StartActor): Promise<Trace> {
  const stage = await openStage(schedule, start);
  const { standIn, accessToken, made } = stage;
  const commands: CommandRecord[] = [];
  const drifted = new Set<string>();
  const written = openIds();
  let state: State = [];
  let days = 0;
  let latest = 0;

  async function command(
    order: Order,
    step: number,
    repetition: number,
    trouble?: Trouble,
  ): Promise<boolean> {
    const { name } = order;
    const [before, liveBefore, from] = [state, stage.liveKeys(), standIn.requests.length];
    const [workspaceBefore] = standIn.workspaces();
    const program = written(order.program, before);
    const aheadMs = days * dayMs;
    const now = Date.now() + aheadMs;
    const ran = await run({ stage, aheadMs }, { name, program }, before, trouble);
    state = ran.state;
    await standIn.settled();
    const [live, until] = [stage.liveKeys(), standIn.requests.length];
    const where = { step, repetition, before, from, until, liveBefore, live, workspaceBefore, now };
    commands.push({ name, program, ...where, drifted: new Set(drifted), ...ran });
    if (name === "refresh" && ran.green) drifted.clear();
    return ran.green;
  }

  /** A command that is repeated if it fails, a refresh as an update. What goes wrong may outlast the first. */
  async function stubbornly(step: number, order: Order, trouble: Trouble) {
    const green = await command(order, step, 0, trouble);
    const again: Order = order.name === "refresh" ? { ...order, name: "up" } : order;
    for (let repetition = 1; !green && repetition <= repetitions; repetition += 1) {
      if ((trouble.outage?.repetitions ?? 0) < repetition) await stage.restore();
      // As the error says: `pulumi up --refresh`.
      const messages = commands.at(-1)?.operations.map(({ message }) => message) ?? [];
      if (messages.some((message) => message.includes("rights were changed outside Pulumi")))
        await command({ ...order, name: "refresh" }, step, repetition);
      await command(again, step, repetition);
    }
    await stage.calm();
  }

  /** Whether up comes to an end at which nothing is left to do, also after a refresh, now that nothing goes wrong. */
  async function settle(step: number, program: Program): Promise<boolean> {
    for (let repetition = 0; repetition <= repetitions; repetition += 1) {
      const green = await command({ name: "up", program }, step, repetition);
      if (!(await command({ name: "refresh", program }, step, repetition)) || !green) continue;
      const { result } = await stage.acting(days * dayMs, (site) => {
        return preview(site, state, written(program, state));
      });
      if (result.green && result.changes === 0) return true;
    }
    return false;
  }

  try {
    for (const [n, one] of schedule.steps.entries()) {
      const { days: passed, drifts, command: name, program, ...trouble } = one;
      days += passed;
      latest = Math.max(latest, days);
      for (const drift of drifts) {
        const id = stage.drift(drift, state);
        if (id !== undefined) drifted.add(id);
      }
      await stubbornly(n, { name, program }, trouble);
    }
    const [last, step] = [schedule.steps.at(-1)?.program ?? [], schedule.steps.length];
    // No overlap of a rotating key lasts longer, and no clock stays behind.
    days = latest + 10;
    const converged = await settle(step, last);
    const ending: Order = { name: "destroy", program: last };
    await stubbornly(step, ending, schedule.ending);
    if (state.length > 0) await command(ending, step, 0);
    const secrets = [accessToken, ...existingKeys(schedule)];
    return { schedule, commands, made, requests: [...standIn.requests], secrets, converged };
  } finally {
    await standIn.close();
  }
}

function existingKeys({ steps }: Schedule): readonly string[] {
  const declared = steps.flatMap(({ program }) => program.flatMap(declaredKeys));
  return declared.flatMap(({ inputs }) => (inputs["existingKey"] as string | undefined) ?? []);
}

/** Acts like a user who writes the id of another resource's key into the program. */
function openIds() {
  let found: { readonly existingId: string; readonly customerId: unknown } | undefined;
  return (program: Program, state: State): Program =>
    program.flatMap((declared): Program => {
      const { kind, inputs, shares } = declared;
      if (shares === undefined) return [declared];
      const held = state.filter(({ doomed }) => !doomed).flatMap(heldKeys);
      const { id, inputs: theirs } = held.find(({ place }) => place === shares.place) ?? {};
      if (id !== undefined && theirs !== undefined)
        found ??= { existingId: id, customerId: theirs["customerId"] };
      // Without it while its id is not known yet.
      if (found === undefined) return [];
      const { workspaceId, ...own } = inputs;
      const key = { ...own, ...(shares.adopts ? found : { customerId: found.customerId }) };
      const all = kind === "ApiKeySet" ? { keys: { shared: key } } : key;
      return [{ ...declared, inputs: { workspaceId, ...all } } satisfies Declared];
    });
}

async function run(
  { stage, aheadMs }: { readonly stage: Stage; readonly aheadMs: number },
  { name, program }: Order,
  before: State,
  trouble?: Trouble,
): Promise<Ran> {
  // Elsewhere, previews show nothing that the update doesn't.
  if (name === "up" && program.some(({ shares }) => shares !== undefined)) {
    const { result } = await stage.acting(aheadMs, (site) => preview(site, before, program));
    if (!result.green) return { ...result, interruption: undefined, told: "", untold: "" };
  }
  let interruption: InterruptionKind | undefined;
  let heard = Number.POSITIVE_INFINITY;
  let ending: Promise<void> | undefined;
  const { actor, result } = await stage.acting(aheadMs, async (site) => {
    const interrupt = (kind: InterruptionKind) => {
      interruption = kind;
      if (kind !== "hostKilled") site.control.cancel(kind !== "ctrlC");
      // It may have ended in the meantime.
      ending = site.actor.interrupt(kind).catch(() => {});
      if (kind === "engineKilled") heard = site.actor.warnings().length;
    };
    if (trouble !== undefined) await stage.trouble(trouble, interrupt);
    const ran = await {
      up: () => up(site, before, program),
      refresh: () => refresh(site, before),
      destroy: () => destroy(site, before),
    }[name]();
    await site.control.rest();
    await ending;
    return ran;
  });
  const ended = stage.standIn.requests.length;
  if (interruption !== undefined) await stage.abandoned();
  // A request of a process that was ended may arrive afterwards: it belongs to the command that was running.
  for (const operation of result.operations) {
    if (operation.until === ended) operation.until = stage.standIn.requests.length;
  }
  const warnings = actor.warnings();
  const untold = `${warnings.slice(heard)}\n${actor.debug()}`;
  return { ...result, interruption, told: warnings.slice(0, heard), untold };
}
