import fc from "fast-check";
import { expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { addressesSchema, canonicalAddresses } from "../../../provider/resources/workspaceSettings";

const canonical = (entries: unknown) => canonicalAddresses(entries) as unknown[];
const failures = (entries: unknown) => addressesSchema.safeParse(entries).error?.issues ?? [];

/** Addresses in canonical form, built from their parts. */
const v4 = fc.ipV4();
const v6 = fc
  .array(fc.integer({ min: 1, max: 0xffff }), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((group) => group.toString(16)).join(":"));
const block = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 31 }))
  .map(([number, bits]) => ({ number, bits, text: `${dotted(number)}/${bits}` }));
/** Strings that are neither an address nor a block. */
const wrong =
  "10.0.0 010.0.0.1 0x7f.1 2130706433 1.2.3.4/33 1.2.3.4/-1 1.2.3.4/08 1.2.3.4/8/8 1.2.3.4/ ::1/129 fe80::1%eth0 ::: 12345:: [::1] a 1.2.3.4:80 １.2.3.4".split(
    " ",
  );

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

test("W3: allowed addresses are a set: order, repetition and spelling make no difference", () => {
  const spelled = (entry: string) => {
    const length = entry.includes(":") ? 128 : 32;
    return fc.constantFrom(entry, ` ${entry} `, entry.toUpperCase(), `${entry}/${length}`);
  };
  const twoSpellings = fc.array(fc.oneof(v4, v6)).chain((entries) => {
    const once = fc
      .tuple(...entries.map(spelled))
      .chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));
    return fc.tuple(fc.constant(entries), once, once);
  });
  fc.assert(
    fc.property(twoSpellings, ([entries, one, other]) => {
      expect(canonical([...one, ...other])).toEqual([...new Set(entries)].sort());
    }),
  );
  const spellings = ["2001:db8::1", "2001:0db8:0:0:0:0:0:1", "2001:db8:0::0:1", "2001:db8::1/128"];
  expect(canonical(spellings)).toEqual(["2001:db8::1"]);
  expect(canonical(["::ffff:10.0.0.1", "::ffff:a00:1/128", "10.0.0.1"])).toEqual(["10.0.0.1"]);
});

test("W3 two allowed blocks are one if they differ only in host bits, and never if their sizes differ", () => {
  fc.assert(
    fc.property(block, fc.nat(), ({ number, bits, text }, noise) => {
      const size = 2 ** (32 - bits);
      const base = number - (number % size);
      const other = base + (noise % size);
      expect(canonical([text, `${dotted(other)}/${bits}`])).toEqual([`${dotted(base)}/${bits}`]);
    }),
  );
  expect(canonical(["2001:db8:0:ffff::1/32"])).toEqual(["2001:db8::/32"]);
  expect(canonical(["10.0.0.0/8", "10.0.0.0/9", "10.0.0.0", "0.0.0.0/0", "::/0"])).toHaveLength(5);
});

test("R2 unknown addresses, and entries that don't parse, stay as they are, at the end", () => {
  const bad = fc.array(fc.constantFrom(...wrong, ...unknownSentinels, 5, null));
  const good = fc.array(
    fc.oneof(
      v4,
      v6,
      block.map(({ text }) => text),
    ),
  );
  fc.assert(
    fc.property(good, bad, (good, bad) => {
      expect(canonical([...bad, ...good])).toEqual([...canonical(good), ...bad]);
      expect(canonical(canonical([...bad, ...good]))).toEqual([...canonical(good), ...bad]);
    }),
  );
});

test("R2 W3 a list of addresses is absent if it is null or no list, but not if it is empty", () => {
  expect(canonicalAddresses([])).toEqual([]);
  for (const other of [undefined, null, "10.0.0.1", 5, { a: 1 }])
    expect(canonicalAddresses(other)).toBeUndefined();
});

test("W3 R8 an address that does not parse fails the check with its index, without being quoted", () => {
  for (const entry of [...wrong, "", " "]) {
    expect(failures(["10.0.0.1", entry, "::1"])).toMatchObject([
      { path: [1], message: expect.stringMatching(/^must be an IP address or a CIDR block/) },
    ]);
  }
  for (const entry of [5, null, true, {}, ["10.0.0.1"]]) expect(failures([entry])).toHaveLength(1);
  for (const list of ["10.0.0.1", 5, true, {}]) expect(failures(list)).toHaveLength(1);
});

test("W3 R8 addresses pass the check if each parses or is unknown", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          v4,
          v6,
          fc.ipV6(),
          block.map(({ text }) => text),
        ),
      ),
      (entries) => {
        expect(failures([...entries, ...unknownSentinels])).toEqual([]);
      },
    ),
  );
});
