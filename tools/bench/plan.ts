import { parseArgs } from "node:util";
import type { Contender } from "./contender";
import { besides, contenders } from "./contenders";
import { type Step, steps } from "./steps";

/** Keys, and how often everything is measured with so many. */
export interface Size {
  readonly count: number;
  readonly rounds: number;
}

export interface Plan {
  readonly sizes: readonly Size[];
  readonly contenders: readonly Contender[];
  readonly steps: readonly Step[];
  readonly writeDocs: boolean;
  /** The JSON file. */
  readonly out: string | undefined;
}

const whole: readonly Size[] = [
  { count: 10, rounds: 5 },
  { count: 200, rounds: 5 },
  { count: 1_000, rounds: 3 },
  { count: 5_000, rounds: 1 },
];
const quick: readonly Size[] = [
  { count: 10, rounds: 3 },
  { count: 50, rounds: 2 },
];

/** What the command line asks for. */
export function planOf(args: readonly string[]): Plan {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      "write-docs": { type: "boolean", default: false },
      ...{ sizes: text, rounds: text, only: text, steps: text, out: text, beside: text },
    },
  });
  const usual = values.quick ? quick : whole;
  const rounds = values.rounds === undefined ? undefined : positive("rounds", values.rounds);
  const sizes = listed(values.sizes)?.map((size) => {
    const count = positive("sizes", size);
    return { count, rounds: whole.find((one) => one.count === count)?.rounds ?? 1 };
  });
  const all = values.beside === undefined ? contenders : besides(values.beside);
  return {
    sizes: (sizes ?? usual).map((size) => ({ ...size, rounds: rounds ?? size.rounds })),
    contenders: contendersAmong(all, values.only),
    steps: among("steps", steps, values.steps),
    writeDocs: values["write-docs"],
    out: values.out,
  };
}

function listed(value: string | undefined): readonly string[] | undefined {
  return value?.split(",").map((each) => each.trim());
}

function positive(option: string, value: string): number {
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`--${option} takes whole numbers above 0, not ${value}`);
  return Number(value);
}

function among<Name extends string>(
  option: string,
  known: readonly Name[],
  value: string | undefined,
): readonly Name[] {
  const named = listed(value);
  const strange = named?.find((name) => !known.includes(name as Name));
  if (strange !== undefined) throw new Error(`--${option} takes some of ${known.join(",")}, not ${strange}`);
  return known.filter((name) => named === undefined || named.includes(name));
}

function contendersAmong(all: readonly Contender[], value: string | undefined): readonly Contender[] {
  const ids = among(
    "only",
    all.map(({ id }) => id),
    value,
  );
  return all.filter(({ id }) => ids.includes(id));
}
