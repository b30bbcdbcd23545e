import { packedPackage } from "../engine/packedPackage";
import type { EngineHost } from "./inEngine";
import { type SetTrial, tryOutSet } from "./setTrial";

/** How many keys a set is to get when its up is ended: all of them, or a part of them in every fifth trial. */
const whole = { adding: 300 };
const part = { before: 200, adding: 100 };

/** Ends the up of a set of keys in so many ways and moments. Whether nothing was found. */
export async function tryOutSets(host: EngineHost, first: number, trials: number): Promise<boolean> {
  if (trials === 0) return true;
  await packedPackage();
  const began = Date.now();
  const all: SetTrial[] = [];
  for (const [place, options] of plan(trials).entries()) {
    const trial = await tryOutSet(first + place, { ...options, host });
    all.push(trial);
    console.log(line(trial));
    for (const finding of trial.findings) console.log(`  ${finding}`);
  }
  const sum = (of: (trial: SetTrial) => number) => all.reduce((total, trial) => total + of(trial), 0);
  const seconds = Math.round((Date.now() - began) / 1_000);
  const title = host === "plugin" ? "Sets of keys in the plugin" : "Sets of keys";
  console.log(
    `\n${title}, ${all.length} ups ended, ${seconds} s: ${sum(({ live }) => live)} keys lived then, ${sum(({ unheld }) => unheld)} of them not in state; ${sum(({ orphans }) => orphans)} stayed behind, ${sum(({ told }) => told)} of them told by their ids; ${sum(({ findings }) => findings.length)} findings`,
  );
  return sum(({ findings }) => findings.length) === 0;
}

/** First each ending amid a create as often as the number allows, then each once amid an update that adds keys. */
function plan(trials: number) {
  const parts = Math.floor(trials / 5);
  return Array.from({ length: trials }, (_, place) => (place < trials - parts ? whole : part));
}

function line({
  seed,
  ending,
  checkpointLost,
  secondsToEnd,
  before,
  adding,
  at,
  live,
  unheld,
  orphans,
  told,
}: SetTrial): string {
  const what = before === 0 ? `create of ${adding}` : `${adding} added to ${before}`;
  const lost = checkpointLost ? ", and the engine's checkpoint was lost" : "";
  return `seed ${seed}: ${what}, ${ending} as create ${at}${lost}: ended after ${secondsToEnd.toFixed(1)} s; ${live} live, ${unheld} not in state; left ${orphans}, told ${told}`;
}
