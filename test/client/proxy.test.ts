import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as api from "./api";
import { answer, callTo, errorOf, keyAnswer, keyPath, newBilling, newKey, token, wireServer } from "./calls";

const elsewhere = "http://service.invalid:8080/pre";

const setEnv = (env: Readonly<Record<string, string | undefined>>) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
};
const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];
beforeEach(() => setEnv(Object.fromEntries(names.map((name) => [name, undefined]))));
afterEach(() => void vi.unstubAllEnvs());

test.each([
  ["HTTP_PROXY", "http://127.0.0.1"],
  ["http_proxy", "localhost"],
])("a proxy from the environment is used if %s names it: %s", async (name, host) => {
  const proxy = await wireServer(() => answer(200, keyAnswer));
  setEnv({ [name]: `${host}:${proxy.port}` });
  expect((await api.readApiKey(callTo(elsewhere), keyPath)).id).toBe("k");
  expect(proxy.requests[0]?.path).toBe(`${elsewhere}/api/v1/workspace/ws_main/api-key/k`);
});

test("a proxy from the environment gets a CONNECT for https, and sees neither path nor token", async () => {
  const proxy = await wireServer(() => answer(403));
  setEnv({ HTTPS_PROXY: proxy.url });
  const call = callTo("https://service.invalid");
  const error = await errorOf(api.createApiKey(call, newKey));
  expect([error.verdict, error.message]).toEqual(["notSent", "the proxy answered 403"]);
  expect(new Set(proxy.requests.map(({ method, path }) => `${method} ${path}`))).toEqual(
    new Set(["CONNECT service.invalid:443"]),
  );
  expect(JSON.stringify(proxy.requests)).not.toContain(token);
});

test("a proxy from the environment is used for credits too, with a new connection each time, and may send 100 Continue", async () => {
  const interim = "HTTP/1.1 100 Continue\r\n\r\n";
  const proxy = await wireServer(() => interim + answer(200, { billing: { id: "b" } }));
  setEnv({ HTTP_PROXY: proxy.url });
  const call = callTo(elsewhere);
  for (const _ of [1, 2]) expect((await api.createBilling(call, newBilling)).record?.id).toBe("b");
  expect(proxy.requests.map(({ connection }) => connection)).toEqual([1, 2]);
});

test.each([
  [elsewhere, "service.invalid", 0],
  ["http://10.1.2.3", "10.0.0.0/8", 0],
  ["http://10.1.2.3", "192.168.0.0/16,10.0.0.0/33,x/8", 1],
])(
  "a proxy from the environment for %s, with %s in NO_PROXY, gets %i requests",
  async (url, ranges, requests) => {
    const proxy = await wireServer(() => answer(200, keyAnswer));
    setEnv({ HTTP_PROXY: proxy.url, NO_PROXY: ranges });
    await api.readApiKey(callTo(url, { timeOuts: { connectMs: 200 } }), keyPath).catch(() => {});
    expect(proxy.requests).toHaveLength(requests);
  },
);

test.each(["127.0.0.1", "localhost"])(
  "a proxy from the environment is never used for loopback: %s",
  async (host) => {
    const proxy = await wireServer(() => answer(200, keyAnswer));
    const service = await wireServer(() => answer(200, keyAnswer));
    setEnv(Object.fromEntries(names.map((name) => [name, /http/i.test(name) ? proxy.url : undefined])));
    const call = callTo(`http://${host}:${service.port}`);
    await api.readApiKey(call, keyPath);
    await api.createBilling(call, newBilling);
    expect(service.requests).toHaveLength(2);
    expect(proxy.requests).toHaveLength(0);
  },
);

test("a proxy from the environment with an invalid URL is an error that does not show the URL", async () => {
  setEnv({ HTTPS_PROXY: "http://user:pass word@[" });
  const error = await errorOf(api.readApiKey(callTo("https://service.invalid"), keyPath));
  expect([error.verdict, error.message]).toEqual([
    "notSent",
    "HTTP_PROXY or HTTPS_PROXY is not the URL of a proxy",
  ]);
});
