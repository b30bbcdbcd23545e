import { describe, expect, test, vi } from "vitest";
import { CallError, pauseFor, type Written } from "../../../provider/client/send";
import { converge, report, stateAfter } from "../../../provider/core/converge";
import type { Session } from "../../../provider/core/definition";
import { InconclusiveError } from "../../../provider/core/errors";
import { pausesMs, pollUntil } from "../../../provider/core/existence";
import { number, string } from "../../../provider/core/fields";
import { observedKey, type Properties } from "../../../provider/core/state";

const fields = [
  { name: "name", canonical: string, empty: "" },
  { name: "size", canonical: number },
];

interface Box {
  readonly name?: string | undefined;
  readonly size?: number | undefined;
}

const lost = new CallError("ambiguous", "the connection was cut");
const refused = new CallError("refused", "the service answered 400", 400);

interface Scenario {
  readonly before?: Box;
  readonly declared?: Box;
  /** State before an update of the box. */
  readonly state?: Properties;
  readonly exact?: boolean;
  /** How the service applies a body. Default: as it is. */
  readonly take?: (body: Box) => Box;
  /** The answer to a write. Default: the box. */
  readonly answer?: (now: Box, isAgain: boolean) => Partial<Written<Box>> & { record: Box | undefined };
  /** Throws or returns something in place of the box that is read. */
  readonly read?: (now: Box) => Box | undefined;
  /** The answer to a POST that created the box. */
  readonly created?: Written<Box>;
}

const before = { name: "old", size: 1 };
const declaredName = { name: "new" };

async function converged({
  before: had = before,
  declared = declaredName,
  state: last = {},
  exact = false,
  take = (body) => body,
  answer = (now) => ({ record: now }),
  read = (now) => now,
  created,
}: Scenario) {
  let now = had;
  const steps: string[] = [];
  const bodies: Properties[] = [];
  const warnings: string[] = [];
  const session = {
    warn: (warning: string) => warnings.push(warning),
    over: new AbortController().signal,
    pause: async () => {},
    setup: { tokenAdvice: "Set the token", baseUrlSource: "https://a.test" },
  } as unknown as Session;
  const writing = {
    fields: fields.map((field) => ({ ...field, exact: exact && field.name in declared })),
    ...{ before: had, declared: { ...declared }, state: last },
    observe: (box: Box) => ({ ...box }),
    write: async (body: Properties, _seen: Box, isAgain: boolean) => {
      steps.push("send");
      bodies.push(body);
      now = { ...now, ...take(declared) };
      return answer(now, isAgain);
    },
    isShown: (box: Box) => box.name !== undefined,
    read: async () => {
      steps.push("read");
      return read(now);
    },
    explainMissing: async () => read(now) ?? Promise.reject(new InconclusiveError("gone", "the box is gone")),
  };
  const settled = await converge<Box>(session, writing, created).catch((error: unknown) => {
    if (!(error instanceof InconclusiveError)) throw error;
    throw new Error([...steps, error.kind, error.message, error.advice].join("\n"));
  });
  const failure = report(session, settled, { doing: "Writing the box", secretIn: [] });
  return {
    ...settled,
    steps: steps.join(" "),
    bodies,
    open: settled.missed.flatMap(({ field, value, has, isRewritten }) =>
      isRewritten ? [] : [[field.name, value, has]],
    ),
    warnings,
    failure: failure?.headline,
    state: stateAfter(fields, { ...declared } as Properties, settled, (box) => ({ ...box })),
  };
}

/** The reads after a write whose change never shows. */
const patiently = "read ".repeat(pausesMs.length + 1).trim();

test.each<[string, Scenario["answer"], string]>([
  ["with the object as declared", undefined, "send"],
  ["with nothing", () => ({ record: undefined }), "send read"],
  ["with a part of the object", () => ({ record: { size: 1 } }), "send read"],
  ["with the previous values", () => ({ record: before }), "send read"],
  ["with a 202, which may not be applied yet", (now) => ({ record: now, problem: "a 202" }), "send read"],
])(
  "R4: a write succeeds if its answer shows the declared values, or else a read does (answered %s)",
  async (_how, answer, steps) => {
    const expected = { steps, open: [], warnings: [], failure: undefined };
    expect(await converged({ ...(answer && { answer }) })).toMatchObject(expected);
  },
);

test("R4 an exact field is written again, and then fails with the declared and the actual value", async () => {
  const done = await converged({ exact: true, take: ({ name }) => ({ name: `${name}_` }) });
  expect(done.steps).toBe(`send read send ${patiently}`);
  expect(done.open).toEqual([["name", "new", "new_"]]);
  expect(done.failure).toBe(
    'APIKEYS3004: Writing the box: the service did not apply the change. name: should be "new", the service has "new_". State has the values that the service last showed. The next preview shows what is left to do; if the service always changes a value so, declare it that way. If that doesn\'t help, check the base URL (https://a.test), and any proxy or gateway in between.',
  );
  expect(done.state).toMatchObject({ name: "new_" });
});

