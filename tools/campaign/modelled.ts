import type { StartActor } from "./actor";
import { onItsWayMs } from "./cancelFindings";
import { openControl } from "./control";
import type { OpenEngine } from "./engine";
import { destroy, preview, refresh, refusal, up } from "./engineModel";
import type { Program } from "./schedule";
import type { Site } from "./site";
import type { CommandRecord, StackState } from "./trace";

/** What a plugin begins on an answer after Ctrl-C can't be taken for what was on its way. */
const afterCancelMs = 2 * onItsWayMs;

const usual = { inProcess: false, closesOnCancel: false };

/** Elsewhere, previews show nothing that the update doesn't. */
function isShared(program: Program): boolean {
  return program.some(({ shares }) => shares !== undefined);
}

/** The model of the engine, with a process of the provider for each command. */
export function modelled(start: StartActor, options: Partial<typeof usual> = {}): OpenEngine {
  const { inProcess, closesOnCancel } = { ...usual, ...options };
  return async ({ parallel, seed }, stage) => {
    const { standIn, accessToken, living, trouble: begin } = stage;
    const startActor = () =>
      start({ url: standIn.url, accessToken, aheadMs: stage.aheadMs, tellsNames: seed % 2 === 0 });
    const previewed = async (program: Program, state: StackState) => {
      const actor = await startActor();
      const requests = () => standIn.requests.length;
      const refused = await refusal(
        { actor, control: openControl(), parallel, requests, living },
        state,
        program,
      );
      await actor.stop();
      return refused;
    };
    return {
      refreshesWithUp: false,
      interruptsAtOnce: inProcess,
      closesOnCancel,
      async run({ name, program }, before, trouble) {
        const refused = name === "up" && isShared(program) ? await previewed(program, before) : undefined;
        if (refused !== undefined) return { ...refused, interruption: undefined, told: "", untold: "" };
        const actor = await startActor();
        const control = openControl();
        let interruption: CommandRecord["interruption"];
        let heard = Number.POSITIVE_INFINITY;
        let ending: Promise<void> | undefined;
        let closedAt: number | undefined;
        if (trouble !== undefined) {
          await begin(trouble, ({ kind }) => {
            interruption = kind;
            if (kind === "hostKilled") ending = actor.kill();
            else if (kind === "ctrlC") {
              control.cancel();
              if (closesOnCancel) standIn.setLatency(afterCancelMs);
              const close = () => {
                closedAt = Date.now();
              };
              // It may have ended in the meantime.
              ending = actor.cancel().then(close, () => {});
            } else control.drop();
            if (kind === "twoCtrlC") actor.interrupt();
            if (kind !== "engineKilled") return;
            actor.desert();
            heard = actor.warnings().length;
          });
        }
        const site: Site = { actor, control, parallel, requests: () => standIn.requests.length, living };
        const { green, after, operations } = await {
          up: () => up(site, before, program),
          refresh: () => refresh(site, before),
          destroy: () => destroy(site, before),
        }[name]();
        await control.rest();
        await ending;
        standIn.setLatency(0);
        await actor.stop();
        const warnings = actor.warnings();
        return {
          ...{ interruption, closedAt, green, operations, after },
          told: warnings.slice(0, heard),
          untold: `${warnings.slice(heard)}\n${actor.debug()}`,
        };
      },
      async isSettled(program, state) {
        const actor = await startActor();
        const site: Site = { actor, control: openControl(), parallel, requests: () => 0, living };
        const changed = await preview(site, state, program);
        await actor.stop();
        return changed.length === 0;
      },
      close: async () => {},
    };
  };
}
