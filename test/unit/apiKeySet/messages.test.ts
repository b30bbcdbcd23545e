import { expect, onTestFinished, test, vi } from "vitest";
import type { Session } from "../../../provider/core/definition";
import { Failure } from "../../../provider/core/errors";
import { openKindContext, openSession } from "../../../provider/lifecycle/context";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { eachKey } from "../../../provider/resources/keys/batch";
import { hostContext } from "../offline";

interface Named {
  readonly alias: string;
}

/** The result of an action on keys. */
async function resultOf(
  all: readonly Named[],
  act: (part: Session, one: Named) => Promise<void>,
  session?: Session,
) {
  const warnings: string[] = [];
  const quiet: Pick<Session, "warn" | "part" | "closed" | "setup" | "progress"> = {
    setup: { tokenAdvice: "", baseUrlSource: "", withoutKeyList: false, keysAtOnce: 16 },
    progress: () => {},
    warn: (line) => void warnings.push(line),
    closed: new AbortController().signal,
    part: (warn, act) => act({ warn, mask: () => {} } as Partial<Session> as Session),
  };
  const words = { doing: "Creating", outcome: "" };
  const failure = await eachKey(session ?? (quiet as Session), words, all, act);
  return { warnings, unresolved: failure?.options.unresolved, lines: failure?.options.lines ?? [] };
}

const named = (count: number, prefix = "k") =>
  Array.from({ length: count }, (_, place) => ({ alias: `${prefix}${place}` }));

test("E1 a reason of several keys is given once with their names, and the reason of most keys comes first", async () => {
  const all = [{ alias: "a" }, ...named(300), { alias: "b" }, { alias: "c" }];
  const { lines } = await resultOf(all, async (_, { alias }) => {
    const reason = /^[abc]$/.test(alias) ? "too late" : "not allowed";
    throw new Failure("refused", reason, { subject: `Creating ${alias}:` });
  });
  const first = named(10).map(({ alias }) => JSON.stringify(alias));
  expect(lines).toEqual([
    `For each of 300 keys (${first.join(", ")} and 290 more): APIKEYS2003: not allowed.`,
    'For each of 3 keys ("a", "b", "c"): APIKEYS2003: too late.',
  ]);
});

test("E1 the line of a key says nothing of state, which the message about all keys does", async () => {
  const { lines } = await resultOf([...named(2), { alias: "other" }], async (_, { alias }) => {
    const said = alias === "other" ? "too late" : "not allowed";
    const options = { subject: `Updating ${alias}:`, state: "State is unchanged" };
    throw new Failure("refused", [said, "Check the token"], options);
  });
  expect(lines).toEqual([
    'For each of 2 keys ("k0", "k1"): APIKEYS2003: not allowed. Check the token.',
    '"other": APIKEYS2003: Updating other: too late. Check the token.',
  ]);
});

test("E1 K6 a reason lists once what was found for each of its keys", async () => {
  const { lines } = await resultOf(named(3), async (_, { alias: name }) => {
    const found = name === "k2" ? "none" : `key_${name}`;
    throw new Failure("keyLost", "delete one of these:", { unresolved: true, found });
  });
  expect(lines).toEqual([
    'For each of 3 keys ("k0", "k1", "k2"): APIKEYS3002: delete one of these: key_k0, key_k1, none.',
  ]);
});

test("E1 K6 all keys that may exist outside state are named, in lines that are not cut, although there are more reasons", async () => {
  const left = named(1_000, "left").map(({ alias }) => ({ alias: alias.padEnd(58, "-") }));
  const keys = [...named(2_000), ...named(30, "odd"), ...left];
  const { lines, unresolved } = await resultOf(keys, async (_, { alias: name }) => {
    const isLeft = name.startsWith("left");
    const reason = name.startsWith("odd") ? name : isLeft ? "lost, ".repeat(100) : "refused";
    // As long as a name, a UUID and a time.
    const found = isLeft ? `"${name}": ${"u".repeat(36)} (created 2026-11-27T08:00:00.000Z)` : "";
    throw new Failure("refused", reason, { unresolved: isLeft, found });
  });
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(4_000);
  expect(unresolved).toBe(true);
  const all = lines.join("\n");
  expect(left.filter(({ alias }) => !all.includes(JSON.stringify(alias)))).toEqual([]);
  expect(lines.at(-1)).toBe("and 30 more");
});

test("E1 an unexpected error stops no other key, and says where to look without quoting the error's text", async () => {
  const done: string[] = [];
  const { lines, unresolved } = await resultOf(named(8), async (_, { alias: name }) => {
    if (name === "k2") throw new TypeError("private words");
    done.push(name);
  });
  expect(done).toHaveLength(7);
  expect(lines).toEqual([
    expect.stringMatching(
      /^"k2": APIKEYS9001: This is a bug in pulumi-apikeys: TypeError at .* look for a new object that is not in state/,
    ),
  ]);
  expect(lines.join()).not.toContain("private");
  expect(unresolved).toBe(true);
});

test("R16 failures contain no key's secret", async () => {
  const session = openSession(openKindContext(apiKeySet, hostContext({})), []);
  const refuse = async (part: Session, { alias: name }: Named) => {
    part.mask(`sk_${name}`);
    throw new Failure("refused", `refused for sk_${name}`);
  };
  const { lines } = await resultOf(named(2), refuse, session);
  expect(lines).toEqual(['For each of 2 keys ("k0", "k1"): APIKEYS2003: refused for [secret].']);
});

test("R16 after two seconds, a set shows now and then how far it is, without a secret", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const host = hostContext({ progress: { show: (line) => void lines.push(line), everyMs: 1_000 } });
  const session = openSession(openKindContext(apiKeySet, host), []);
  session.mask("Creating");
  await resultOf(named(1_200), async () => void vi.advanceTimersByTime(3), session);
  const shown = [/^\[secret\]: 6\d\d of 1,200$/, /^\[secret\]: (9\d\d|1,0\d\d) of 1,200$/];
  expect(lines).toEqual(shown.map((line) => expect.stringMatching(line)));
});

test("E1 general warnings share lines that name all keys and ids; of others, twenty lines", async () => {
  const { warnings } = await resultOf(named(60), async (part, { alias: name }) => {
    part.warn("there is a namesake. Their ids:", `key_${name}`);
    part.warn(`${name} is odd`);
  });
  const names = named(10).map(({ alias }) => JSON.stringify(alias));
  const ids = named(10).map(({ alias }) => `key_${alias}`);
  expect(warnings[0]).toBe(
    `For each of 10 keys (${names.join(", ")}): there is a namesake. Their ids: ${ids.join(", ")}.`,
  );
  expect(warnings).toHaveLength(6 + 14 + 1);
  expect(warnings[6]).toBe('"k0": k0 is odd.');
  expect(warnings.at(-1)).toBe("and 46 more");
});
