import { describe, expect, it } from "vitest";
import type { Contender } from "../../tools/bench/contender";
import { contenders, dynamicHost } from "../../tools/bench/contenders";
import { figuresOfPage, withFigures } from "../../tools/bench/docs";
import { type Figures, median, mediansOf, type Round } from "../../tools/bench/figures";
import { declaredKeys, setOf } from "../../tools/bench/keys";
import { planOf } from "../../tools/bench/plan";
import { cpuIn, peakMiBIn, writtenIn } from "../../tools/bench/proc";
import { asJson, type Report } from "../../tools/bench/report";
import { orderOf } from "../../tools/bench/rounds";
import { type Step, steps } from "../../tools/bench/steps";
import { asMarkdown, asText, gridOf, thousands } from "../../tools/bench/table";
import { isHost } from "../../tools/bench/watch";

const figures = (seconds: number, more: Partial<Figures> = {}): Figures => ({
  seconds,
  requests: 10,
  serviceBusy: 0.25,
  ...{ cpuSeconds: undefined, hostPeakMiB: undefined, enginePeakMiB: undefined, writtenBytes: undefined },
  ...{ stateBytes: undefined, stateBytesAKey: undefined },
  ...more,
});

const rounds: readonly Round[] = [
  {
    contender: "ours",
    count: 10,
    round: 0,
    figures: { up: figures(3, { stateBytes: 20_000, stateBytesAKey: 2_000 }) },
  },
  { contender: "ours", count: 10, round: 1, figures: { up: figures(1, { stateBytes: 20_000 }) } },
  { contender: "ours", count: 10, round: 2, figures: { up: figures(2, { stateBytes: 26_000 }) } },
  { contender: "ours", count: 1_000, round: 0, figures: { up: figures(60, { requests: 1_234 }) } },
  { contender: "network-16", count: 10, round: 0, figures: { up: figures(0.05) } },
];

const report: Report = {
  machine: { cpu: "A <fast> one", cores: 2, memoryGiB: 4, system: "S", node: "1", pulumi: "2", sdk: "3" },
  latencyMs: 20,
  contenders: contenders.filter(({ id }) => id === "ours" || id === "network-16"),
  steps: ["up"],
  rounds,
};

describe("the bench's medians", () => {
  it("are the middle value, or the mean of the two middle values, in any order", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([10, 1, 2, 4])).toBe(3);
    expect(median([7])).toBe(7);
    expect(median([])).toBeUndefined();
  });

  it("are taken for each contender, number of keys, step and figure, over the rounds that have the figure", () => {
    const find = mediansOf(rounds);
    expect(find("ours", 10, "up", "seconds")).toBe(2);
    expect(find("ours", 10, "up", "stateBytes")).toBe(20_000);
    expect(find("ours", 1_000, "up", "seconds")).toBe(60);
    expect(find("ours", 10, "destroy", "seconds")).toBeUndefined();
    expect(find("network-16", 10, "up", "cpuSeconds")).toBeUndefined();
  });
});

describe("the bench's readings of /proc", () => {
  it("have the CPU time of a process and of its children, whatever the process is called", () => {
    const after = "S 1 2 3 0 -1 4194304 10 20 30 40 150 50 700 25 20 0 1 0 99 1 1";
    expect(cpuIn(`4711 (a) b) ${after}`)).toEqual({ own: 2, children: 7.25 });
  });

  it("have peak memory, if there is any, and bytes written", () => {
    expect(peakMiBIn("Name:\tnode\nVmPeak:\t 999999 kB\nVmHWM:\t   51200 kB\nVmRSS:\t 1 kB\n")).toBe(50);
    expect(peakMiBIn("Name:\tnode\nState:\tZ (zombie)\n")).toBeUndefined();
    const io = "rchar: 1\nwchar: 2\nread_bytes: 3\ncancelled_write_bytes: 5\nwrite_bytes: 4096\n";
    expect(writtenIn(io)).toBe(4_096);
  });
});

it("the bench recognizes the provider host's process, but not its shim, what the shim starts first, or the CLI", () => {
  const commands = [
    "node /p/node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js 127.0.0.1:1 ",
    "/bin/sh /p/bin/pulumi-resource-pulumi-nodejs 127.0.0.1:1 ",
    "node -e console.log(require.resolve('@pulumi/pulumi/cmd/dynamic-provider')) ",
    "/p/bin/pulumi --non-interactive up --yes --skip-preview ",
  ];
  expect(commands.map((args) => isHost(args, dynamicHost))).toEqual([true, false, false, false]);
});

