import { expect, onTestFinished, test, vi } from "vitest";
import { openRun } from "../../provider/core/run";
import { openInstance } from "../../provider/instance";

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
