import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Figures } from "../../tools/bench/report";
import { execute } from "../../tools/engine/command";
import { checkout, makeWorkFolder, type WorkFolder } from "../../tools/engine/project";

const count = 3;
const all = ["ours", "plugin", "apiKeySet", "pluginSet", "taught"] as const;
type Id = (typeof all)[number];

interface Found {
  readonly medians: readonly {
    readonly contender: Id;
    readonly rounds: number;
    readonly figures: Readonly<Record<"up" | "update" | "destroy", Figures>>;
  }[];
}

let folder: WorkFolder;
let printed: string;
let found: Found;
beforeAll(async () => {
  folder = await makeWorkFolder("bench", "smoke");
  const out = join(folder.path, "bench.json");
  const tsx = join(checkout, "node_modules", "tsx", "dist", "cli.mjs");
  const wanted = ["--sizes", `${count}`, "--rounds", "1", "--steps", "up,update,destroy"];
  const args = ["--tsconfig", "tsconfig.build.json", "tools/bench/run.ts", ...wanted, "--out", out];
  const result = await execute(process.execPath, [tsx, ...args], { cwd: checkout });
  expect(result, result.output).toMatchObject({ code: 0 });
  printed = result.stdout;
  found = JSON.parse(await readFile(out, "utf8"));
}, 180_000);
afterAll(() => folder?.remove());

function figures(id: Id): Found["medians"][number]["figures"] {
  const one = found.medians.find(({ contender }) => contender === id);
  if (one === undefined) throw new Error(`${id} was not measured`);
  return one.figures;
}

it("the bench measures every contender in one round, and prints a row of each", () => {
  expect(found.medians.map(({ contender, rounds }) => [contender, rounds])).toEqual(all.map((id) => [id, 1]));
  const rows = printed.split("\n").filter((line) => line.startsWith("| "));
  expect(rows[0]).toMatch(`| ${count} keys | first update | update of all | destroy |`);
  expect(rows).toHaveLength(2 + all.length);
});

it("the bench counts the requests of each contender", () => {
  const requests = (id: Id) => Object.values(figures(id)).flatMap((step) => step.requests ?? []);
  expect(requests("taught")).toEqual([count, count, count]);
  // An update reads first: many keys by one list and one GET. A create reads a list before the first POST.
  for (const id of ["apiKeySet", "pluginSet"] as const) {
    expect(requests(id)).toEqual([count + 1, count + 2, count]);
  }
  for (const id of ["ours", "plugin"] as const) expect(figures(id).destroy.requests).toBe(count);
});

it("the bench measures state: closures take the most, and dynamic resources more than the plugin", () => {
  const state = (id: Id) => figures(id).up.stateBytesAKey ?? 0;
  expect(state("ours")).toBeGreaterThan(500);
  expect(state("plugin")).toBeLessThan(state("ours"));
  expect(state("taught")).toBeGreaterThan(state("ours") + 2_000);
});