describe("the bench's plan", () => {
  it("has 5 rounds with 10 and 200 keys, 3 with 1,000 and 1 with 5,000, unless options say otherwise", () => {
    expect(planOf([]).sizes).toEqual([
      { count: 10, rounds: 5 },
      { count: 200, rounds: 5 },
      { count: 1_000, rounds: 3 },
      { count: 5_000, rounds: 1 },
    ]);
    expect(planOf([])).toMatchObject({ writeDocs: false, only: contenders.map(({ id }) => id), steps });
    const own = planOf([
      "--sizes",
      "200,7",
      "--rounds",
      "2",
      "--only",
      "ours,plugin",
      "--steps",
      "destroy,up",
    ]);
    expect(own.sizes).toEqual([
      { count: 200, rounds: 2 },
      { count: 7, rounds: 2 },
    ]);
    expect(own).toMatchObject({ only: ["ours", "plugin"], steps: ["up", "destroy"] });
  });

  it("rejects invalid options", () => {
    expect(() => planOf(["--sizes", "0"])).toThrow("--sizes takes whole numbers above 0, not 0");
    expect(() => planOf(["--steps", "down"])).toThrow(`--steps takes some of ${steps.join()}, not down`);
    expect(() => planOf(["--only", "nobody"])).toThrow("--only takes some of ours,");
  });

  it("starts rounds with different contenders, and leaves out those that have had their rounds", () => {
    const one = (id: string, most = 9): Contender =>
      ({ ...contenders[0], id, rounds: () => most }) as Contender;
    const three = [one("a"), one("b", 1), one("c")];
    const ids = [0, 1, 2, 3].map((round) =>
      orderOf(three, { count: 10, rounds: 9 }, round).map(({ id }) => id),
    );
    expect(ids).toEqual([
      ["a", "b", "c"],
      ["c", "a"],
      ["c", "a"],
      ["a", "c"],
    ]);
  });

  it("leaves out slow contenders for many keys: 5,000 and more are measured only in sets and as floors", () => {
    const shares = contenders.map(({ id, rounds: share }) => [
      id,
      ...[share(200, 5), share(1_000, 3), share(5_000, 1), share(50_000, 1)],
    ]);
    expect(shares).toEqual([
      ["ours", 5, 3, 0, 0],
      ["plugin", 5, 3, 0, 0],
      ["apiKeySet", 5, 3, 1, 1],
      ["pluginSet", 5, 3, 1, 1],
      ["taught", 5, 1, 0, 0],
      ["pluginFloor", 5, 3, 0, 0],
      ["pluginSetFloor", 5, 3, 1, 1],
      ["network-16", 5, 3, 1, 1],
      ["tenSets", 0, 0, 0, 1],
    ]);
    const ofOne = contenders.filter((one) => one.steps.includes("updateOne")).map(({ id }) => id);
    expect(ofOne).toEqual(["apiKeySet", "pluginSet", "pluginSetFloor", "network-16"]);
  });

  it("declares the same keys at each step, except that the update adds one permission to each", () => {
    const [up, update] = [declaredKeys(2, "up"), declaredKeys(2, "update")];
    expect(declaredKeys(2, "noChange")).toEqual(up);
    expect(declaredKeys(2, "refresh")).toEqual(up);
    expect(declaredKeys(2, "destroy")).toEqual(update);
    expect(up.map(({ name }) => name)).toEqual(["key-00000", "key-00001"]);
    const changed = up.map((key) => ({
      ...key,
      scopes: key.scopes.map((scope) => ({ ...scope, update: true })),
    }));
    expect(update).toEqual(changed);
    expect(declaredKeys(2, "updateOne")).toEqual([update[0], up[1]]);
  });

  it("declares a set of the same keys: the update changes the defaults, and the update of one key its entry", () => {
    const set = (step: Step) => setOf(declaredKeys(3, step));
    const [up, update, updateOne] = [set("up"), set("update"), set("updateOne")];
    const own = { customerId: "customer" };
    const read = { representation: "orders", read: true };
    expect(up).toEqual({
      workspaceId: "ws_main",
      defaults: { enabled: true, scopes: [read] },
      keys: { "key-00000": own, "key-00001": own, "key-00002": own },
    });
    const defaults = { enabled: true, scopes: [{ ...read, update: true }] };
    expect(update).toEqual({ ...up, defaults });
    expect(updateOne).toEqual({
      ...update,
      keys: { ...up.keys, "key-00001": { ...own, scopes: [read] } },
    });
  });
});

