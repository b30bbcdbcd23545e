import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Transport } from "../../../provider/client/send";
import { notAppliedWords, openWords, warningsOf } from "../../../provider/core/converge";
import type { Session } from "../../../provider/core/definition";
import { observedKey, type Properties, pick } from "../../../provider/core/state";
import { observe, sayingOf, sendable, settings, write } from "../../../provider/resources/workspaceSettings";

const say = sayingOf([]);
const blank = { id: "ws_1", name: "Main", teamId: undefined, createdAt: undefined, updatedAt: undefined };
const unset = {
  defaultKeyPrefix: undefined,
  defaultAllowedIPs: undefined,
  defaultRateLimitPerSecond: undefined,
  defaultExpiration: undefined,
};

interface Habits {
  readonly patch: "merges" | "replaces";
  readonly answer: "after" | "before" | "nothing" | "echo" | "accepted";
  /** How many GETs after a PATCH still show the values before it. Default: none. */
  readonly lag?: number;
  /** Turns the fields of a PATCH into what the service stores. */
  readonly take?: (asked: Properties, before: Properties) => Properties;
}

/** The names of settings that are not to change, or are to be restored. */
interface How {
  readonly unchanged?: readonly string[];
  readonly restored?: readonly string[];
}

/** A service of one workspace, in memory. */
function service(held: Properties, { patch, answer, lag = 0, take = (asked) => asked }: Habits) {
  let now: Properties = { ...unset, ...held };
  let past = { shown: now, left: 0 };
  const sent: Properties[] = [];
  const methods: string[] = [];
  const told: string[] = [];
  const transport: Transport = {
    send: async ({ method, body, read }) => {
      methods.push(method);
      const before = now;
      if (method === "PATCH") {
        sent.push(body as Properties);
        now = { ...(patch === "merges" ? before : unset), ...take(body as Properties, before) };
        past = { shown: before, left: lag };
      }
      if (method === "PATCH" && answer === "nothing") return read("");
      const late = method === "GET" && past.left > 0;
      if (late) past.left -= 1;
      const answered =
        answer === "before"
          ? before
          : answer === "echo" || answer === "accepted"
            ? { ...before, ...(body as object) }
            : now;
      const shown = method === "PATCH" ? answered : late ? past.shown : now;
      const reading = read(JSON.stringify({ workspace: { ...blank, ...shown } }));
      return method === "PATCH" && answer === "accepted" ? { ...reading, deferred: true } : reading;
    },
    writes: 0,
    close: async () => {},
  };
  const credentials = { baseUrl: "https://api.test", accessToken: "token" };
  const session = {
    call: { transport, credentials },
    over: new AbortController().signal,
    pause: async () => {},
    tell: (line: string) => void told.push(line),
  };
  const begun = now;
  return {
    sent,
    methods,
    told,
    held: () => now,
    write: async (target: Properties, { unchanged = [], restored = [] }: How = {}) => {
      const settled = await write(
        session as unknown as Session,
        { ...blank, ...begun } as never,
        { ...pick(target, unchanged), [observedKey]: pick(begun, unchanged) },
        pick(
          target,
          names.filter((name) => !restored.includes(name)),
        ),
        pick(target, restored),
      );
      return { ...settled, notApplied: openWords(settled, say), warnings: warningsOf(settled, say) };
    },
  };
}

const merging: Habits = { patch: "merges", answer: "after" };
const replacing: Habits = { patch: "replaces", answer: "after" };
const names = Object.keys(unset);

const values = {
  defaultKeyPrefix: fc.constantFrom("a", "b"),
  defaultAllowedIPs: fc.constantFrom([], ["10.0.0.1"], ["10.0.0.0/8", "::1"]),
  defaultRateLimitPerSecond: fc.constantFrom(1, 2),
  defaultExpiration: fc.constantFrom(1, 2),
};
const some = fc.record(values, { requiredKeys: [] });