test("R4 a field that may be rewritten is written once, and state also has the actual value", async () => {
  const { steps, open, warnings, state } = await converged({ take: () => ({ name: "slug-1" }) });
  expect([steps, open]).toEqual(["send read", []]);
  const warning =
    'Writing the box: name: should be "new", the service has "slug-1"; it may have rewritten the value.';
  expect(warnings).toEqual([warning]);
  expect(state).toMatchObject({ name: "new", [observedKey]: { name: "slug-1" } });
});

const rewritten = "Writing the box: size: should be 3, the service has 2; it may have rewritten the value.";
test.each<[string, Scenario, unknown[], string[]]>([
  ["with the old value is an error", { declared: { size: 3 }, take: () => ({}) }, [["size", 3, 1]], []],
  ["with a third value is a warning", { declared: { size: 3 }, take: () => ({ size: 2 }) }, [], [rewritten]],
  ["in another case is accepted", { before: { name: " NEW" }, take: () => ({}) }, [], []],
])("R4 a field of free form %s", async (_what, scenario, open, warnings) => {
  expect(await converged(scenario)).toMatchObject({ open, warnings });
});

test("R4 a service that shows no change is waited for after each write", async () => {
  const { steps } = await converged({ exact: true, take: () => ({}) });
  expect(steps).toBe(`send ${patiently} send ${patiently}`);
});

test("R4 a service is no longer waited for once it shows the change", async () => {
  let reads = 0;
  const { steps, open } = await converged({
    exact: true,
    answer: () => ({ record: undefined }),
    read: (now) => {
      reads += 1;
      return reads < 3 ? before : now;
    },
  });
  expect([steps, open]).toEqual(["send read read read", []]);
});

/** Fails each write, or only the second one. */
const failing = (error: unknown, onlyAgain = false) => ({
  answer: (now: Box, isAgain: boolean) => {
    if (isAgain || !onlyAgain) throw error;
    return { record: now };
  },
});

test.each([refused, new CallError("notSent", "no route"), new TypeError("a bug")])(
  "R4 a first write that was refused or not sent throws: %s",
  async (error) => {
    await expect(converged(failing(error))).rejects.toBe(error);
  },
);

test("R4 a first write that may have been carried out leaves the change unconfirmed", async () => {
  const { open, failure, ...done } = await converged({
    declared: { name: "new", size: 1 },
    ...failing(lost),
  });
  expect(done).toMatchObject({ error: lost, record: before, steps: "send", state: before });
  expect(open).toHaveLength(1);
  expect(failure).toMatch(
    /^APIKEYS3001: Writing the box: the connection was cut\. State has the values that the service last showed\. It is not known whether the change was applied\./,
  );
});

test("R4 a write that neither its answer nor a read shows leaves the change unconfirmed", async () => {
  const settled = await converged({ answer: () => ({ record: undefined }), read: () => undefined });
  expect(settled).toMatchObject({ record: before, error: expect.any(InconclusiveError) });
  expect(settled.failure).toContain("the box is gone");
});

test.each([refused, lost])(
  "R4 a later write that fails keeps what the service showed last: %s",
  async (error) => {
    const take = () => ({ name: "new_" });
    const { record, open, failure } = await converged({ exact: true, take, ...failing(error, true) });
    expect(record).toEqual({ name: "new_", size: 1 });
    expect(open).toEqual([["name", "new", "new_"]]);
    expect(failure).toContain(error.message);
  },
);

const created = { record: { name: "new", size: 1 } };
const corrected = { before: created.record, declared: { size: 2 }, exact: true, created };

test("K6 a new object is done if the answer matches the program, and is corrected otherwise", async () => {
  expect((await converged({ before: created.record, created })).steps).toBe("");
  expect(await converged(corrected)).toMatchObject({ steps: "read send", open: [] });
  // It had no earlier value.
  const { open } = await converged({ ...corrected, take: () => ({}) });
  expect(open).toEqual([["size", 2, 1]]);
});

test.each([refused, lost, new TypeError("sk_secret")])(
  "K6 a new object is kept if %s follows",
  async (error) => {
    const { failure, ...kept } = await converged({ ...corrected, ...failing(error) });
    expect(kept).toMatchObject({ error, record: created.record });
    expect(failure).toMatch(
      error instanceof TypeError
        ? /: TypeError at \S+converge\.test\.ts\S+\. State may lack what the service has done: run `pulumi up --refresh`/
        : /State has the values that the service last showed\. It is not known whether the change was applied\. Run `pulumi up` again/,
    );
    expect(failure).not.toContain("sk_secret");
    const read = () => {
      throw error;
    };
    expect(await converged({ ...corrected, read })).toMatchObject({ error, record: created.record });
  },
);

