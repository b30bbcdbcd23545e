import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type DemoResult, runDemo } from "../../examples/demo/run";
import { type CommandResult, execute } from "../../tools/engine/command";
import { shellEnvironment } from "../../tools/engine/environment";
import { checkout } from "../../tools/engine/folders";
import { describeInAll } from "../inAll";

/** Runs the demo as `npm run demo` does, except for the build, which other tests are using. */
async function demo(
  onStdout?: (text: string, pid: number) => void,
): Promise<CommandResult & { pid: number }> {
  const { scripts } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
  const [build, script = ""] = scripts.demo.split(" && ");
  expect(build).toBe("npm run build");
  const [command = "", ...args] = script.split(" ");
  let pid = 0;
  const result = await execute(command, args, {
    cwd: checkout,
    env: shellEnvironment(checkout, []),
    onStart: (started) => {
      pid = started;
    },
    onStdout: (text) => onStdout?.(text, pid),
  });
  return { ...result, pid };
}

/** The last column of the final table. */
function resultsIn(output: string): readonly string[] {
  const [, table = ""] = output.split("What was checked\n\n");
  const [rows = ""] = table.split("\n\n");
  return rows
    .split("\n")
    .slice(1)
    .map((row) => row.split("   ").at(-1)?.trim() ?? "");
}

describe("the demo", () => {
  let run: CommandResult;

  beforeAll(async () => {
    run = await demo();
  });

  it("succeeds in every step", () => {
    expect(run.code, run.output).toBe(0);
    expect(resultsIn(run.stdout)).toEqual(Array(10).fill("ok"));
    expect(run.stdout.match(/^checked: /gm)).toHaveLength(9);
    expect(run.stdout).not.toContain("FAILED:");
  });

  it("shows the engine's own output, without colours if there is no terminal", () => {
    for (const text of ["+ 3 to create", "+ 3 created", "+-1 replaced", "- 3 deleted"]) {
      expect(run.stdout).toContain(text);
    }
    expect(run.stdout).toContain(`~ name       : "shop" => "shop-old"`);
    expect(run.stdout).not.toContain("\u001b");
  });

  it("shows secrets as the engine does, and no secret of the stand-in", () => {
    expect(run.stdout).toContain("shopKey         : [secret]");
    expect(run.output).not.toMatch(/sk_\w{8}/);
    expect(run.output).not.toContain("standin-access-token");
  });
});

describeInAll("a demo whose service doesn't remove permissions", () => {
  const printed: string[] = [];
  let result: DemoResult;

  beforeAll(async () => {
    result = await runDemo({ variant: { patchScopes: "neverNarrows" }, print: (text) => printed.push(text) });
  });

  it("says which step failed, and skips the following ones", () => {
    expect(result.ok).toBe(false);
    const results = ["ok", "ok", "ok", "ok", "FAILED", "not run", "not run", "not run", "ok", "ok"];
    expect(result.verdicts.map((verdict) => verdict.result)).toEqual(results);
    expect(resultsIn(printed.join(""))).toEqual(results);
  });

  it("shows the expected and the actual values", () => {
    expect(printed.join("")).toContain(`FAILED: the key in the service matches the program.
  expected: {"name":"shop","enabled":true,"scopes":"customers (read), orders (create, read, update)"}
  actual:   {"name":"shop","enabled":true,"scopes":"customers (read), orders (create, read, update), refunds (create)"}
`);
  });

  it("destroys what it has created", () => {
    expect(result.verdicts.at(-2)?.requests).toEqual({ DELETE: 2 });
  });
});

describeInAll("a demo whose service doesn't return secrets", () => {
  it("fails when the keys are created, and destroys them", async () => {
    const { ok, verdicts } = await runDemo({ variant: { createAnswer: "withoutKey" }, print: () => {} });
    expect(ok).toBe(false);
    expect(verdicts[1]).toMatchObject({ title: "Create", result: "FAILED" });
    expect(verdicts.at(-2)).toMatchObject({ requests: { DELETE: 2 }, result: "ok" });
  });
});

describeInAll("an interrupted demo", () => {
  it("ends after the running command, and leaves no folder", async () => {
    let sent = false;
    const run = await demo((text, pid) => {
      if (sent || !text.includes("Step 2 of 9")) return;
      sent = true;
      process.kill(pid, "SIGINT");
    });
    expect(run.code, run.output).toBe(130);
    expect(run.stdout).toContain("Interrupted.");
    expect(run.stdout).not.toContain("Step 3 of 9");
    // Other runs of the demo may have their own folders now.
    const left = (await readdir(join(checkout, ".work", "engine"))).filter((name) =>
      name.startsWith("demo-"),
    );
    expect(left.filter((name) => !isAlive(Number(name.split("-")[1])))).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
