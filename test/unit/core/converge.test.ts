import { describe, expect, test } from "vitest";
import { CallError, type Written } from "../../../provider/client/send";
import {
  type Aim,
  converge,
  failureOf,
  openWords,
  pausesMs,
  type Say,
  stateAfter,
  warningsOf,
} from "../../../provider/core/converge";
import type { Session } from "../../../provider/core/definition";
import { InconclusiveError } from "../../../provider/core/errors";
import { number, string } from "../../../provider/core/fields";
import { observedKey, type Properties } from "../../../provider/core/state";

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
  /** How the service applies a body. Default: as it is. */
  readonly take?: (body: Box, now: Box, attempt: number) => Box;
  /** The answer to a write. Default: the box. */
  readonly answer?: (now: Box, attempt: number) => Partial<Written<Box>> & { record: Box | undefined };
  /** What a read throws or returns in place of the box. */
  readonly read?: (now: Box) => Box | undefined;
  readonly attempts?: number;
  /** The answer to a POST that created the box. */
  readonly created?: Written<Box>;
}

async function converged({
  before,
  declared,
  exact = false,
  take = (body) => body,
  answer = (now) => ({ record: now }),
  read = (now) => now,
  attempts = 2,
  created,
}: Scene) {
  let now = before;
  const steps: string[] = [];
  const progress: string[] = [];
  const session = {
    over: new AbortController().signal,
    pause: async () => {},
    tell: (line: string) => void progress.push(line),
    setup: { tokenAdvice: "Set the token", baseUrlSource: "https://a.test" },
  } as unknown as Session;
  const aims = fields.map((field): Aim => {
    const value = { ...before, ...declared }[field.name as keyof Box];
    return { field, value, exact: exact && field.name in declared };
  });
  const say: Say = (_field, value) => JSON.stringify(value);
  let sent = 0;
  const settled = await converge<Box>(
    session,
    {
      waitingFor: "the box",
      before,
      isEdit: created === undefined,
      observe: (box) => ({ ...box }),
      aims,
      write: (attempt) => {
        if (attempt >= attempts) return undefined;
        steps.push("send");
        sent += 1;
        now = { ...now, ...take(declared, now, sent) };
        const answered = answer;
        return (async () => answered(now, sent))();
      },
      isShown: (box) => box.name !== undefined,
      read: async () => {
        steps.push("read");
        return read(now);
      },
      explainMissing: async () => {
        throw new InconclusiveError("the box is gone");
      },
    },
    created,
  );
  return {
    ...settled,
    steps: steps.join(" "),
    progress,
    words: openWords(settled, say),
    warnings: warningsOf(settled, say),
    failure: failureOf(session, settled, say),
    state: stateAfter(fields, { ...declared } as Properties, settled, (box) => ({ ...box })),
  };
}

const before = { name: "old", size: 1 };

/** The reads after a write whose change never shows. */
const patiently = "read ".repeat(pausesMs.length + 1).trim();

