import { describe, expect, test } from "vitest";
import type { Written } from "../../provider/client/call";
import { CallError } from "../../provider/client/callError";
import { type Aim, converge, failureOf, stateAfter } from "../../provider/core/converge";
import type { Session } from "../../provider/core/definition";
import { InconclusiveError } from "../../provider/core/errors";
import { number, string } from "../../provider/core/fields";
import { pausesMs } from "../../provider/core/polling";
import { observedKey, type Properties } from "../../provider/core/state";

const name = { name: "name", canonical: string };
const size = { name: "size", canonical: number };
const fields = [name, size];

interface Box {
  readonly name?: string | undefined;
  readonly size?: number | undefined;
}

const lost = new CallError("ambiguous", "the connection was cut");
const refused = new CallError("refused", "the service answered 400", 400);

interface Scene {
  readonly before: Box;
  readonly declared: Box;
  readonly exact?: boolean;
  /** What the service makes of a body. Default: it takes it. */
  readonly take?: (body: Box, now: Box, attempt: number) => Box;
  /** What it answers to a write. Default: the box. */
  readonly answer?: (now: Box, attempt: number) => Partial<Written<Box>> & { record: Box | undefined };
  /** What a read throws or gives in place of the box. */
  readonly read?: (now: Box) => Box | undefined;
  readonly attempts?: number;
  /** The answer to a POST that made the box. */
  readonly made?: Written<Box>;
}

async function converged({
  before,
  declared,
  exact = false,
  take = (body) => body,
  answer = (now) => ({ record: now }),
  read = (now) => now,
  attempts = 2,
  made,
}: Scene) {
  let now = before;
  const steps: string[] = [];
  const told: string[] = [];
  const session = {
    over: new AbortController().signal,
    pause: async () => {},
    tell: (line: string) => void told.push(line),
    tokenAdvice: "Set the token",
    baseUrlSource: "https://a.test",
  } as unknown as Session;
  const aims = fields
    .filter((field) => field.name in declared)
    .map((field): Aim => ({ field, value: (declared as Properties)[field.name], exact }));
  let sent = 0;
  const settled = await converge<Box, Box>(
    session,
    {
      waitingFor: "the box",
      last: before,
      isEdit: made === undefined,
      fields,
      observe: (box) => ({ ...box }),
      aims,
      body: (attempt) => (attempt < attempts ? declared : undefined),
      send: async (body) => {
        steps.push("send");
        sent += 1;
        now = { ...now, ...take(body, now, sent) };
        return answer(now, sent);
      },
      isWhole: (box) => box.name !== undefined,
      read: async () => {
        steps.push("read");
        return read(now);
      },
      explainMissing: async () => {
        throw new InconclusiveError("the box is gone");
      },
      say: (_field, value) => JSON.stringify(value),
    },
    made,
  );
  return {
    ...settled,
    steps: steps.join(" "),
    told,
    words: settled.notApplied.map(({ words }) => words),
    failure: failureOf(session, settled),
    state: stateAfter(fields, { ...declared } as Properties, settled, (box) => ({ ...box })),
  };
}

const before = { name: "old", size: 1 };

/** As often as is looked for a change that does not show. */
const patiently = "read ".repeat(pausesMs.length + 1).trim();

describe("R4 a write that was answered", () => {
  test("by the object as declared is done", async () => {
    const done = await converged({ before, declared: { name: "new" } });
    expect(done).toMatchObject({ steps: "send", words: [], warnings: [], failure: undefined });
  });

  test.each([
    ["by nothing", () => ({ record: undefined })],
    ["by a part of it", () => ({ record: { size: 1 } })],
    ["by what was before", () => ({ record: before })],
    ["by what may not hold yet (202)", (now: Box) => ({ record: now, deferred: true as const })],
  ])("%s is seen by a read", async (_how, answer) => {
    const { steps, failure } = await converged({ before, declared: { name: "new" }, answer });
    expect([steps, failure]).toEqual(["send read", undefined]);
  });

  test("R4 what is exact is sent again, and then an error with what was declared and what there is", async () => {
    const take = ({ name: asked }: Box) => ({ name: `${asked}_` });
    const { steps, words, failure, state } = await converged({
      before,
      declared: { name: "new" },
      exact: true,
      take,
    });
    expect(steps).toBe(`send read send ${patiently}`);
    expect(words).toEqual(['name: the program has "new", the service has "new_"']);
    expect(failure).toBe(
      'the service did not apply the change. name: the program has "new", the service has "new_". State has what the service has, and the next preview shows what is left to do.',
    );
    expect(state).toMatchObject({ name: "new_" });
  });

  test("R4 what is not exact may come back rewritten, is sent once, and state remembers what there is", async () => {
    const { steps, words, warnings, state } = await converged({
      before,
      declared: { name: "new" },
      take: () => ({ name: "slug-1" }),
    });
    expect([steps, words]).toEqual(["send read", []]);
    expect(warnings).toEqual([
      'name: the program has "new", the service has "slug-1"; it may have rewritten the value.',
    ]);
    expect(state).toMatchObject({ name: "new", [observedKey]: { name: "slug-1" } });
  });

  test("R4 a text that stayed is an error, one that only got separators a warning, one of another case neither", async () => {
    const staying = (from: string) =>
      converged({ before: { name: from }, declared: { name: "new" }, take: () => ({}) });
    expect((await staying("old")).words).toEqual([
      'name: the program has "new", the service still has "old"',
    ]);
    expect(await staying("new_")).toMatchObject({
      words: [],
      warnings: [
        'name: the program has "new", the service still has "new_"; it may have rewritten the value.',
      ],
    });
    expect(await staying(" NEW")).toMatchObject({ words: [], warnings: [] });
  });

  test("R4 a number that stayed or was rounded is a warning, unless it is exact", async () => {
    const staying = (exact: boolean) => converged({ before, declared: { size: 2 }, exact, take: () => ({}) });
    expect(await staying(false)).toMatchObject({
      words: [],
      warnings: ["size: the program has 2, the service still has 1; it may have rounded the value."],
    });
    expect((await staying(true)).words).toEqual(["size: the program has 2, the service still has 1"]);
    const rounded = await converged({ before, declared: { size: 3 }, take: () => ({ size: 2 }) });
    expect(rounded.warnings).toEqual([
      "size: the program has 3, the service has 2; it may have rounded the value.",
    ]);
  });
});

