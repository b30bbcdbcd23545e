import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand } from "../../../cli/run";

/** Runs the command in this process. `stop` does what Ctrl-C does. */
function run(...args: string[]) {
  const printed = { out: "", err: "" };
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const code = runCommand(["standin", ...args], {
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    env: {},
    stopped,
  });
  const exported = async (name: string) => {
    await expect.poll(() => printed.out).toContain("Requests:");
    return new RegExp(`^export ${name}=(.*)$`, "m").exec(printed.out)?.[1] ?? "";
  };
  return { printed, code, stop, exported };
}

describe("pulumi-apikeys standin", () => {
  it("prints the settings for a program, then a line for each request without its body, until it is stopped", async () => {
    const { printed, code, stop, exported } = run(
      "--port",
      "0",
      "--token",
      "t0ken",
      "--workspace",
      "a",
      "--workspace=b",
    );
    const url = await exported("APIKEYS_BASE_URL");
    expect(await exported("APIKEYS_ACCESS_TOKEN")).toBe("t0ken");
    expect(printed.out).toContain("\n  a\n  b\n");
    const headers = { authorization: "Bearer t0ken", "content-type": "application/json" };
    await fetch(`${url}/api/v1/workspace/a`, { headers });
    const body = JSON.stringify({ key: "sk_live_hidden" });
    await fetch(`${url}/api/v1/api-key/migrate`, { method: "POST", headers, body });
    stop();
    expect(await code).toBe(0);
    expect(printed.out).toMatch(
      /Requests:\nGET \/api\/v1\/workspace\/a 200\nPOST \/api\/v1\/api-key\/migrate 400\n$/,
    );
    await expect(fetch(url)).rejects.toThrow();
  });

  it("serves the default workspaces in the requested preset", async () => {
    const { printed, code, stop, exported } = run("--port=0", "--preset", "strictRest");
    const url = await exported("APIKEYS_BASE_URL");
    expect(printed.out).toContain("Preset strictRest. Workspaces:\n  ws_main (Main)\n  ws_second (Second)\n");
    const response = await fetch(`${url}/api/v1/workspace`);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    stop();
    expect(await code).toBe(0);
  });

  it.each([
    [["--bogus"], "--bogus"],
    [["left over"], "left over"],
    [["--port", "eighty"], "--port"],
    [["--preset", "toString"], "--preset"],
    [["--latency", "-1"], "--latency"],
  ])("answers the arguments %j with its usage and exit code 2", async (args, named) => {
    const { printed, code } = run(...args);
    expect(await code).toBe(2);
    expect(printed.out).toBe("");
    expect(printed.err.split("\n")[0]).toContain(named);
    expect(printed.err).toContain("Usage: npx pulumi-apikeys standin");
  });

  it("fails with the reason if the stand-in can't start", async () => {
    const first = run("--port", "0");
    const { port } = new URL(await first.exported("APIKEYS_BASE_URL"));
    const second = run("--port", port);
    expect(await second.code).toBe(1);
    expect(second.printed.err).toContain(`address already in use 127.0.0.1:${port}`);
    const twice = run("--port=0", "--workspace=a", "--workspace=a");
    expect(await twice.code).toBe(1);
    expect(twice.printed.err).toContain('there is a workspace "a" already');
    first.stop();
    await first.code;
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends cleanly on %s",
    async (signal) => {
      const cli = fileURLToPath(new URL("../../../cli/main.ts", `file://${__filename}`));
      const child = spawn(process.execPath, ["--import", "tsx", cli, "standin", "--port", "0"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      let out = "";
      child.stdout.on("data", (chunk) => {
        out += chunk;
      });
      await expect.poll(() => out, { timeout: 20_000 }).toContain("Requests:");
      const exit = once(child, "exit");
      child.kill(signal);
      expect(await exit).toEqual([0, null]);
    },
    30_000,
  );
});