describe("R4 a write that was answered", () => {
  test("with the object as declared is done without a read", async () => {
    const done = await converged({ before, declared: { name: "new" } });
    expect(done).toMatchObject({ steps: "send", words: [], warnings: [], failure: undefined });
  });

  test.each([
    ["with nothing", () => ({ record: undefined })],
    ["with a part of the object", () => ({ record: { size: 1 } })],
    ["with the previous values", () => ({ record: before })],
    ["with a 202, which may not be applied yet,", (now: Box) => ({ record: now, deferred: true as const })],
  ])("%s is confirmed by a read", async (_how, answer) => {
    const { steps, failure } = await converged({ before, declared: { name: "new" }, answer });
    expect([steps, failure]).toEqual(["send read", undefined]);
  });

  test("is sent again for an exact field, and then fails with the declared and the actual value", async () => {
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
      'the service did not apply the change. name: the program has "new", the service has "new_". State has what the service has, and the next preview shows what is left to do; if the service always changes a value so, declare it that way.',
    );
    expect(state).toMatchObject({ name: "new_" });
  });

  test("is sent once for a field that may be rewritten, and state also has the actual value", async () => {
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

  test("fails if a value did not change, warns if it became another one, and accepts another case", async () => {
    const staying = (from: string) =>
      converged({ before: { name: from }, declared: { name: "new" }, take: () => ({}) });
    expect((await staying("old")).words).toEqual([
      'name: the program has "new", the service still has "old"',
    ]);
    expect(await staying(" NEW")).toMatchObject({ words: [], warnings: [] });
    const sized = (size: number) => converged({ before, declared: { size: 3 }, take: () => ({ size }) });
    expect((await sized(1)).words).toEqual(["size: the program has 3, the service still has 1"]);
    expect(await sized(2)).toMatchObject({
      words: [],
      warnings: ["size: the program has 3, the service has 2; it may have rewritten the value."],
    });
  });
});

describe("R4 a service that shows no change", () => {
  test("is waited for after the first write only, whatever is sent later", async () => {
    const { steps, progress } = await converged({
      before,
      declared: { name: "new" },
      exact: true,
      take: () => ({}),
      attempts: 3,
    });
    expect(steps).toBe(`send ${patiently} send read send read`);
    expect(progress).toEqual(["Waiting for the box."]);
  });

  test("is no longer waited for once it shows one", async () => {
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

describe("R4 a write that fails or can't be confirmed", () => {
  const failing = (error: unknown, at = 1) => ({
    answer: (now: Box, attempt: number) => {
      if (attempt >= at) throw error;
      return { record: now };
    },
  });

  test.each([refused, new CallError("notSent", "no route"), new TypeError("a bug")])(
    "throws if it is the first, and was refused or not sent: %s",
    async (error) => {
      await expect(converged({ before, declared: { name: "new" }, ...failing(error) })).rejects.toBe(error);
    },
  );

  test("leaves the change unconfirmed if it may have been carried out", async () => {
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
    expect(words).toHaveLength(1);
    expect(failure).toMatch(
      /^the connection was cut\. It is not known whether the change was applied: state has the previous values\./,
    );
    expect(state).toMatchObject({ name: "old", size: 1 });
  });

  test("leaves the change unconfirmed if neither the answer nor a read shows the object", async () => {
    const settled = await converged({
      before,
      declared: { name: "new" },
      answer: () => ({ record: undefined }),
      read: () => undefined,
    });
    expect(settled).toMatchObject({ unseen: true, record: before, error: expect.any(InconclusiveError) });
    expect(settled.failure).toContain("the box is gone");
  });

  test.each([refused, lost])(
    "keeps what the service showed last if it is not the first: %s",
    async (error) => {
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
    },
  );
});

describe("K6 an object that was just created", () => {
  const created = { record: { name: "new", size: 1 } };

  test("is done if the answer matches the program, and is corrected otherwise", async () => {
    expect((await converged({ before: created.record, declared: { name: "new" }, created })).steps).toBe("");
    const { steps, words } = await converged({
      before: created.record,
      declared: { size: 2 },
      exact: true,
      created,
    });
    expect([steps, words]).toEqual(["read send", []]);
  });

  test("that can't be corrected has an error without `still`, because it had no earlier value", async () => {
    const { words } = await converged({
      before: created.record,
      declared: { size: 2 },
      exact: true,
      created,
      take: () => ({}),
    });
    expect(words).toEqual(["size: the program has 2, the service has 1"]);
  });

  test.each([refused, lost, new TypeError("sk_secret")])(
    "is kept whatever error follows: %s",
    async (error) => {
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
        before: created.record,
        declared,
        exact: true,
        created,
        answer,
      });
      expect([kept, unseen, record]).toEqual([error, undefined, created.record]);
      expect(failure).toMatch(/State has the values that the service last showed\. Run `pulumi up` again/);
      expect(failure).not.toContain("sk_secret");
      const read = () => {
        throw error;
      };
      expect(await converged({ before: created.record, declared, exact: true, created, read })).toMatchObject(
        {
          error,
          record: created.record,
        },
      );
    },
  );
});
