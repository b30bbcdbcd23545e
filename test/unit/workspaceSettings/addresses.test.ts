import fc from "fast-check";
import { describe, expect, test } from "vitest";
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
const junk = fc.constantFrom("10.0.0", "a", "1.2.3.4/33", "::1/129", "fe80::1%eth0", "", "1.2.3.4/", 5, null);
const blockText = block.map(({ text }) => text);

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

describe("a list of allowed IP addresses", () => {
  test("R2 W3 is a set: order, repetition and spelling make no difference", () => {
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
        expect(canonical(one)).toEqual(canonical(entries));
        expect(canonical([...one, ...other])).toEqual(canonical(entries));
        expect(canonical(entries)).toEqual([...new Set(entries)].sort());
      }),
    );
  });

  test("W3 an IPv4 address in IPv6 is that address", () => {
    expect(canonical(["::ffff:10.0.0.1", "::ffff:a00:2/128", "10.0.0.1"])).toEqual(["10.0.0.1", "10.0.0.2"]);
  });

  test("R2 does not change once it is in canonical form", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(v4, v6, junk, blockText)), (entries) => {
        expect(canonical(canonical(entries))).toEqual(canonical(entries));
      }),
    );
  });

  test("W3 treats two blocks as one if they differ only in host bits", () => {
    fc.assert(
      fc.property(block, fc.nat(), ({ number, bits, text }, noise) => {
        const size = 2 ** (32 - bits);
        const base = number - (number % size);
        const other = base + (noise % size);
        expect(canonical([text, `${dotted(other)}/${bits}`])).toEqual([`${dotted(base)}/${bits}`]);
      }),
    );
    expect(canonical(["2001:db8:0:ffff::1/32"])).toEqual(["2001:db8::/32"]);
  });

  test("W3 never merges two addresses, or blocks of different sizes", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(v4, v6)), (entries) => {
        expect(canonical(entries)).toHaveLength(entries.length);
      }),
    );
    expect(canonical(["10.0.0.0/8", "10.0.0.0/9", "10.0.0.0"])).toHaveLength(3);
    expect(canonical(["0.0.0.0/0", "::/0"])).toHaveLength(2);
  });

  test("W3 treats all spellings of an IPv6 address as one", () => {
    const spellings = [
      "2001:db8::1",
      "2001:DB8::1",
      "2001:0db8:0:0:0:0:0:1",
      "2001:db8:0::0:1",
      "2001:db8::1/128",
    ];
    expect(canonical(spellings)).toEqual(["2001:db8::1"]);
    expect(canonical(["::ffff:192.0.2.1", "::ffff:c000:201"])).toHaveLength(1);
  });

  test("R2 keeps unknown values, and entries that don't parse, unchanged at its end", () => {
    fc.assert(
      fc.property(
        fc.array(v4),
        fc.array(fc.oneof(junk, fc.constantFrom(...unknownSentinels))),
        (good, bad) => {
          expect(canonical([...bad, ...good])).toEqual([...canonical(good), ...bad]);
        },
      ),
    );
  });

  test("R2 W3 counts as absent if it is null or not a list, but not if it is empty", () => {
    expect(canonicalAddresses(undefined)).toBeUndefined();
    expect(canonicalAddresses(null)).toBeUndefined();
    expect(canonicalAddresses([])).toEqual([]);
    for (const other of unknownSentinels) expect(canonicalAddresses(other)).toBe(other);
    for (const other of ["10.0.0.1", 5, { a: 1 }]) expect(canonicalAddresses(other)).toBeUndefined();
  });

  test("W3 R8 fails the check with the index of an entry that does not parse, without quoting it", () => {
    const wrong = [
      ...[
        "10.0.0",
        "010.0.0.1",
        "0x7f.1",
        "2130706433",
        "1.2.3.4/33",
        "1.2.3.4/-1",
        "1.2.3.4/08",
        "1.2.3.4/8/8",
      ],
      ...[
        "::1/129",
        "fe80::1%eth0",
        ":::",
        "12345::",
        "[::1]",
        "example.com",
        "",
        " ",
        "1.2.3.4:80",
        "１.2.3.4",
      ],
    ];
    for (const entry of wrong) {
      const issues = failures(["10.0.0.1", entry, "::1"]);
      expect(
        issues.map(({ path }) => path),
        entry,
      ).toEqual([[1]]);
      expect(issues[0]?.message).toMatch(/^must be an IP address or a CIDR block/);
    }
    for (const entry of [5, null, true, {}, ["10.0.0.1"]]) expect(failures([entry])).toHaveLength(1);
    for (const list of ["10.0.0.1", 5, true, {}]) expect(failures(list)).toHaveLength(1);
  });

  test("W3 passes the check if each entry parses or is unknown", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(v4, v6, fc.ipV6(), blockText)), (entries) => {
        expect(failures([...entries, ...unknownSentinels])).toEqual([]);
      }),
    );
  });
});
