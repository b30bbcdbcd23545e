import type { Session } from "./definition";

/** A service may carry out a write, or show it, a little later. These pauses between two reads take 8.1 s in all. */
export const pausesMs: readonly number[] = [300, 600, 1_200, 2_400, 3_600];

interface Polling<T> {
  /** Completes the progress line "Waiting for …": "key key_1 to be deleted". */
  readonly waitingFor: string;
  readonly look: () => Promise<T>;
  readonly isDone: (seen: T) => boolean;
  readonly pauses?: readonly number[];
}

/** Looks now, and after each pause until it is done. Returns what it saw last, done or not. */
export async function pollUntil<T>(
  session: Pick<Session, "pause" | "over" | "tell">,
  { waitingFor, look, isDone, pauses = pausesMs }: Polling<T>,
): Promise<T> {
  let seen = await look();
  for (const [index, ms] of pauses.entries()) {
    if (isDone(seen) || session.over.aborted) break;
    if (index === 1) session.tell(`Waiting for ${waitingFor}.`);
    await session.pause(ms);
    seen = await look();
  }
  return seen;
}

/** Waits, or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resume, ms);
    function resume(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", resume);
      resolve();
    }
    if (signal.aborted) resume();
    else signal.addEventListener("abort", resume);
  });
}
