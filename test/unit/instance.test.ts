import { expect, onTestFinished, test, vi } from "vitest";
import { openRun } from "../../provider/core/run";
import { failed, openInstance } from "../../provider/instance";

test("an unexpected error is reported by its type and location, never by its message", () => {
  const { message, kept } = failed(new TypeError("sk_marker_q7ZxW2 is not a function"));
  expect(message).toMatch(
    /^APIKEYS9001: This is a bug in pulumi-apikeys: TypeError at .*\.\nState .*\nPlease report it\.$/,
  );
  expect(message).not.toContain("sk_marker");
  expect(kept).toBeUndefined();
});

test("a thrown value that is not an error is reported by its type alone", () => {
  expect(failed("sk_marker_q7ZxW2").message).toMatch(
    /^APIKEYS9001: This is a bug in pulumi-apikeys: string\.\nState/,
  );
});

test("T1 a run has one time, even if the host configures each kind of resource when it first needs it", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const env = { APIKEYS_BASE_URL: "https://service.test", APIKEYS_ACCESS_TOKEN: "token" };
  const say = () => {};
  const open = () => {
    const instance = openInstance({ run: openRun(), env, warn: say, note: say });
    return {
      key: instance.resource("RotatingApiKey"),
      configure: () => instance.configure({ argument: {}, stack: {} }),
    };
  };
  const { key, configure } = open();
  configure();
  const draft = { workspaceId: "ws_1", customerId: "cus_1", name: "ci", rotateEvery: "1d" };
  const { inputs } = key.check(draft, undefined);
  const rotatedAt = new Date().toISOString();
  const rotatesAt = new Date(Date.now() + 86_400_000).toISOString();
  const state = { ...inputs, rotatedAt, rotatesAt, keyId: "key_1", key: "sk_1" };
  const changes = (of = key) => of.diff("key_1", state, inputs).changes;
  const before = changes();
  vi.advanceTimersByTime(86_400_000);
  configure();
  expect([before, changes(), changes(open().key)]).toEqual([false, false, true]);
});