test.each([
  ["looks once more after each pause", new AbortController().signal, pausesMs],
  ["does not pause after the run has ended", AbortSignal.abort(), []],
])("R4 polling %s, and returns the last value", async (_what, over, pauses) => {
  const paused: number[] = [];
  const pausing = async (ms: number) => void paused.push(ms);
  const session = { over, pause: pausing };
  const look = vi.fn(async () => "not yet");
  expect(await pollUntil(session, look, () => false)).toBe("not yet");
  expect(paused).toEqual(pauses);
  expect(look).toHaveBeenCalledTimes(pauses.length + 1);
});

test("R20 a pause ends when the run ends", async () => {
  await pauseFor(10_000, AbortSignal.timeout(1));
});

describe("an update of an object that was changed outside Pulumi", () => {
  const theirs = { name: "theirs", size: 1 };
  const update = { before: theirs, state: before, declared: { name: "old", size: 2 } };
  const refusal = [
    ...pausesMs.map(() => "read"),
    "read",
    "changedOutside",
    "nothing was sent, because rights were changed outside Pulumi",
    'name: the service has "theirs", state has "old". Run `pulumi up --refresh`: its preview shows the difference, and its update reverts it, unless the program declares the service\'s value',
  ].join("\n");

  test("K1 an exact field that the program does not change is not reverted: after the usual wait, nothing is sent", async () => {
    await expect(converged({ ...update, exact: true })).rejects.toThrow(refusal);
    const secrets = { ...update.state, __secrets: [["name"]] };
    await expect(converged({ ...update, state: secrets, exact: true })).rejects.toThrow(
      "name: the service has [secret], state has [secret]. Run",
    );
  });

  test.each<[string, Scenario]>([
    ["that the program changes too", { declared: { name: "new", size: 1 } }],
    ["after a write that failed halfway", { state: { ...before, __failed: true } }],
    ["that has the value of our last write", { state: { ...before, __observed: { name: "theirs" } } }],
    ["that state does not have", { state: { size: 1 } }],
  ])("K1 an exact field is written %s", async (_what, scenario) => {
    const { failure, record } = await converged({ ...update, exact: true, ...scenario });
    const declared = { ...update.declared, ...scenario.declared };
    expect([failure, record]).toEqual([undefined, declared]);
  });

  test("K1 a warning names the value of any other field that is overwritten, unless it differs only in form", async () => {
    const { warnings, record } = await converged(update);
    expect([warnings, record]).toEqual([
      ['Writing the box: name: the service had "theirs", state had "old"; the update has overwritten it.'],
      update.declared,
    ]);
    for (const name of [" OLD ", "new"]) {
      const quiet = await converged({
        ...update,
        declared: { name: "new", size: 2 },
        before: { name, size: 1 },
      });
      expect([quiet.warnings, quiet.steps]).toEqual([[], "send"]);
    }
  });

  test("K1 a service that lags behind the last write is waited for, and what it then shows is written", async () => {
    let reads = 0;
    const read = (now: Box) => {
      reads += 1;
      return reads < 4 ? now : { name: "old", size: reads < 5 ? 1 : 2 };
    };
    const lagging = await converged({ ...update, exact: true, read });
    expect(lagging).toMatchObject({ steps: "read read read read send", warnings: [], failure: undefined });
  });
});

describe("the body of an edit", () => {
  const taken = { state: { name: "old", size: 1 }, declared: {} };

  test("K1 an edit clears what is no longer declared, each field in its own way, and state no longer has it", async () => {
    const { bodies, state, failure, steps } = await converged({
      ...taken,
      take: () => ({ name: undefined, size: undefined }),
    });
    expect([bodies, failure, steps]).toEqual([[{ name: "", size: null }], undefined, "send read"]);
    expect(JSON.parse(JSON.stringify(state))).toEqual({});
  });

  test("K1 an edit repeats what was never declared as it was read, and leaves out what has no value", async () => {
    const only = { state: { name: "old" }, declared: { name: "new" } };
    const { bodies, state, failure, warnings } = await converged(only);
    expect([bodies, failure, warnings]).toEqual([[{ name: "new", size: 1 }], undefined, []]);
    expect(state).toEqual({ name: "new", [observedKey]: { size: 1 } });
    expect((await converged({ ...only, before: { name: "old" } })).bodies).toEqual([{ name: "new" }]);
  });

  test("R4 a value that the service does not clear is an error, and stays in state", async () => {
    const { failure, state } = await converged({ ...taken, take: () => ({}) });
    expect(failure).toContain(
      'name: should be none, the service has "old"; size: should be none, the service has 1',
    );
    expect(state).toMatchObject({ name: "old", size: 1 });
  });
});