describe("writing settings of a workspace", () => {
  test("W1 applies the declared values and changes no others, whether PATCH merges or replaces", async () => {
    const habits = fc.record({
      patch: fc.constantFrom("merges", "replaces"),
      answer: fc.constantFrom("after", "before", "nothing"),
    }) as fc.Arbitrary<Habits>;
    await fc.assert(
      fc.asyncProperty(some, some, habits, async (held, target, how) => {
        const one = service(held, how);
        const { notApplied, warnings, record } = await one.write(target);
        expect([notApplied, warnings]).toEqual([[], []]);
        expect(observe(one.held() as never)).toEqual(observe({ ...held, ...target } as never));
        expect(observe(record)).toEqual(observe(one.held() as never));
        expect(one.sent.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("W2 sends nothing if the service already has the values, in any spelling", async () => {
    const one = service({ defaultAllowedIPs: ["::1", "10.0.0.1/32"], defaultKeyPrefix: "a" }, replacing);
    await one.write({ defaultAllowedIPs: ["10.0.0.1", "0::1"] });
    await one.write({ defaultKeyPrefix: "a", defaultRateLimitPerSecond: 0 });
    expect(one.methods).toEqual([]);
  });

  test.each([-1, 2 ** 63])(
    "W1 does not repeat a number that counts as no value (%d), or an absent prefix",
    async (defaultExpiration) => {
      const held = { defaultRateLimitPerSecond: 0, defaultExpiration, defaultAllowedIPs: [] };
      const one = service(held, merging);
      await one.write({ defaultKeyPrefix: "a" });
      expect(one.sent).toEqual([{ defaultKeyPrefix: "a" }]);
      expect(sendable(settings, { ...blank, ...unset })).toEqual({});
    },
  );

  test("W1 an empty list that is not declared, which a service may refuse, is not sent", async () => {
    const one = service({ defaultAllowedIPs: [] }, replacing);
    await one.write({ defaultKeyPrefix: "a" });
    expect(one.sent).toEqual([{ defaultKeyPrefix: "a" }]);
  });

  test("W1 a value that the service gives to what had none is a warning, because no request can unset it", async () => {
    const filled = { defaultRateLimitPerSecond: 100 };
    const one = service({}, { ...replacing, take: (asked) => ({ ...filled, ...asked }) });
    const { notApplied, warnings } = await one.write({ defaultKeyPrefix: "a" });
    expect([notApplied, one.sent.length]).toEqual([[], 1]);
    expect(warnings).toEqual([
      "defaultRateLimitPerSecond: should be 0 again, the service has 100; it may have rewritten the value.",
    ]);
  });

  const stubborn = { patch: "merges", take: (_asked: Properties, before: Properties) => before } as const;

  test("R4 reads unchanged settings again until the change shows", async () => {
    for (const answer of ["nothing", "before", "accepted"] as const) {
      const one = service({ defaultExpiration: 60 }, { patch: "merges", answer, lag: 3 });
      const { notApplied, warnings } = await one.write({ defaultExpiration: 61 });
      expect([notApplied, warnings]).toEqual([[], []]);
      expect(one.methods).toEqual(["PATCH", "GET", "GET", "GET", "GET"]);
      expect(one.told).toEqual(["Waiting for workspace ws_1 to show the change."]);
    }
  });

  test("R4 does not wait for settings of which the service has changed one", async () => {
    const take = (asked: Properties) => ({ ...asked, defaultExpiration: 60 });
    const half = service({ defaultKeyPrefix: "old", defaultExpiration: 60 }, { ...merging, take });
    const { notApplied } = await half.write({ defaultKeyPrefix: "new", defaultExpiration: 61 });
    expect([half.methods, half.told]).toEqual([["PATCH", "GET"], []]);
    expect(notApplied).toHaveLength(1);
  });

  test("W5 restores exactly, numbers included, and a GET must show it", async () => {
    const all = ["defaultKeyPrefix", "defaultAllowedIPs", "defaultExpiration"];
    const held = { defaultKeyPrefix: "new", defaultAllowedIPs: ["::1"], defaultExpiration: 61 };
    const back = { defaultKeyPrefix: "old", defaultAllowedIPs: ["10.0.0.1/32"], defaultExpiration: 60 };
    for (const answer of ["nothing", "before", "echo"] as const) {
      const one = service(held, { ...stubborn, answer });
      const { notApplied, warnings } = await one.write(back, { restored: all });
      expect(notApplied).toEqual([
        'defaultKeyPrefix: should be "old" again, the service has "new"',
        "defaultAllowedIPs: should be 10.0.0.1/32 again, the service has ::1",
        "defaultExpiration: should be 60 again, the service has 61",
      ]);
      expect(warnings).toEqual([]);
    }
    const rounding = service(held, {
      ...merging,
      take: (asked) => ({ ...asked, defaultKeyPrefix: "OLD", defaultExpiration: 50 }),
    });
    expect((await rounding.write(back, { restored: all })).notApplied).toEqual([
      'defaultKeyPrefix: should be "old" again, the service has "OLD"',
      "defaultExpiration: should be 60 again, the service has 50",
    ]);
    const spelling = service(held, {
      ...merging,
      take: (asked) => ({ ...asked, defaultAllowedIPs: ["10.0.0.1"] }),
    });
    expect((await spelling.write(back, { restored: all })).notApplied).toEqual([]);
  });

  test("W1 names an undeclared setting that the PATCH lost", async () => {
    const take = (asked: Properties) => ({ ...asked, defaultExpiration: undefined });
    const one = service({ defaultExpiration: 5, defaultKeyPrefix: "a" }, { ...merging, take });
    const { notApplied, warnings } = await one.write({ defaultKeyPrefix: "b" });
    expect([notApplied, one.sent.length]).toEqual([[], 1]);
    expect(warnings).toEqual([
      "defaultExpiration: should be 5 again, the service has 0; it may have rewritten the value.",
    ]);
  });

  test("R4 fails if a value keeps its old value", async () => {
    const held = { defaultKeyPrefix: "old", defaultAllowedIPs: ["10.0.0.1"], defaultExpiration: 60 };
    const one = service(held, { ...merging, take: (_asked, before) => before });
    const target = { defaultKeyPrefix: "new", defaultAllowedIPs: [], defaultExpiration: 61 };
    const { notApplied, warnings } = await one.write(target);
    expect(notApplied).toEqual([
      'defaultKeyPrefix: the program has "new", the service still has "old"',
      "defaultAllowedIPs: the program has no addresses, the service still has 10.0.0.1",
      "defaultExpiration: the program has 61, the service still has 60",
    ]);
    expect(warnings).toEqual([]);
  });

  test("R4 fails for an unchanged number if the service has only accepted the PATCH (202)", async () => {
    const words = "defaultExpiration: the program has 61, the service still has 60";
    const one = service({ defaultExpiration: 60 }, { ...stubborn, answer: "accepted" });
    const settled = await one.write({ defaultExpiration: 61 });
    expect(settled.notApplied).toEqual([words]);
    expect(notAppliedWords(settled, say)).toBe(
      `the service did not apply the change (the service answered 202). ${words}`,
    );
  });

  test("R4 accepts that settings which don't change stay as the service rewrote them", async () => {
    const one = service(
      { defaultKeyPrefix: "a_", defaultRateLimitPerSecond: 10, defaultExpiration: 1 },
      {
        ...merging,
        take: (asked) => ({ ...asked, defaultKeyPrefix: "a_", defaultRateLimitPerSecond: 10 }),
      },
    );
    const target = { defaultKeyPrefix: "a", defaultRateLimitPerSecond: 12, defaultExpiration: 2 };
    const settled = await one.write(target, { unchanged: ["defaultKeyPrefix", "defaultRateLimitPerSecond"] });
    expect([settled.notApplied, settled.warnings]).toEqual([[], []]);
  });

  test("covers every setting of the interface", () => {
    expect(settings.map(({ name }) => name)).toEqual(names);
  });
});
