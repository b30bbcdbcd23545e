import { expect, test } from "vitest";
import type { Session } from "../../../provider/core/definition";
import { Failure } from "../../../provider/core/errors";
import { openKindContext, openSession } from "../../../provider/lifecycle/context";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { type Batch, openBatch } from "../../../provider/resources/keys/batch";
import { hostContext } from "../offline";

/** A batch of keys, each with a secret to mask, with its warnings. */
function open() {
  const warnings: string[] = [];
  const session: Pick<Session, "warn" | "part" | "closed"> = {
    warn: (line) => void warnings.push(line),
    closed: new AbortController().signal,
    part: (warn, act) => act({ warn } as Partial<Session> as Session),
  };
  return { batch: openBatch(session as Session), warnings };
}

const linesOf = (batch: Batch) => batch.failureOf("Creating")?.options.lines ?? [];

const named = (count: number, prefix = "k") =>
  Array.from({ length: count }, (_, place) => ({ alias: `${prefix}${place}` }));

test("E1 a reason of several keys is given once with their names, and the reason of most keys comes first", async () => {
  const { batch } = open();
  await batch.each([{ alias: "a" }, ...named(300), { alias: "b" }, { alias: "c" }], async (_, { alias }) => {
    const reason = /^[abc]$/.test(alias) ? "too late" : "not allowed";
    throw new Failure("refused", reason, { subject: `Creating ${alias}:` });
  });
  const first = named(20).map(({ alias }) => JSON.stringify(alias));
  expect(linesOf(batch)).toEqual([
    `For each of 300 keys (${first.join(", ")} and 280 more): APIKEYS2003: not allowed.`,
    'For each of 3 keys ("a", "b", "c"): APIKEYS2003: too late.',
  ]);
});

test("E1 K6 a reason lists once what was found for each of its keys", async () => {
  const { batch } = open();
  await batch.each(named(3), async (_, { alias: name }) => {
    const found = name === "k2" ? "none" : `key_${name}`;
    throw new Failure("keyLost", "delete one of these:", { unresolved: true, found });
  });
  expect(linesOf(batch)).toEqual([
    'For each of 3 keys ("k0", "k1", "k2"): APIKEYS3002: delete one of these: key_k0, key_k1, none.',
  ]);
});

test("E1 K6 all keys that may exist outside state are named, in lines of twenty, although there are more reasons", async () => {
  const { batch } = open();
  const left = named(1_000, "left");
  await batch.each([...named(2_000), ...named(30, "odd"), ...left], async (_, { alias: name }) => {
    const isLeft = name.startsWith("left");
    const reason = name.startsWith("odd") ? name : isLeft ? "lost" : "refused";
    throw new Failure("refused", reason, { unresolved: isLeft });
  });
  expect(batch.failureOf("Creating")?.options.unresolved).toBe(true);
  const all = linesOf(batch).join("\n");
  expect(left.filter(({ alias }) => !all.includes(JSON.stringify(alias)))).toEqual([]);
  expect(linesOf(batch).at(-1)).toBe("and 30 more");
});

test("E1 an unexpected error stops no other key, and says where to look without quoting the error's text", async () => {
  const { batch } = open();
  const done: string[] = [];
  await batch.each(named(8), async (_, { alias: name }) => {
    if (name === "k2") throw new TypeError("private words");
    done.push(name);
  });
  expect(done).toHaveLength(7);
  expect(linesOf(batch)).toEqual([
    expect.stringMatching(
      /^"k2": APIKEYS9001: This is a bug in pulumi-apikeys: TypeError at .* look for a new object that is not in state/,
    ),
  ]);
  expect(linesOf(batch).join()).not.toContain("private");
  expect(batch.failureOf("Creating")?.options.unresolved).toBe(true);
});

test("R16 failures contain no key's secret", async () => {
  const batch = openBatch(openSession(openKindContext(apiKeySet, hostContext({})), []));
  await batch.each(named(2), async (part, { alias: name }) => {
    part.mask(`sk_${name}`);
    throw new Failure("refused", `refused for sk_${name}`);
  });
  expect(linesOf(batch)).toEqual(['For each of 2 keys ("k0", "k1"): APIKEYS2003: refused for [secret].']);
});

test("E1 general warnings share lines that name all keys and ids; of others, the first twenty are shown", async () => {
  const { batch, warnings } = open();
  await batch.each(named(60), async (part, { alias: name }) => {
    part.warn(`${name} has a namesake`, { general: "there is a namesake.", ids: [`key_${name}`] });
    part.warn(`${name} is odd`);
  });
  const names = named(20).map(({ alias }) => JSON.stringify(alias));
  const ids = named(20).map(({ alias }) => `key_${alias}`);
  expect(warnings[0]).toBe(
    `For each of 20 keys (${names.join(", ")}): there is a namesake. Their ids: ${ids.join(", ")}.`,
  );
  expect(warnings).toHaveLength(3 + 17 + 1);
  expect(warnings[3]).toBe('"k0": k0 is odd');
  expect(warnings.at(-1)).toBe("and 43 more");
});
