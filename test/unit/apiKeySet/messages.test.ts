import { expect, test, vi } from "vitest";
import type { Session } from "../../../provider/core/definition";
import { Failure } from "../../../provider/core/errors";
import { openBatch } from "../../../provider/resources/keys/batch";

/** A batch of keys, each with a secret to mask, with its warnings and progress lines. */
function open() {
  const warnings: string[] = [];
  const progress: string[] = [];
  const session: Pick<Session, "warn" | "tell" | "part"> = {
    warn: (line) => void warnings.push(line),
    tell: (line) => void progress.push(line),
    part: (name, warn) => {
      const masked = (line: string) => line.replaceAll(`sk_${name}`, "[secret]");
      return { warn, masked } as Partial<Session> as Session;
    },
  };
  return { batch: openBatch(session as Session, "keys"), warnings, progress };
}

const named = (count: number, prefix = "k") =>
  Array.from({ length: count }, (_, place) => ({ name: `${prefix}${place}` }));

/** The lines of a batch in which so many keys fail, each for a different reason of 500 characters. */
async function linesOf(count: number): Promise<readonly string[]> {
  const { batch } = open();
  await batch.each("created", named(count), async (_, { name }) => {
    throw new Failure(`${"why ".repeat(120)}${Number(name.slice(1)) + 10} what to do`);
  });
  return batch.lines();
}

test("an error has the full reasons of a few failed keys, but shortened ones for many", async () => {
  const [few, many] = [await linesOf(3), await linesOf(30)];
  expect(few.map(({ length }) => length)).toEqual([499, 499, 499]);
  expect(few.join("")).not.toContain("…");
  expect(many).toHaveLength(21);
  expect(many.slice(0, 20).every((line) => line.length === 300 && /…(.*)what to do$/.test(line))).toBe(true);
  expect(many.at(-1)).toBe("and 10 more");
});

test("failures are listed in the order of the keys, whichever came first", async () => {
  const { batch } = open();
  await batch.each("created", named(4), async (_, { name }) => {
    await new Promise((resolve) => setTimeout(resolve, 20 - 5 * Number(name.slice(1))));
    throw new Failure(`no ${"abcd"[Number(name.slice(1))]}`);
  });
  expect(batch.lines()).toEqual(['"k0": no a', '"k1": no b', '"k2": no c', '"k3": no d']);
});

test("a reason of several keys is given once with their names, and the reason of most keys comes first", async () => {
  const { batch } = open();
  await batch.each(
    "created",
    [{ name: "a" }, ...named(300), { name: "b" }, { name: "c" }],
    async (_, { name }) => {
      const reason = /^[abc]$/.test(name) ? "too late" : "not allowed";
      throw new Failure(`Creating ${name}: ${reason}`, { reason: () => reason });
    },
  );
  const first = named(20).map(({ name }) => JSON.stringify(name));
  expect(batch.lines()).toEqual([
    `For each of 300 keys (${first.join(", ")} and 280 more): not allowed`,
    'For each of 3 keys ("a", "b", "c"): too late',
  ]);
});

test("reasons that differ only in the key's name or id count as one; the reason of a single key names it", async () => {
  const { batch } = open();
  const all = named(4).map(({ name }) => ({ name, id: `id.${name}` }));
  await batch.each("read", all, async (_, { name, id }) => {
    const reason = name === "k3" ? `${id} is odd` : `no ${id}, called ${name}, and not ${name}x`;
    throw new Failure(`Reading ${id}: ${reason}`, { reason: () => reason });
  });
  expect(batch.lines()).toEqual([
    '"k0": Reading id.k0: no id.k0, called k0, and not k0x',
    '"k1": Reading id.k1: no id.k1, called k1, and not k1x',
    '"k2": Reading id.k2: no id.k2, called k2, and not k2x',
    '"k3": Reading id.k3: id.k3 is odd',
  ]);
  await batch.each(
    "read",
    [
      { name: "x", id: "id.x" },
      { name: "y", id: "id.y" },
    ],
    async (_, { name, id }) => {
      throw new Failure("", { reason: () => `no ${id}, called ${name}` });
    },
  );
  expect(batch.lines()[0]).toBe('For each of 2 keys ("x", "y"): no …, called …');
});

test("a failure of a key has its line, however long the key's alias or id is", async () => {
  const long = "x".repeat(70_000);
  const { batch } = open();
  for (const one of [{ name: long }, { name: "a", id: long }]) {
    await batch.each("created", [one], async () => {
      throw new Failure("the service refused it");
    });
  }
  expect(batch.lines()).toEqual([
    expect.stringMatching(/^For each of 2 keys \("x+…x+", "a"\): the service refused it$/),
  ]);
});

