import { describe, expect, it } from "vitest";
import { dynamicHost } from "../../../tools/bench/contenders";
import { cpuIn, peakMiBIn, writtenIn } from "../../../tools/bench/measured";
import { type Figures, median, mediansOf, type Round, withFigures } from "../../../tools/bench/report";
import { isHost } from "../../../tools/bench/trial";

const figures = (seconds: number, more: Partial<Figures> = {}): Figures => ({
  seconds,
  requests: 10,
  ...{ cpuSeconds: undefined, hostPeakMiB: undefined, enginePeakMiB: undefined, writtenBytes: undefined },
  stateBytesAKey: undefined,
  ...more,
});

const rounds: readonly Round[] = [
  {
    contender: "ours",
    count: 10,
    round: 0,
    figures: { up: figures(3, { stateBytesAKey: 20_000 }) },
  },
  { contender: "ours", count: 10, round: 1, figures: { up: figures(1, { stateBytesAKey: 20_000 }) } },
  { contender: "ours", count: 10, round: 2, figures: { up: figures(2, { stateBytesAKey: 26_000 }) } },
  { contender: "ours", count: 1_000, round: 0, figures: { up: figures(60, { requests: 1_234 }) } },
  { contender: "network-16", count: 10, round: 0, figures: { up: figures(0.05) } },
];

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
    expect(find("ours", 10, "up", "stateBytesAKey")).toBe(20_000);
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

describe("the bench's tables", () => {
  it("replace the previous ones on the page, and nothing else", () => {
    const page = "before\n<!-- figures -->\nold\n<!-- end of figures -->\nafter\n";
    const next = withFigures(page, "new $& figures");
    expect(next).toBe("before\n<!-- figures -->\n\nnew $& figures\n\n<!-- end of figures -->\nafter\n");
    expect(withFigures(next, "new $& figures")).toBe(next);
    expect(() => withFigures("a page", "new")).toThrow("the page lacks");
  });
});