describe("R4 a service that shows no change", () => {
  test("is waited for once, whatever is sent after it", async () => {
    const { steps, told } = await converged({
      before,
      declared: { name: "new" },
      exact: true,
      take: () => ({}),
      attempts: 3,
    });
    expect(steps).toBe(`send ${patiently} send read send read`);
    expect(told).toEqual(["Waiting for the box."]);
  });

  test("is waited for no longer once it shows any", async () => {
    let reads = 0;
    const { steps, words } = await converged({
      before,
      declared: { name: "new" },
      exact: true,
      answer: () => ({ record: undefined }),
      read: (now) => {
        reads += 1;
        return reads < 3 ? before : now;
      },
    });
    expect([steps, words]).toEqual(["send read read read", []]);
  });
});

describe("R4 a write that failed", () => {
  const failing = (error: unknown, at = 1) => ({
    answer: (now: Box, attempt: number) => {
      if (attempt >= at) throw error;
      return { record: now };
    },
  });

  test.each([refused, new CallError("notSent", "no route"), new TypeError("a bug")])(
    "throws where it is the first and was refused, or not sent: %s",
    async (error) => {
      await expect(converged({ before, declared: { name: "new" }, ...failing(error) })).rejects.toBe(error);
    },
  );

  test("leaves unseen what it was to change where it may have been carried out", async () => {
    const { unseen, error, record, words, steps, failure, state } = await converged({
      before,
      declared: { name: "new", size: 1 },
      ...failing(lost),
    });
    expect({ unseen, error, record, steps }).toEqual({
      unseen: true,
      error: lost,
      record: before,
      steps: "send",
    });
    expect(words).toEqual(['name: "old" before']);
    expect(failure).toMatch(
      /^the connection was cut\. It is not known whether the change was applied: state has the previous values\./,
    );
    expect(state).toMatchObject({ name: "old", size: 1 });
  });

  test("leaves unseen what nothing shows after it", async () => {
    const settled = await converged({
      before,
      declared: { name: "new" },
      answer: () => ({ record: undefined }),
      read: () => undefined,
    });
    expect(settled).toMatchObject({ unseen: true, record: before, error: expect.any(InconclusiveError) });
    expect(settled.failure).toContain("the box is gone");
  });

  test.each([refused, lost])("keeps what was seen where it was not the first: %s", async (error) => {
    const { unseen, record, words, failure } = await converged({
      before,
      declared: { name: "new" },
      exact: true,
      take: () => ({ name: "new_" }),
      ...failing(error, 2),
    });
    expect([unseen, record]).toEqual([undefined, { name: "new_", size: 1 }]);
    expect(words).toEqual(['name: the program has "new", the service has "new_"']);
    expect(failure).toContain(error.message);
  });
});

describe("K6 what was just made", () => {
  const made = { record: { name: "new", size: 1 } };

  test("is done where its answer is as declared, else corrected", async () => {
    expect((await converged({ before: made.record, declared: { name: "new" }, made })).steps).toBe("");
    const { steps, words } = await converged({
      before: made.record,
      declared: { size: 2 },
      exact: true,
      made,
    });
    expect([steps, words]).toEqual(["read send", []]);
  });

  test("stays otherwise without `still`, since nothing was before it", async () => {
    const { words } = await converged({
      before: made.record,
      declared: { size: 2 },
      exact: true,
      made,
      take: () => ({}),
    });
    expect(words).toEqual(["size: the program has 2, the service has 1"]);
  });

  test.each([refused, lost, new TypeError("sk_secret")])("is never lost to an error: %s", async (error) => {
    const answer = () => {
      throw error;
    };
    const declared = { size: 2 };
    const {
      error: kept,
      unseen,
      record,
      failure,
    } = await converged({
      before: made.record,
      declared,
      exact: true,
      made,
      answer,
    });
    expect([kept, unseen, record]).toEqual([error, undefined, made.record]);
    expect(failure).toMatch(/State has the values that the service last showed\. Run `pulumi up` again/);
    expect(failure).not.toContain("sk_secret");
    const read = () => {
      throw error;
    };
    expect(await converged({ before: made.record, declared, exact: true, made, read })).toMatchObject({
      error,
      record: made.record,
    });
  });
});
