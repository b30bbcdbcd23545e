import { expect, test } from "vitest";
import { hosts } from "../../../tools/bench/contenders";
import { cpuIn, peakMiBIn, writtenIn } from "../../../tools/bench/measured";
import { isHost } from "../../../tools/bench/trial";

test("the bench reads CPU time, peak memory and bytes written from /proc", () => {
  const after = "S 1 2 3 0 -1 4194304 10 20 30 40 150 50 700 25 20 0 1 0 99 1 1";
  expect(cpuIn(`4711 (a) b) ${after}`)).toEqual({ own: 2, children: 7.25 });
  expect(peakMiBIn("Name:\tnode\nVmPeak:\t 999999 kB\nVmHWM:\t   51200 kB\nVmRSS:\t 1 kB\n")).toBe(50);
  expect(peakMiBIn("Name:\tnode\nState:\tZ (zombie)\n")).toBeUndefined();
  const io = "rchar: 1\nwchar: 2\nread_bytes: 3\ncancelled_write_bytes: 5\nwrite_bytes: 4096\n";
  expect(writtenIn(io)).toBe(4_096);
});

test("the bench recognizes the provider host's process, but not its shim, what the shim starts first, or the CLI", () => {
  const commands = [
    "node /p/node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js 127.0.0.1:1 ",
    "/bin/sh /p/bin/pulumi-resource-pulumi-nodejs 127.0.0.1:1 ",
    "node -e console.log(require.resolve('@pulumi/pulumi/cmd/dynamic-provider')) ",
    "/p/bin/pulumi --non-interactive up --yes --skip-preview ",
  ];
  expect(commands.map((args) => isHost(args, hosts.dynamic))).toEqual([true, false, false, false]);
});
