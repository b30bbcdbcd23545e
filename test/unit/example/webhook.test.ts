import { expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { type Asked, failureOf, idIn, refused, replying } from "../replying";
import { webhook } from "./webhook";

const inputs = { workspaceId: "ws_1", url: "https://a.test", enabled: true };

/** A service of webhooks in memory. `spoil` may answer a request in its place. */
function served(spoil: (asked: Asked, answer: () => unknown) => unknown = (_, answer) => answer()) {
  const live = new Map<string, object>();
  const answerTo = (asked: Asked) => {
    const { method, path, body } = asked;
    if (!path.includes("/webhook")) return { workspace: { id: "ws_1" } };
    if (path.endsWith("/webhook") && method === "GET") return { webhooks: [...live.values()] };
    const id = method === "POST" ? `hook_${live.size + 1}` : idIn(asked);
    if (method !== "POST" && !live.has(id)) throw refused(404);
    const record = { createdAt: "then", ...live.get(id), ...(body as object), id };
    live.set(id, record);
    if (method === "DELETE") live.delete(id);
    return { webhook: record };
  };
  return { ...replying(webhook, (asked) => spoil(asked, () => answerTo(asked))), live };
}

test("the example resource is created, edited, refreshed, imported and deleted", async () => {
  const hooks = served();
  const { inputs: declared } = hooks.check({ workspaceId: "ws_1", url: "https://a.test" }, undefined);
  const { id, state } = await hooks.create(declared);
  expect({ id, state }).toMatchObject({ id: "hook_1", state: { ...inputs, createdAt: "then" } });
  expect(hooks.diff(id, state, declared).changes).toBe(false);
  const changed = { ...declared, enabled: false };
  expect(hooks.diff(id, state, changed)).toMatchObject({ replaces: [], details: [{ path: ["enabled"] }] });
  const next = await hooks.update(id, state, changed);
  expect([next["enabled"], hooks.live.get(id)]).toMatchObject([
    false,
    { url: inputs.url, enabled: false, id },
  ]);
  hooks.live.set(id, { ...inputs, url: "https://b.test", enabled: false, id });
  expect((await hooks.read(id, next))?.inputs).toMatchObject({ url: "https://b.test" });
  expect((await hooks.find({ id: "ws_1/hook_1", given: {}, isGet: false }))?.id).toBe(id);
  await hooks.delete(id, next);
  expect([...hooks.live.keys()]).toEqual([]);
});

test("the example resource names what a lost answer to its one POST may have made", async () => {
  const hooks = served((asked, answer) => {
    const answered = answer();
    if (asked.method === "POST") throw new CallError("ambiguous", "the connection was reset");
    return answered;
  });
  const {
    message,
    options: { unresolved },
  } = await failureOf(hooks.create(inputs));
  expect(message).toContain("It may be hook_1: delete it if nobody else made it");
  expect(unresolved).toBe(true);
  expect(hooks.calls.filter(({ method }) => method === "POST")).toHaveLength(1);
  const cached = served((asked, answer) =>
    asked.method === "POST" ? { webhook: { ...inputs, id: "hook_0" } } : answer(),
  );
  cached.live.set("hook_0", { ...inputs, id: "hook_0" });
  expect((await failureOf(cached.create(inputs))).message).toContain("hook_0, which existed before");
});

test("the example resource leaves state only if GETs, the workspace and the list agree", async () => {
  let isListed = true;
  const hooks = served((asked, answer) => {
    if (asked.path.endsWith("/hook_1") && asked.method !== "POST") throw refused(404);
    return isListed || !asked.path.endsWith("/webhook") ? answer() : { webhooks: [] };
  });
  const { id, state } = await hooks.create(inputs);
  for (const operation of [hooks.read(id, state), hooks.delete(id, state)])
    expect((await failureOf(operation)).message).toContain("but its workspace lists it");
  isListed = false;
  expect(await hooks.read(id, state)).toBeUndefined();
  await hooks.delete(id, state);
});

test("an object of the example resource has one owner, and stays if another resource imports it", async () => {
  const hooks = served();
  const { id, state } = await hooks.create(inputs);
  hooks.diff(id, state, inputs, "one");
  expect(() => hooks.diff(id, state, inputs, "two")).toThrow("which the resource one has or adopts too");
  const next = served();
  next.live.set(id, inputs);
  const found = await next.find({ id: "ws_1/hook_1", given: {}, isGet: false });
  next.diff(id, found?.state ?? {}, inputs, "new");
  await next.delete(id, state, "former");
  expect([[...next.live.keys()], next.warnings]).toEqual([[id], [expect.stringContaining("has it")]]);
});

test("the example resource keeps in state what a service did not apply, and warns of what it rewrote", async () => {
  const hooks = served((asked, answer) => {
    const { webhook: record, ...list } = answer() as { webhook?: typeof inputs };
    if (record === undefined) return list;
    return {
      webhook: { ...record, url: "https://a.test/", ...(asked.method !== "GET" && { enabled: true }) },
    };
  });
  const { id, state } = await hooks.create(inputs);
  expect(hooks.warnings).toEqual([expect.stringContaining('the service has "https://a.test/"')]);
  expect(hooks.diff(id, state, inputs).changes).toBe(false);
  const next = await hooks.update(id, state, { ...inputs, enabled: false });
  expect(next).toMatchObject({ url: "https://a.test", enabled: false });
  expect((await hooks.read(id, next))?.inputs).toBeUndefined();
  const stuck = served((asked, answer) =>
    asked.method === "PATCH" ? { webhook: { ...inputs, id: "hook_1" } } : answer(),
  );
  const held = await stuck.create(inputs);
  const { message, kept } = await failureOf(stuck.update(held.id, held.state, { ...inputs, enabled: false }));
  expect(message).toContain("enabled: should be false, the service has true");
  expect(kept?.state).toMatchObject({ enabled: true });
});

function patchingBy(patch: string) {
  const hooks = served((asked, answer) => {
    if (asked.method === "PATCH" && patch === "replaces") hooks.live.set(idIn(asked), {});
    return answer();
  });
  return hooks;
}

test.each(["merges", "replaces"])(
  "K1 the example resource clears optional fields that are no longer declared, if PATCH %s",
  async (patch) => {
    const hooks = patchingBy(patch);
    const { id, state } = await hooks.create({ ...inputs, team: "a", retries: 3 });
    const next = await hooks.update(id, state, inputs);
    expect(hooks.live.get(id)).toMatchObject({ url: inputs.url, team: "", retries: null });
    expect([next["team"], next["retries"], hooks.diff(id, next, inputs).changes]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    expect((await hooks.read(id, next))?.inputs).toBeUndefined();
  },
);

test.each(["merges", "replaces"])(
  "K1 the example resource keeps what was never declared, if PATCH %s",
  async (patch) => {
    const hooks = patchingBy(patch);
    const { id, state } = await hooks.create(inputs);
    hooks.live.set(id, { ...hooks.live.get(id), team: "theirs", retries: 5 });
    const changed = { ...inputs, url: "https://b.test" };
    const next = await hooks.update(id, state, changed);
    expect(hooks.live.get(id)).toMatchObject({ url: changed.url, team: "theirs", retries: 5 });
    expect([next["team"], (await hooks.read(id, next))?.inputs, hooks.warnings]).toEqual([
      undefined,
      undefined,
      [],
    ]);
  },
);

test("K1 the example resource is not enabled again by a change of another field, but after a refresh", async () => {
  const hooks = served();
  const { id, state } = await hooks.create(inputs);
  hooks.live.set(id, { ...hooks.live.get(id), enabled: false });
  hooks.calls.length = 0;
  const changed = { ...inputs, url: "https://b.test" };
  const { message, kept } = await failureOf(hooks.update(id, state, changed));
  expect(message).toContain("enabled: the service has false, state has true. Run `pulumi up --refresh`");
  expect([kept, hooks.calls.filter(({ method }) => method !== "GET")]).toEqual([undefined, []]);
  const refreshed = await hooks.read(id, state);
  expect(await hooks.update(id, refreshed?.state ?? {}, changed)).toMatchObject(changed);
  expect(hooks.live.get(id)).toMatchObject({ url: changed.url, enabled: true });
});