describe("the bench's tables", () => {
  const grid = gridOf(10, { ...report, medians: mediansOf(rounds) });

  it("have a column for each contender, a row for each figure, and – for a figure that is missing", () => {
    expect(grid).toEqual([
      ["N = 10", "pulumi-apikeys", "floor: script, 16 in flight"],
      ["wall time, s: up", "2.00", "0.05"],
      ["requests: up", "10", "10"],
      ["state after it, kB: up", "20.0", "–"],
      ["state a key, bytes: up", "2,000", "–"],
      ["share of the time in which the service worked: up", "25 %", "25 %"],
    ]);
  });

  it("leave out contenders that did not take part, and group digits", () => {
    const [head, , requests] = gridOf(1_000, { ...report, medians: mediansOf(rounds) });
    expect(head).toEqual(["N = 1,000", "pulumi-apikeys"]);
    expect(requests).toEqual(["requests: up", "1,234"]);
    expect([999, 1_000, 1_234_567].map(thousands)).toEqual(["999", "1,000", "1,234,567"]);
  });

  it("are aligned in a terminal, and Markdown in the docs", () => {
    const small = [
      ["", "a"],
      ["row", "12"],
    ];
    expect(asText(small)).toBe("      a\nrow  12");
    expect(asMarkdown(small)).toBe("|  | a |\n| --- | --: |\n| row | 12 |");
  });

  it("on the page have a row for each contender that was measured, with 200 and with 1,000 keys", () => {
    const one = (contender: string, count: number, round: number, up: Figures, refresh?: Figures): Round => ({
      ...{ contender, count, round },
      figures: refresh === undefined ? { up } : { up, refresh },
    });
    const more = { cpuSeconds: 2, hostPeakMiB: 90, stateBytesAKey: 1_750.4 };
    const page = figuresOfPage({
      ...report,
      steps: ["up", "noChange", "refresh"],
      rounds: [
        ...rounds,
        one("plugin", 200, 0, figures(3, { ...more, requests: 201 }), figures(1, { hostPeakMiB: 99.4 })),
        one("plugin", 200, 1, figures(5, { ...more, requests: 201 }), figures(1, { hostPeakMiB: 99.4 })),
        one("network-16", 200, 0, figures(0.3, { requests: 200 })),
        one("tenSets", 200, 0, figures(7)),
        one("ours", 1_000, 1, figures(70, { requests: 1_234 })),
      ],
    });
    expect(page.split("\n")).toEqual([
      "Machine: A <fast> one, 2 cores, 4 GiB, S, Node.js 1, Pulumi CLI 2, @pulumi/pulumi 3. Rounds: 2 with 200 keys, 2 with 1,000 keys.",
      "",
      "| 200 keys | first update | refresh | CPU, first update | requests | memory, MiB | state per key, bytes |",
      "| --- | --: | --: | --: | --: | --: | --: |",
      "| single keys, plugin | 4.00 | 1.00 | 2.00 | 201; 10 | 99 | 1,750 |",
      "| floor: requests | 0.30 | – | – | 200; – | – | – |",
      "",
      "| 1,000 keys | first update | CPU, first update | requests | memory, MiB | state per key, bytes |",
      "| --- | --: | --: | --: | --: | --: |",
      "| single keys, dynamic | 65.00 | – | 1,234 | – | – |",
    ]);
  });

  it("replace the previous ones on the page, and nothing else", () => {
    const page = "before\n<!-- figures -->\nold\n<!-- end of figures -->\nafter\n";
    const next = withFigures(page, "new $& figures");
    expect(next).toBe("before\n<!-- figures -->\n\nnew $& figures\n\n<!-- end of figures -->\nafter\n");
    expect(withFigures(next, "new $& figures")).toBe(next);
    expect(() => withFigures("a page", "new")).toThrow("the page lacks");
  });
});

it("the bench's JSON report has the machine, all rounds and the medians", () => {
  const { machine, medians, rounds: held } = JSON.parse(asJson(report));
  expect(machine).toEqual(report.machine);
  expect(held).toEqual(JSON.parse(JSON.stringify(rounds)));
  expect(medians[0]).toMatchObject({
    contender: "ours",
    count: 10,
    rounds: 3,
    figures: { up: { seconds: 2 } },
  });
});
