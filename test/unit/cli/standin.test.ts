import { expect, test } from "vitest";
import { runCommand } from "../../../cli/run";

/** Runs the command in this process. `stop` does what Ctrl-C does. */
function run(...args: string[]) {
  const printed = { out: "", err: "" };
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
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

test("pulumi-apikeys standin prints the settings, then a line for each request without its body, until it is stopped", async () => {
  const args = ["--port=0", "--token=t0ken", "--workspace", "a", "--workspace=b", "--variant", "strictRest"];
  const { printed, code, stop, exported } = run(...args);
  const url = await exported("APIKEYS_BASE_URL");
  expect(await exported("APIKEYS_ACCESS_TOKEN")).toBe("t0ken");
  expect(printed.out).toContain("Variant strictRest. Workspaces:\n  a\n  b\n");
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

test.each([
  [["--bogus"], "--bogus"],
  [["left over"], "left over"],
  [["--port", "eighty"], "--port"],
  [["--latency", "-1"], "--latency"],
])("pulumi-apikeys standin answers %j with its usage and exit code 2", async (args, named) => {
  const { printed, code } = run(...args);
  expect([await code, printed.out]).toEqual([2, ""]);
  expect(printed.err.split("\n")[0]).toContain(named);
  expect(printed.err).toContain("Usage: npx pulumi-apikeys standin");
});

test("pulumi-apikeys standin fails with the reason if the stand-in can't start", async () => {
  const first = run("--port", "0");
  const { port } = new URL(await first.exported("APIKEYS_BASE_URL"));
  for (const [args, reason] of [
    [["--port", port], `address already in use 127.0.0.1:${port}`],
    [["--variant", "toString"], 'there is no variant "toString"; the variants are default, '],
    [["--port=0", "--workspace=a", "--workspace=a"], 'there is a workspace "a" already'],
  ] as const) {
    const { code, printed } = run(...args);
    expect(await code).toBe(1);
    expect(printed.err).toContain(reason);
  }
  first.stop();
  await first.code;
});
