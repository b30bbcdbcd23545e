import { expect, test } from "vitest";
import { defaultTenants, type Fault } from "../../../standin";
import { migratedKey, newKey, open } from "./standInCaller";

const broken: Fault = { kind: "status", status: 503 };

test.each<[Fault, status: number | undefined, isCarriedOut: boolean, answer?: object]>([
  [{ kind: "resetBefore" }, undefined, false],
  [{ kind: "resetAfter" }, undefined, true],
  [{ kind: "truncated" }, undefined, true],
  [{ kind: "errorAfter" }, 500, true, { message: expect.any(String) }],
  [broken, 503, false, { message: expect.any(String) }],
  [{ kind: "status", status: 402, body: { a: 1 } }, 402, false, { a: 1 }],
  [{ kind: "garbled" }, 200, true],
  [{ kind: "drip", bytesPerSecond: 5_000 }, 201, true, { apiKey: { name: "ci" } }],
  [{ kind: "hugeBody", bytes: 100_000 }, 201, true, { apiKey: { name: "ci" } }],
  [{ kind: "emptyBody", status: 202 }, 202, true],
  [{ kind: "withoutKey" }, 201, true, { apiKey: expect.not.objectContaining({ key: expect.anything() }) }],
  [{ kind: "otherRecord" }, 201, true, { apiKey: { id: expect.stringMatching(/-other$/) } }],
  [{ kind: "withoutEffect" }, 201, false, { apiKey: { name: "ci", key: expect.any(String) } }],
])(
  "the stand-in answers a create with this fault, and carries it out or not, as documented: %j",
  async (...row) => {
    const [fault, status, isCarriedOut, answer] = row;
    const { standIn, post, get } = await open();
    standIn.inject({ fault });
    const reply = await post("/api-key", newKey).catch(() => undefined);
    expect(reply?.status).toBe(status);
    if (answer === undefined) expect(reply?.body).toBeUndefined();
    else expect(reply?.body).toMatchObject(answer);
    expect(standIn.requests[0]).toMatchObject({ fault: fault.kind, carriedOut: isCarriedOut });
    expect(standIn.keys()).toHaveLength(isCarriedOut ? 1 : 0);
    expect((await get("/workspace")).status).toBe(200);
  },
);

test.each([true, false])(
  "the stand-in hangs without an answer, and may carry the request out: %s",
  async (carriedOut) => {
    const { standIn, post } = await open();
    standIn.inject({ fault: { kind: "hang", carriedOut } });
    const reply = expect(post("/api-key", newKey)).rejects.toThrow();
    await expect.poll(() => standIn.requests.length).toBe(1);
    expect(standIn.keys()).toHaveLength(carriedOut ? 1 : 0);
    expect(standIn.requests[0]).toMatchObject({ status: 0, carriedOut });
    await standIn.close();
    await reply;
  },
);

test("the stand-in carries out a create twice, and answers with the second key", async () => {
  const { standIn, post } = await open();
  standIn.inject({ fault: { kind: "twice" } });
  const { body } = await post("/api-key", newKey);
  expect(standIn.keys().map(({ name }) => name)).toEqual(["ci", "ci"]);
  expect(body.apiKey.id).toBe(standIn.keys()[1]?.id);
  expect(standIn.requests).toMatchObject([{ fault: "twice", carriedOut: true }]);
});

test("the stand-in has no other record for an answer without one", async () => {
  const { standIn, create, get, keyPath } = await open({ readDeleted: "null" });
  const { id } = await create();
  standIn.deleteKey(id);
  standIn.inject({ fault: { kind: "otherRecord" } });
  expect((await get(keyPath(id))).body).toEqual({ apiKey: null });
});

test("the stand-in answers with another record of the same tenant, if there is one", async () => {
  const other = { accessToken: "other", workspaces: [{ id: "ws_other" }] };
  const { standIn, create, get, keyPath } = await open({}, { tenants: [...defaultTenants, other] });
  standIn.addKey({ workspaceId: "ws_other", name: "foreign" });
  const [first, second] = [await create(), await create()];
  standIn.inject({ fault: { kind: "otherRecord" } });
  expect((await get(keyPath(second.id))).body.apiKey.id).toBe(first.id);
});