test("a reason lists once what was found for each of its keys", async () => {
  const { batch } = open();
  await batch.each("created", named(3), async (_, { name }) => {
    const found = name === "k2" ? "none" : `key_${name}`;
    throw new Failure("", { unresolved: true, found, reason: (all) => `look at ${all}; delete it` });
  });
  expect(batch.lines()).toEqual([
    'For each of 3 keys ("k0", "k1", "k2"): look at key_k0, key_k1, none; delete it',
  ]);
});

test("an error lists all that was found for each key, in as many lines as needed", async () => {
  const { batch } = open();
  const foundOf = (name: string) =>
    Array.from({ length: 10 }, (_, nth) => `key_${name}_${nth}_${"i".repeat(60)}`);
  await batch.each("created", named(10), async (_, { name }) => {
    throw new Failure("", {
      unresolved: true,
      found: foundOf(name).join(", "),
      reason: (all) => `look at ${all}`,
    });
  });
  expect(batch.lines()).toHaveLength(5);
  for (const id of named(10).flatMap(({ name }) => foundOf(name))) expect(batch.lines().join()).toContain(id);
});

test("each key that may exist outside state is named exactly once", async () => {
  const { batch, warnings } = open();
  const reason = `${"why ".repeat(300)}what to do`;
  await batch.each("created", [...named(18), ...named(212, "left")], async (_, { name }) => {
    throw new Failure(reason, { unresolved: name.startsWith("left") });
  });
  batch.close();
  const names = named(212, "left").map(({ name }) => JSON.stringify(name));
  const whole = Array.from({ length: 22 }, (_, nth) => names.slice(nth * 10, nth * 10 + 10)).map(
    (part) => `For each of ${part.length} keys (${part.join(", ")}): ${reason}`,
  );
  expect(batch.lines()).toEqual([...whole.slice(0, 20), "and 30 more"]);
  expect(warnings).toEqual(whole.slice(20));
  expect(batch.unresolved).toEqual(whole);
});

test("an unexpected error stops no other key, and says where to look without quoting the error's text", async () => {
  const { batch } = open();
  const done: string[] = [];
  await batch.each("created", named(8), async (_, { name }) => {
    if (name === "k2") throw new TypeError("private words");
    done.push(name);
  });
  expect(done).toHaveLength(7);
  expect(batch.lines()).toEqual([
    expect.stringMatching(
      /^"k2": unexpected error \(TypeError\), a bug in pulumi-apikeys: .* look for a key with this name/,
    ),
  ]);
  expect(batch.lines().join()).not.toContain("private");
  expect(batch.unresolved).toHaveLength(1);
});

test("failures contain no key's secret", async () => {
  const { batch } = open();
  await batch.each("created", named(2), async (_, { name }) => {
    throw new Failure(`refused for sk_${name}`, { reason: () => `refused for sk_${name}` });
  });
  expect(batch.lines()).toEqual(['For each of 2 keys ("k0", "k1"): refused for [secret]']);
});

test("if warnings are cut, further lines of limited length list all affected ids", async () => {
  const { batch, warnings } = open();
  const idOf = (name: string) => `key_${name}_${"i".repeat(name === "k0" ? 5_000 : 80)}`;
  await batch.each("read", named(60), async (part, { name }) => {
    const half = "why ".repeat(60);
    part.warn(`${half}${idOf(name)}${half}`, [idOf(name)]);
  });
  batch.close();
  const [first = "", ...others] = warnings.slice(21);
  expect(others.length).toBeGreaterThan(0);
  expect(first).toMatch(/^affected ids: key_k0_i+…i+, key_k1_i{80}, /);
  for (const { name } of named(60).slice(1)) expect(warnings.slice(21).join()).toContain(idOf(name));
  expect(warnings.every(({ length }) => length < 4_000)).toBe(true);
});

test("the progress line counts a failed key as failed, not as done", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const { batch, progress } = open();
    let release = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const over = batch.each("deleted", named(3), async (_, { name }) => {
      if (name === "k0") throw new Failure("refused");
      if (name === "k2") await waiting;
    });
    await new Promise(setImmediate);
    vi.advanceTimersByTime(3_100);
    release();
    await over;
    expect(progress).toEqual(["Keys: 1 of 3 deleted, 1 failed."]);
  } finally {
    vi.useRealTimers();
  }
});
