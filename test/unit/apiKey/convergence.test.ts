import fc from "fast-check";
import { expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { Failure } from "../../../provider/core/errors";
import { apiKey } from "../../../provider/resources/apiKey";
import { canonicalScopes } from "../../../provider/resources/apiKey/scopes";
import { failureOf, refused, replying } from "../replying";
import { alive, keyOn, record, state } from "./keyAnswers";
import { declared } from "./recordArbitraries";

/** A key in the service, with scopes as in requests. */
interface HeldKey {
  readonly name: string;
  readonly enabled: boolean;
  readonly scopes: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

interface Script {
  /** The key after a create or PATCH. Default: it has the fields of the request. */
  readonly write?: (asked: HeldKey, before: HeldKey | undefined) => HeldKey;
  /** The answer to a PATCH: the key before or after it, the request's values, or nothing. Default: after. */
  readonly answer?: "after" | "before" | "echo" | "nothing";
  /** The fields of the key in the answer to a create. Default: all. */
  readonly createAnswer?: (key: HeldKey) => object;
  /** Called after a PATCH. */
  readonly answerTo?: () => void;
}

/** An ApiKey on a service in memory that has one key and behaves as the script says. */
function scripted({
  write = (asked) => asked,
  answer = "after",
  createAnswer = (created) => created,
  answerTo = () => {},
}: Script) {
  let held: HeldKey | undefined;
  const shown = (of: HeldKey) => ({ apiKey: { id: "key_1", ...of } });
  const key = replying(apiKey, ({ method, path, body }) => {
    if (path.endsWith("/api-key") && method === "GET") return { apiKeys: [] };
    if (method === "GET" && held !== undefined) return shown(held);
    const before = held;
    held = write({ ...before, ...(body as HeldKey) }, before);
    if (method === "POST") return { apiKey: { ...createAnswer(held), id: "key_1", key: "sk_secret" } };
    answerTo();
    if (answer === "nothing") return "";
    if (answer === "echo") return shown({ ...held, ...(body as HeldKey) });
    return shown(answer === "after" || before === undefined ? held : before);
  });
  return { ...key, held: () => held as HeldKey };
}

const inputs = { workspaceId: "ws_1", customerId: "cus_1", name: "ci", enabled: true, scopes: [] };
const orders = { representation: "orders", create: false, read: true, update: false, del: false };

/** Creates with the first inputs, then updates with a change of them. */
async function changed(script: Script, change: object, first: object = inputs) {
  const key = scripted(script);
  const { id, state } = await key.create({ ...first });
  key.calls.length = 0;
  const updated = await key.update(id, state, { ...first, ...change }).then(
    (state) => ({ state, failure: undefined }),
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return { state: error.kept?.state ?? {}, failure: error.message };
    },
  );
  return { ...key, ...updated, methods: key.calls.map(({ method }) => method).join(" ") };
}

test("R4 a name that the service rewrote before may stay so if another field changes", async () => {
  const write = (asked: HeldKey) => ({ ...asked, name: "a slug" });
  const { failure, state } = await changed({ write }, { enabled: false });
  expect([failure, state]).toMatchObject([undefined, { name: "ci", enabled: false }]);
});

test("K1: an update is one GET and one PATCH with all updatable fields, if the answer matches the program", async () => {
  const { methods, calls } = await changed({}, { scopes: [{ representation: "orders", read: true }] });
  expect(methods).toBe("GET PATCH");
  expect(calls[1]?.body).toMatchObject({ name: "ci", enabled: true, scopes: [orders] });
});

test("K4 rights that are taken away are read after the PATCH, because its answer may only repeat the request", async () => {
  const taken = await changed({ answer: "echo" }, { enabled: false });
  expect([taken.methods, taken.failure]).toEqual(["GET PATCH GET", undefined]);
  const kept: Script = {
    answer: "echo",
    write: (asked, before) => ({ ...asked, ...(before && { enabled: true, scopes: before.scopes }) }),
  };
  const disabled = await changed(kept, { enabled: false });
  expect(disabled.failure).toContain("enabled: should be false, the service has true");
  const wide = { ...inputs, scopes: [{ ...orders, del: true }] };
  expect((await changed(kept, { scopes: [orders] }, wide)).failure).toContain(
    'scopes: should be [{"representation":"orders","read":true}], the service has [{"representation":"orders","read":true,"del":true}]',
  );
});

test("K4 rights which only a read has shown, or that another spelling takes away, are read after the PATCH too", async () => {
  const admin = { ...orders, representation: "admin" };
  const adding = (extra: HeldKey["scopes"]): Script => ({
    answer: "echo",
    write: (asked, before) => ({ ...asked, scopes: [...(before?.scopes ?? extra), ...asked.scopes] }),
  });
  const created = scripted({ ...adding([admin]), createAnswer: ({ scopes: _, ...key }) => key });
  await expect(created.create({ ...inputs, scopes: [orders] })).rejects.toThrow(
    'should be [{"representation":"orders","read":true}], the service has [{"representation":"admin","read":true},{"representation":"orders","read":true}]',
  );
  const scopes = [{ ...orders, representation: "Admin" }];
  const respelled = await changed(adding([]), { scopes }, { ...inputs, scopes: [admin] });
  expect(respelled.failure).toContain('scopes: should be [{"representation":"Admin","read":true}]');
});

const folded = (scopes: HeldKey["scopes"]) =>
  canonicalScopes(
    scopes.map((scope) => ({ ...scope, representation: String(scope["representation"]).toLowerCase() })),
  ) as HeldKey["scopes"];

test("K4 scopes that the service spells in another form are as declared: after a create, an update, a refresh, a lost answer and drift", async () => {
  let isLost = false;
  const key = scripted({
    write: (asked) => ({ ...asked, scopes: folded(asked.scopes).map((scope) => ({ ...scope, id: "s1" })) }),
    answerTo: () => {
      if (isLost) throw new CallError("ambiguous", "no answer came");
    },
  });
  const of = (flags: object, name = "ci") => ({
    ...inputs,
    name,
    scopes: [{ representation: "Orders", ...flags }],
  });
  const { id, state } = await key.create(of({ read: true }));
  const renamed = await key.update(id, state, of({ read: true }, "cd"));
  expect(key.calls.at(-1)?.body).toMatchObject({ scopes: [{ representation: "orders", id: "s1" }] });
  expect((await key.read(id, renamed))?.state).toEqual(renamed);
  expect(renamed["scopes"]).toEqual([{ representation: "Orders", read: true }]);
  isLost = true;
  const { kept } = await failureOf(key.update(id, renamed, of({ read: true, del: true })));
  isLost = false;
  const wide = of({ read: true, del: true });
  expect(await key.update(id, kept?.state ?? {}, wide)).toMatchObject(wide);
  const drifted = (await key.read(id, renamed))?.state ?? {};
  expect(drifted).toMatchObject({ scopes: [{ representation: "orders", read: true, del: true }] });
  expect(await key.update(id, drifted, of({ read: true }))).toMatchObject(of({ read: true }));
});

test("K4 a scope that was removed, but that the service keeps, is taken away by a second PATCH", async () => {
  const named = (scope: HeldKey["scopes"][number]) => [scope["representation"], scope] as const;
  const write = (asked: HeldKey, before: HeldKey | undefined): HeldKey => {
    const merged = new Map([...(before?.scopes ?? []), ...asked.scopes].map(named));
    return { ...asked, scopes: [...merged.values()] };
  };
  const wide = { ...inputs, scopes: [{ ...orders, representation: "admin" }, orders] };
  const { failure, held } = await changed({ write }, { scopes: [orders] }, wide);
  expect(failure).toBeUndefined();
  expect(canonicalScopes(held().scopes)).toEqual([{ representation: "orders", read: true }]);
});

test("K4 scopes are not revoked as a whole if it is enough to send the declared PATCH again", async () => {
  let patches = 0;
  const write = (asked: HeldKey, before: HeldKey | undefined): HeldKey => {
    if (before !== undefined) patches += 1;
    return before !== undefined && patches === 1 ? before : asked;
  };
  const wide = { ...inputs, scopes: [{ representation: "orders", read: true, update: true }] };
  const { calls } = await changed({ write }, { scopes: [{ representation: "orders", read: true }] }, wide);
  const sent = calls.filter(({ method }) => method === "PATCH").map(({ body }) => body);
  expect(sent).toMatchObject([{ scopes: [orders] }, { scopes: [orders] }]);
});

test("K4: a key never stays wider than declared without an error, whatever the service does with a PATCH", async () => {
  const whims = fc.infiniteStream(fc.constantFrom("takes", "adds", "ignores", "drops", "merges"));
  await fc.assert(
    fc.asyncProperty(
      declared,
      declared,
      whims,
      fc.constantFrom("after", "before", "nothing"),
      async (first, then, moods, answer) => {
        // Of two scopes that differ only in form, one counts as the other (R4).
        const both = [first, then].flatMap(({ scopes }) => canonicalScopes(scopes) ?? []);
        const count = (form: (text: string) => string) =>
          new Set(both.map(({ representation }) => form(representation))).size;
        fc.pre(count((text) => text) === count((text) => text.toLowerCase()));
        const write = (asked: HeldKey, before: HeldKey | undefined): HeldKey => {
          const mood = before === undefined ? "takes" : moods.next().value;
          if (mood === "takes" || before === undefined) return asked;
          if (mood === "ignores") return before;
          if (mood === "drops") return { ...asked, scopes: asked.scopes.slice(1) };
          // It knows no other representations.
          const known = before.scopes.map(
            (scope) =>
              asked.scopes.find(({ representation }) => representation === scope["representation"]) ?? scope,
          );
          if (mood === "merges") return { ...asked, scopes: known };
          return { ...asked, scopes: [...before.scopes, ...asked.scopes] };
        };
        const { failure, held, state } = await changed({ write, answer }, then, first);
        const granted = canonicalScopes(held().scopes);
        if (failure === undefined) expect(granted).toEqual(then["scopes"]);
        // Success or not, state has what the service has.
        expect(state).toMatchObject({ scopes: granted, enabled: held().enabled });
      },
    ),
    { numRuns: 300 },
  );
});

test("R18 a value that the service chooses again at each PATCH stays in state as previewed, until a refresh reads it once", async () => {
  const write = (asked: HeldKey, before: HeldKey | undefined): HeldKey =>
    before === undefined
      ? { ...asked, expiresAt: 1_000, prefix: "one", billingId: "bill_1" }
      : { ...asked, expiresAt: 2_000, prefix: "two", billingId: "bill_2" };
  const { state, read, warnings } = await changed({ write }, { enabled: false });
  expect(state).toMatchObject({ effectiveExpiresAt: 1_000, effectivePrefix: "one", billingId: "bill_1" });
  const seen = (await read("key_1", state))?.state ?? {};
  const now = { effectiveExpiresAt: 2_000, effectivePrefix: "two", billingId: "bill_2" };
  expect(seen).toEqual({ ...state, ...now });
  expect(await read("key_1", seen)).toEqual({ id: "key_1", state: seen });
  expect(warnings).toEqual([]);
});

test.each([
  ["the key as it was", alive],
  ["nothing", ""],
])("R4 an update waits for a change that shows later if PATCH is answered with %s", async (_what, write) => {
  const later = { apiKey: { ...record, enabled: false } };
  const service = keyOn({ write, reads: [alive, alive, alive, later] });
  expect(await service.update("key_1", state, { ...state, enabled: false })).toMatchObject({
    enabled: false,
  });
  expect(service.calls.map(({ method }) => method).join(" ")).toBe("GET PATCH GET GET GET");
});

test.each([
  [
    "a scope was removed",
    { scopes: [{ representation: "orders", read: true }] },
    'the service has [{"representation":"orders","read":true}]',
  ],
  ["a key was disabled", { enabled: true }, "enabled: should be false, the service has true"],
])("R4 an answer that leaves out a field is no proof that %s: a read decides", async (_what, held, words) => {
  const there = { ...record, scopes: [], ...held };
  const write = { apiKey: { ...record, scopes: undefined, enabled: undefined } };
  const service = keyOn({ write, reads: [{ apiKey: there }] });
  const inputs = { ...state, scopes: [], enabled: false };
  const { kept, message } = await failureOf(service.update("key_1", { ...state, ...held }, inputs));
  expect(message).toContain(words);
  expect(kept?.state).toMatchObject(held);
});

test("R4 an update that may have been carried out fails with the previous values in state, so that undoing it is a change", async () => {
  const write = new CallError("ambiguous", "the service answered 500", 500);
  // The service's name has drifted.
  const held = { ...state, name: "was" };
  const declared = { ...held, scopes: [{ representation: "orders", read: true }] };
  const { kept, message } = await failureOf(keyOn({ write }).update("key_1", held, declared));
  expect(kept).toMatchObject({ id: "key_1", state: { scopes: [], name: "ci" } });
  expect(message).toMatch(
    /^Updating key "was" in .*State has the values that the service last showed\. It is not known whether the change was applied\./,
  );
});

const ambiguous = (status: number) => new CallError("ambiguous", `the service answered ${status}`, status);
const isGone = /no longer exists.*State is unchanged\. Run `pulumi up --refresh`/;
test.each([
  ["a 404, but the key exists", refused(404), alive, /answered 404\. State is unchanged\. Check/],
  [
    "a 422, and the key can't be read any more",
    refused(422),
    ambiguous(503),
    /answered 422\. State is unchanged/,
  ],
  ["a 404, and the key is gone", refused(404), refused(404), isGone],
  ["a 409, and the key is gone", refused(409), refused(404), isGone],
  [
    "a 404 after a lost answer, but the key exists",
    ambiguous(404),
    alive,
    /not known whether the change was/,
  ],
])(
  "R6 the error of an update whose PATCH is answered with %s, says so",
  async (_what, write, then, words) => {
    const service = keyOn({ write, reads: [alive, then] });
    const { message } = await failureOf(service.update("key_1", state, { ...state, enabled: false }));
    expect(message).toMatch(words);
  },
);
