import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { CallError } from "../../provider/client/send";
import { startStandIn } from "../../standin";
import * as api from "./api";
import { answer, callTo, keyPath, newBilling, newKey, token, wireServer } from "./calls";

const existing = 'sk_existing/"value"+ü&<x>=';
const made = "sk_made_0123456789";
const migrated = { ...newKey, key: existing, metadata: {} };
const scopeBody = { name: "Docs", representation: "docs", description: "" };
const runs: [string, (call: api.Call) => Promise<unknown>][] = [
  ["migrate", (call) => api.migrateApiKey(call, migrated)],
  ["create", (call) => api.createApiKey(call, newKey)],
  ["edit", (call) => api.editApiKey(call, keyPath, { name: "a" })],
  ["read", (call) => api.readApiKey(call, keyPath)],
  ["list", (call) => api.listApiKeys(call, keyPath)],
  ["scope", (call) => api.createScope(call, keyPath, scopeBody)],
  ["billing", (call) => api.createBilling(call, newBilling)],
];

/** Everything that an error, or the problem of a write, contains, in all the ways it could be printed. */
function everythingOf(outcome: unknown): string {
  if (!(outcome instanceof Error)) return inspect((outcome as { problem?: string }).problem);
  expect(outcome).toBeInstanceOf(CallError);
  expect(Object.keys(outcome).sort()).toEqual(["status", "verdict"]);
  expect("cause" in outcome).toBe(false);
  expect(outcome.stack).toBe(outcome.message);
  expect(outcome.message).not.toMatch(/[\r\n]/);
  expect(outcome.message.length).toBeLessThan(500);
  const all = [String(outcome), outcome.message, outcome.stack, JSON.stringify(outcome)];
  return [...all, inspect(outcome, { depth: 10, showHidden: true }), JSON.stringify({ ...outcome })].join(
    "\n",
  );
}

/** `name` is that of the call: only migrate has the existing key. */
function expectNoSecret(name: string, text: string): void {
  const spelled = [token, made, ...(name === "migrate" ? [existing] : [])].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    secret.slice(0, 11),
  ]);
  for (const one of spelled) expect(text).not.toContain(one);
}

/** Text of an answer that contains the secrets. */
const echo = `token ${token} ${encodeURIComponent(token)} key ${existing} ${JSON.stringify(existing)}`;
const leak = { message: echo, apiKey: { id: "k", key: made }, error: `made ${made}` };
const replies: [string, string][] = [
  ...[400, 401, 404, 409, 429, 503].map((status): [string, string] => [
    `${status} as JSON`,
    answer(status, leak),
  ]),
  ["400 as plain text", answer(400, `${echo} "key":"${made}"`)],
  ["400 as HTML", answer(400, `<html><body>${echo}</body></html>`)],
  ["302", answer(302, leak, `location: https://x.example/${encodeURIComponent(token)}?t=${token}`)],
  ["200 that is not JSON", answer(200, `${JSON.stringify(leak)} and ${echo}`)],
  ["200 with another form", answer(200, { [token]: existing, apiKey: { id: { [made]: token }, key: made } })],
  [
    "200 with wrong scopes",
    answer(200, { apiKey: { id: "k", scopes: [{ representation: [token], [made]: 1 }] } }),
  ],
  ["200 with another record", answer(200, { apiKey: { id: token, key: made }, apiKeys: [{ key: made }] })],
  [
    "200 with an error in place of a record",
    answer(200, { error: { message: `${echo} made ${made}` }, data: { key: made } }),
  ],
  ["200 with a JSON string", answer(200, JSON.stringify(JSON.stringify(leak)))],
  ["200 compressed", answer(200, leak, "content-encoding: gzip")],
  ["not HTTP", `${echo}\r\n\r\n`],
  ["headers too large", answer(200, leak, `x-long: ${token.repeat(3_000)}`)],
];

test.each(replies)(
  "no error and no debug line contains the token or a key if the answer is %s",
  async (_name, reply) => {
    const lines: string[] = [];
    for (const [name, run] of runs) {
      const server = await wireServer((_request, socket) => {
        socket.end(Buffer.from(reply));
        return undefined;
      });
      const log = (line: string) => lines.push(line);
      const call = callTo(server.url, { log });
      expectNoSecret(name, everythingOf(await run(call).catch((error: unknown) => error)));
      await server.close();
    }
    expect(lines.length).toBeGreaterThanOrEqual(runs.length);
    expectNoSecret("migrate", lines.join("\n"));
  },
);

test("no error and no debug line contains the token or a key if the service repeats the whole request in its refusals", async () => {
  const tenant = { name: "t", accessToken: token, workspaces: [{ id: "ws_main" }] };
  const service = await startStandIn({
    tenants: [tenant],
    variant: { errorEchoes: "request", errorBody: "text" },
  });
  onTestFinished(() => service.close());
  const call = callTo(service.url);
  await api.migrateApiKey(call, migrated);
  const error = await api.migrateApiKey(call, migrated).catch((caught: unknown) => caught);
  expect((error as CallError).status).toBe(409);
  expect((error as CallError).message).toContain("Bearer [secret]");
  expectNoSecret("migrate", everythingOf(error));
});

test("no error and no debug line contains the token or a key if nothing can be sent", async () => {
  const odd = "tok_\u20ac_secret_value";
  const server = await wireServer(() => answer(200, {}));
  for (const [url, accessToken] of [
    [server.url, odd],
    ["http://127.0.0.1:1", token],
    ["https://service.invalid", token],
  ] as const) {
    const call = callTo(url, {}, accessToken);
    const error = await api.migrateApiKey(call, migrated).catch((caught: unknown) => caught);
    expect((error as CallError).verdict).toBe("notSent");
    expectNoSecret("migrate", everythingOf(error));
    expect(everythingOf(error)).not.toContain(odd);
  }
  expect(server.requests).toHaveLength(0);
});
