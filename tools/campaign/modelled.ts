import type { Actor, StartActor } from "./actor";
import { onItsWayMs } from "./cancelFindings";
import { openControl } from "./control";
import type { OpenEngine } from "./engine";
import { destroy, preview, refresh, up } from "./engineModel";
import type { Site } from "./site";
import type { CommandRecord } from "./trace";

/** What a plugin begins on an answer after Ctrl-C can't be taken for what was on its way. */
const afterCancelMs = 2 * onItsWayMs;

/** `isKept`: whether commands that follow each other without trouble share a process, though the engine starts new ones. */
const usual = { inProcess: false, closesOnCancel: false, isKept: false };

/** The model of the engine, with a process of the provider for each command. */
export function modelled(start: StartActor, options: Partial<typeof usual> = {}): OpenEngine {
  const { inProcess, closesOnCancel, isKept } = { ...usual, ...options };
  return async ({ parallel }, stage) => {
    const { standIn, accessToken, living, trouble: begin } = stage;
    let kept: Actor | undefined;
    let keptAt = 0;
    const startActor = async () => {
      const { aheadMs } = stage;
      if (keptAt !== aheadMs) {
        await kept?.stop();
        kept = undefined;
      }
      const actor = kept ?? (await start({ url: standIn.url, accessToken, aheadMs }));
      [kept, keptAt] = [undefined, aheadMs];
      return actor;
    };
    const leave = async (actor: Actor, troubled: boolean) => {
      if (isKept && !troubled) kept = actor;
      else await actor.stop();
    };
    return {
      refreshesWithUp: false,
      interruptsAtOnce: inProcess,
      closesOnCancel,
      async run({ name, program }, before, trouble) {
        const actor = await startActor();
        const earlier = { warnings: actor.warnings().length, debug: actor.debug().length };
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
        await leave(actor, trouble !== undefined || !green);
        const warnings = actor.warnings();
        return {
          ...{ interruption, closedAt, green, operations, after },
          told: warnings.slice(earlier.warnings, heard),
          untold: `${warnings.slice(heard)}\n${actor.debug().slice(earlier.debug)}`,
        };
      },
      async isSettled(program, state) {
        const actor = await startActor();
        const site: Site = { actor, control: openControl(), parallel, requests: () => 0, living };
        const changed = await preview(site, state, program);
        await leave(actor, false);
        return changed.length === 0;
      },
      close: async () => {
        await kept?.stop();
      },
    };
  };
}
