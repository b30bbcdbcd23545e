import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../../provider/core/errors";
import { apiKey } from "../../../provider/resources/apiKey";
import { canonicalScopes } from "../../../provider/resources/apiKey/scopes";
import { failureOf, replying } from "../replying";
import { declared } from "./recordArbitraries";
import { type HeldKey, type Script, scripted } from "./scripted";

const inputs = { workspaceId: "ws_1", customerId: "cus_1", name: "ci", enabled: true, scopes: [] };
const orders = { representation: "orders", create: false, read: true, update: false, del: false };

/** Creates with the inputs, then updates with the change. */
async function changed(change: object, script: Script) {
  const service = scripted(script);
  const { id, state } = await service.create({ ...inputs });
  service.calls.length = 0;
  return { service, outcome: await outcomeOf(service.update(id, state, { ...inputs, ...change })) };
}

async function outcomeOf(update: Promise<Record<string, unknown>>) {
  try {
    return { state: await update, failure: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { state: error.kept?.state, failure: error.message };
  }
}

/** A service that rewrites the name, and nothing else. */
const naming = (spell: (name: string) => string): Script => ({
  write: (asked) => ({ ...asked, name: spell(asked.name) }),
});

describe("a name", () => {
  test("R4 that was changed but still has its old value is an error, and state has the old value", async () => {
    const { outcome } = await changed(
      { name: "new" },
      naming(() => "ci"),
    );
    expect(outcome.failure).toMatch(/name: the program has "new", the service still has "ci"/);
    expect(outcome.state).toMatchObject({ name: "ci" });
  });

  test("R4 that did not change is accepted as the service rewrote it before, if another field changes", async () => {
    const { outcome } = await changed(
      { enabled: false },
      naming((text) => `${text}-rewritten`),
    );
    expect(outcome.failure).toBeUndefined();
    const slug = await changed(
      { enabled: false },
      naming(() => "a slug"),
    );
    expect(slug.outcome.failure).toBeUndefined();
    expect(slug.outcome.state).toMatchObject({ name: "ci", enabled: false });
  });
});

describe("enabled and scopes", () => {
  test("K1 are updated by one GET and one PATCH with all updatable fields, if the answer matches the program", async () => {
    const { service } = await changed({ scopes: [{ representation: "orders", read: true }] }, {});
    expect(service.methods()).toBe("GET PATCH");
    expect(service.calls[1]?.body).toMatchObject({ name: "ci", enabled: true, scopes: [orders] });
  });

  test("K4 that lose rights are read after the PATCH, because its answer may only repeat the request", async () => {
    const { service, outcome } = await changed({ enabled: false }, { answer: "echo" });
    expect(service.methods()).toBe("GET PATCH GET");
    expect(outcome.failure).toBeUndefined();
    const kept: Script = {
      answer: "echo",
      write: (asked, before) => ({ ...asked, ...(before && { enabled: true, scopes: before.scopes }) }),
    };
    const disabled = await changed({ enabled: false }, kept);
    expect(disabled.outcome.failure).toContain("enabled: the program has false, the service still has true");
    const wide = scripted(kept);
    const { id, state } = await wide.create({ ...inputs, scopes: [{ ...orders, del: true }] });
    const narrowed = await outcomeOf(wide.update(id, state, { ...inputs, scopes: [orders] }));
    expect(narrowed.failure).toContain(
      "scopes: the program has orders (read), the service still has orders (read, del)",
    );
  });

  test("K4 that lose only rights which a read has shown, or another spelling, are read after the PATCH too", async () => {
    const adding = (extra: HeldKey["scopes"]): Script => ({
      answer: "echo",
      write: (asked, before) => ({ ...asked, scopes: [...(before?.scopes ?? extra), ...asked.scopes] }),
    });
    const admin = { ...orders, representation: "admin" };
    const created = await scripted({ ...adding([admin]), createAnswer: ({ scopes: _, ...key }) => key })
      .create({ ...inputs, scopes: [orders] })
      .catch((error: Error) => error.message);
    expect(created).toContain("the program has orders (read), the service has admin (read), orders (read)");
    const respelling = scripted(adding([]));
    const { id, state } = await respelling.create({ ...inputs, scopes: [admin] });
    const scopes = [{ ...orders, representation: "Admin" }];
    const respelled = await outcomeOf(respelling.update(id, state, { ...inputs, scopes }));
    expect(respelled.failure).toContain("scopes: the program has Admin (read)");
  });

  test("K4 that the service spells in another form keep their permissions, and the error shows both forms", async () => {
    const lower = (scope: HeldKey["scopes"][number]) =>
      [String(scope["representation"]).toLowerCase(), scope] as const;
    const write = (asked: HeldKey): HeldKey => {
      const scopes = Array.from(new Map(asked.scopes.map(lower)), ([name, scope]) => ({
        ...scope,
        representation: name,
      }));
      return { ...asked, scopes };
    };
    const { service, outcome } = await changed(
      { scopes: [{ representation: "Orders", read: true }] },
      { write },
    );
    expect(outcome.failure).toContain("scopes: the program has Orders (read), the service has orders (read)");
    expect(service.held().scopes).toEqual([orders]);
  });

  test("K4 are not revoked as a whole if it is enough to send the declared PATCH again", async () => {
    let patches = 0;
    const write = (asked: HeldKey, before: HeldKey | undefined): HeldKey => {
      if (before !== undefined) patches += 1;
      return before !== undefined && patches === 1 ? before : asked;
    };
    const service = scripted({ write });
    const { id, state } = await service.create({
      ...inputs,
      scopes: [{ representation: "orders", read: true, update: true }],
    });
    await service.update(id, state, { ...inputs, scopes: [{ representation: "orders", read: true }] });
    const sent = service.calls.filter(({ method }) => method === "PATCH").map(({ body }) => body);
    expect(sent).toHaveLength(2);
    for (const body of sent) expect(body).toMatchObject({ scopes: [orders] });
  });

  test("K4 R4 are waited for once if the service changes nothing, although a second PATCH follows", async () => {
    const both = [{ representation: "orders", read: true, update: true }];
    const service = scripted({ write: (asked, before) => before ?? asked });
    const { id, state } = await service.create({ ...inputs, scopes: both });
    service.calls.length = 0;
    const scopes = [{ representation: "orders", read: true }];
    const { failure } = await outcomeOf(service.update(id, state, { ...inputs, scopes }));
    expect(failure).toContain(
      "scopes: the program has orders (read), the service still has orders (read, update)",
    );
    expect(service.methods()).toBe(`GET PATCH${" GET".repeat(6)} PATCH GET`);
  });

  test("K4 an answer that shows the key before the write doesn't confirm the last PATCH", async () => {
    const moods = ["adds", "drops", "adds", "drops"];
    const write = (asked: HeldKey, before: HeldKey | undefined): HeldKey => {
      if (before === undefined) return asked;
      if (moods.shift() === "drops") return { ...asked, scopes: asked.scopes.slice(1) };
      return { ...asked, scopes: [...before.scopes, ...asked.scopes] };
    };
    const all = { create: true, read: true, update: true, del: true };
    const service = scripted({ write, answer: "before" });
    const { id, state } = await service.create({
      ...inputs,
      scopes: [
        { representation: "carts", create: true, del: true },
        { representation: "users", update: true, del: true },
      ],
    });
    const scopes = [
      { representation: "carts", ...all },
      { representation: "users", create: true },
    ];
    const { failure } = await outcomeOf(service.update(id, state, { ...inputs, scopes }));
    expect(canonicalScopes(service.held().scopes)).toHaveLength(1);
    expect(failure).toContain("scopes: the program has");
  });

  test("K4 a key never stays wider than declared without an error, whatever the service does with a PATCH", async () => {
    const whims = fc.infiniteStream(fc.constantFrom("takes", "adds", "ignores", "drops"));
    await fc.assert(
      fc.asyncProperty(
        declared,
        declared,
        whims,
        fc.constantFrom("after", "before", "nothing"),
        async (first, then, moods, answer) => {
          const write = (asked: HeldKey, before: HeldKey | undefined): HeldKey => {
            const mood = before === undefined ? "takes" : moods.next().value;
            if (mood === "takes" || before === undefined) return asked;
            if (mood === "ignores") return before;
            if (mood === "drops") return { ...asked, scopes: asked.scopes.slice(1) };
            return { ...asked, scopes: [...before.scopes, ...asked.scopes] };
          };
          const service = scripted({ write, answer });
          const { id, state } = await service.create(first);
          const outcome = await outcomeOf(service.update(id, state, then));
          const granted = canonicalScopes(service.held().scopes);
          if (outcome.failure === undefined) expect(granted).toEqual(then["scopes"]);
          // Success or not, state has what the service has.
          expect(outcome.state?.["scopes"]).toEqual(granted);
          expect(outcome.state?.["enabled"]).toBe(service.held().enabled);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("a value that the service chooses again at each PATCH", () => {
  test("R18 stays in state as the preview showed it, until a refresh reads it once", async () => {
    const write = (asked: HeldKey, before: HeldKey | undefined): HeldKey =>
      before === undefined
        ? { ...asked, expiresAt: 1_000, prefix: "one", billingId: "bill_1" }
        : { ...asked, expiresAt: 2_000, prefix: "two", billingId: "bill_2" };
    const { service, outcome } = await changed({ enabled: false }, { write });
    const written = { effectiveExpiresAt: 1_000, effectivePrefix: "one", billingId: "bill_1" };
    expect(outcome).toMatchObject({ state: written });
    const read = await service.read("key_1", outcome.state ?? {});
    const now = { effectiveExpiresAt: 2_000, effectivePrefix: "two", billingId: "bill_2" };
    expect(read?.state).toEqual({ ...outcome.state, ...now });
    expect(await service.read("key_1", read?.state ?? {})).toEqual({ id: "key_1", state: read?.state });
    expect(service.warnings).toEqual([]);
  });
});

describe("a key that is created", () => {
  test("R4 gets one PATCH if the service ignored enabled", async () => {
    const service = scripted({
      write: (asked, before) => (before === undefined ? { ...asked, enabled: true } : asked),
    });
    const { state } = await service.create({ ...inputs, enabled: false });
    expect(service.methods()).toBe("POST GET PATCH GET");
    expect(service.held().enabled).toBe(false);
    expect(state).toMatchObject({ enabled: false, key: "sk_secret" });
  });
});

describe("R4 an update of a key that has expired and that the service has disabled", () => {
  const createdAt = "2026-01-01T00:00:00Z";
  const time = Date.parse("2026-11-25T00:00:00Z");
  const on = (own: object, isAdopted = false) => {
    const current = { id: "key_1", name: "ci", customerId: "c", scopes: [], enabled: false, ...own };
    const keys = replying(apiKey, () => ({ apiKey: { createdAt, ...current } }), { currentTime: () => time });
    const inputs = { workspaceId: "ws_1", customerId: "c", name: "ci", scopes: [], enabled: true };
    const update = () => keys.update("key_1", { ...inputs, enabled: false, key: "sk_1" }, inputs);
    const adopt = () => keys.create({ ...inputs, existingId: "key_1" });
    return { keys, failing: failureOf(isAdopted ? adopt() : update()) };
  };

  test.each([
    ["in seconds", Date.parse("2026-11-01T00:00:00Z") / 1_000, false],
    ["in milliseconds", Date.parse("2026-11-01T00:00:00Z"), false],
    ["in seconds, and that the program adopts", Date.parse("2026-11-01T00:00:00Z") / 1_000, true],
  ])("sends no write, and the error begins with the expiry (%s)", async (_unit, expiresAt, isAdopted) => {
    const { keys, failing } = on({ expiresAt }, isAdopted);
    const { message, kept } = await failing;
    expect(message).toMatch(
      /^\w+ key "ci" in workspace ws_1 \(key_1\): it expired at 2026-11-01T00:00:00\.000Z, .* declare enabled: false\.$/,
    );
    expect(kept).toBeUndefined();
    expect(keys.calls.map(({ method }) => method)).toEqual(["GET"]);
    expect(keys.progress).toEqual([]);
  });

  test.each([
    ["that is later", { expiresAt: (time + 1_000) / 1_000 }],
    ["that counts from the creation", { expiresAt: 2_592_000 }],
    [
      "in an unknown unit, because the service doesn't say when it was created",
      { expiresAt: 1_790_000_000, createdAt: null },
    ],
  ])("sends the write with an expiry %s", async (_what, own) => {
    const { keys, failing } = on(own);
    expect((await failing).message).toContain("the service did not apply the change");
    expect(keys.calls.map(({ method }) => method)).toContain("PATCH");
  });
});