type WithoutEffect = Omit<Extract<Fault, { kind: "withoutEffect" }>, "kind">;

test.each<[WithoutEffect, number, unknown, unknown]>([
  [{}, 200, "new", true],
  [{ answer: "before", status: 202 }, 202, "ci", false],
  [{ answer: "nothing", status: 204 }, 204, "", ""],
  [{ answer: "emptyObject" }, 200, "{}", "{}"],
])(
  "the stand-in answers a PATCH and a DELETE that have no effect with %j",
  async (fault, status, name, deleted) => {
    const { standIn, create, patch, del, keyPath } = await open();
    const path = keyPath((await create()).id);
    const before = standIn.keys();
    standIn.inject({ times: 2, fault: { kind: "withoutEffect", ...fault } });
    const [edit, deletion] = [await patch(path, { name: "new" }), await del(path)];
    expect([edit.status, edit.body?.apiKey?.name ?? edit.text]).toEqual([status, name]);
    expect([deletion.status, deletion.body?.apiKey?.deleted ?? deletion.text]).toEqual([status, deleted]);
    expect(standIn.requests.at(-1)?.carriedOut).toBe(false);
    expect(standIn.keys()).toEqual(before);
  },
);

test("the stand-in answers POSTs that have no effect with records that were never created", async () => {
  const { standIn, get, post, keyPath } = await open();
  standIn.inject({ times: 3, fault: { kind: "withoutEffect" } });
  const { apiKey } = (await post("/api-key/migrate", migratedKey)).body;
  expect(standIn.secrets()).toContain(apiKey.key);
  const scope = { name: "s", representation: "s", description: "" };
  expect((await post("/workspace/ws_main/scope", scope)).body.scope.name).toBe("s");
  const credits = { totalCredits: "1", workspaceId: "ws_main" };
  expect((await post("/customer-billing", credits)).body.billing.totalCredits).toBe("1");
  expect([standIn.keys(), standIn.scopes("ws_main"), standIn.billings()]).toEqual([[], [], []]);
  expect((await get(keyPath(apiKey.id))).status).toBe(404);
});

test("a fault of the stand-in applies once by default, `after` some requests, or several `times`", async () => {
  const { standIn, get } = await open();
  const statuses = async (count: number) => {
    const seen: number[] = [];
    for (let n = 0; n < count; n += 1) seen.push((await get("/workspace")).status);
    return seen;
  };
  standIn.inject({ after: 1, fault: broken });
  expect(await statuses(3)).toEqual([200, 503, 200]);
  standIn.inject({ times: Number.POSITIVE_INFINITY, fault: broken });
  expect(await statuses(5)).toEqual([503, 503, 503, 503, 503]);
  standIn.clearFaults();
  expect(await statuses(1)).toEqual([200]);
  // A rule also counts the requests that another one applies to.
  standIn.inject({ fault: broken });
  standIn.inject({ after: 1, fault: { kind: "status", status: 502 } });
  expect(await statuses(3)).toEqual([503, 502, 200]);
});

test("a fault of the stand-in applies only to the given endpoints and condition", async () => {
  const { standIn, get } = await open();
  standIn.inject({ endpoint: ["readWorkspace", "listScopes"], fault: broken });
  standIn.inject({
    when: ({ path }) => path.endsWith("ws_second"),
    fault: { kind: "status", status: 500 },
  });
  expect((await get("/workspace")).status).toBe(200);
  expect((await get("/workspace/ws_main/scopes")).status).toBe(503);
  expect((await get("/workspace/ws_main")).status).toBe(200);
  expect((await get("/workspace/ws_second")).status).toBe(500);
});

test("a fault of the stand-in doesn't carry out a request that would be refused", async () => {
  const { standIn, post } = await open();
  standIn.inject({ fault: { kind: "resetAfter" } });
  await expect(post("/api-key", { name: "x" })).rejects.toThrow();
  expect(standIn.requests[0]).toMatchObject({ carriedOut: false, fault: "resetAfter" });
});
