import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { caseFolded } from "../../../provider/core/state";
import {
  canonicalScopes,
  type Granted,
  inWords,
  repeated,
  scopesSchema,
  toWire,
  undeclared,
} from "../../../provider/resources/apiKey/scopes";
import { type Entry, grants, permissions, sameGrants, spelledTwice, spelling } from "./scopeArbitraries";

const canonical = (value: unknown) => canonicalScopes(value) as Entry[];
const sentinel = fc.constantFrom(...unknownSentinels);

describe("a key's scopes in canonical form", () => {
  test("K3 are equal whatever their order, ids, false or absent flags, and entries without permissions", () => {
    fc.assert(
      fc.property(spelledTwice, ([one, other]) => {
        expect(canonical(one)).toStrictEqual(canonical(other));
      }),
    );
  });

  test("K3 are never equal if they grant different permissions", () => {
    const pair = fc
      .tuple(grants, grants)
      .chain(([left, right]) =>
        fc.tuple(fc.constant(sameGrants(left, right)), spelling(left), spelling(right)),
      );
    fc.assert(
      fc.property(pair, ([same, left, right]) => {
        if (same) expect(canonical(left)).toStrictEqual(canonical(right));
        else expect(canonical(left)).not.toStrictEqual(canonical(right));
      }),
      { numRuns: 500 },
    );
  });

  test("R2 do not change once they are in canonical form", () => {
    fc.assert(
      fc.property(spelledTwice, ([one]) => {
        expect(canonical(canonical(one))).toStrictEqual(canonical(one));
      }),
    );
  });

  test("K3 are sorted by representation, and have only their true flags", () => {
    fc.assert(
      fc.property(spelledTwice, ([one]) => {
        const entries = canonical(one);
        const names = entries.map(({ representation }) => representation);
        expect(names).toEqual([...names].sort());
        for (const { representation: _, ...flags } of entries) {
          expect(Object.keys(flags).length).toBeGreaterThan(0);
          expect(Object.values(flags).every((flag) => flag === true)).toBe(true);
          expect(permissions).toEqual(expect.arrayContaining(Object.keys(flags)));
        }
      }),
    );
  });

  test("R2 are an empty list if absent, null or without permissions", () => {
    for (const value of [undefined, null, [], [{ representation: "orders", read: false }]]) {
      expect(canonical(value)).toEqual([]);
    }
  });

  test("R2 have unknown entries at the end, unchanged", () => {
    const unknownEntry = fc.oneof(
      sentinel,
      fc.record({ representation: sentinel, read: fc.boolean(), id: fc.string() }),
    );
    const mixed = fc
      .tuple(spelledTwice, fc.array(unknownEntry))
      .chain(([[known], unknown]) =>
        fc.tuple(fc.constant(known), fc.constant(unknown), interleaved<unknown>(known, unknown)),
      );
    fc.assert(
      fc.property(mixed, ([known, unknown, together]) => {
        expect(canonicalScopes(together)).toStrictEqual([...canonical(known), ...unknown]);
      }),
    );
  });

  test("R2 have an unknown flag in its entry, and are unknown if the list is", () => {
    fc.assert(
      fc.property(sentinel, (unknown) => {
        expect(canonical([{ representation: "orders", read: unknown, create: false }])).toEqual([
          { representation: "orders", read: unknown },
        ]);
        expect(canonicalScopes(unknown)).toBe(unknown);
      }),
    );
  });

  test("are computed from any JSON value without a crash", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => canonicalScopes(value) !== undefined));
  });
});

describe("a key's scopes as declared", () => {
  test("K3 have repeated representations reported by index", () => {
    const again = { representation: "orders", read: true };
    expect(repeated([again, { representation: "users" }, again, again])).toEqual([2, 3]);
    expect(
      repeated([{ representation: unknownSentinels[0] }, { representation: unknownSentinels[0] }]),
    ).toEqual([]);
    for (const value of [undefined, null, "text", [1, null]]) expect(repeated(value)).toEqual([]);
  });

  test("pass the schema in every spelling that a program may use", () => {
    const declarable = spelledTwice.map(([one]) => one.map(({ id: _, ...entry }) => entry));
    fc.assert(fc.property(declarable, (scopes) => scopesSchema.safeParse(scopes).success));
  });
});

describe("a key's scopes in a request", () => {
  test("K1 have four booleans in each entry, and the id that the service has for its representation", () => {
    const current = [scope("orders", { id: "s1" }), scope("users", { id: "s2", read: true })];
    expect(
      toWire(
        [
          { representation: "new", read: true },
          { representation: "users", del: true },
        ],
        current,
      ),
    ).toEqual([
      { representation: "new", create: false, read: true, update: false, del: false },
      { id: "s2", representation: "users", create: false, read: false, update: false, del: true },
    ]);
  });

  test("K1 have no ids if there are no current entries", () => {
    fc.assert(
      fc.property(spelledTwice, ([one]) => {
        for (const entry of toWire(canonical(one))) {
          expect(Object.keys(entry).sort()).toEqual(["create", "del", "read", "representation", "update"]);
        }
      }),
    );
  });

  test("K4 are undeclared if the program has none of this representation", () => {
    const current = [
      scope("kept", { id: "1", read: true }),
      scope("wider", { id: "2", read: true, update: true }),
      scope("undeclared", { id: "3", update: true }),
      scope("empty", { id: "4" }),
    ];
    const declared: Granted[] = [
      { representation: "kept", read: true, del: true },
      { representation: "wider", read: true },
    ];
    expect(undeclared(declared, current)).toEqual([{ representation: "undeclared" }]);
    expect(undeclared(canonicalScopes(current) ?? [], current)).toEqual([]);
  });

  test("K4 are not undeclared if the service spells a declared representation in another form", () => {
    const spelled = [scope("orders", { id: "1", read: true })];
    const declared: Granted[] = [{ representation: "Orders ", read: true }];
    expect(undeclared(declared, spelled)).toEqual([]);
    const both = [...spelled, scope("Orders ", { id: "2", read: true })];
    expect(undeclared(declared, both)).toEqual([{ representation: "orders" }]);
  });

  test("K4 are undeclared exactly if the program has none of them", () => {
    const pair = fc
      .tuple(grants, grants)
      .chain(([left, right]) =>
        fc.tuple(fc.constant([left, right] as const), spelling(left), spelling(right)),
      );
    fc.assert(
      fc.property(pair, ([[left, right], declared, current]) => {
        const names = new Set([...left.keys(), ...right.keys()]);
        fc.pre(new Set([...names].map(caseFolded)).size === names.size);
        const others = [...right].filter(([name, held]) => held.size > 0 && !left.get(name)?.size);
        const revoked = undeclared(declared as never, current as never);
        expect(revoked.map(({ representation }) => representation).toSorted()).toEqual(
          others.map(([name]) => name).toSorted(),
        );
      }),
    );
  });

  test("K4 have four false flags and the id if they are to be revoked, and are as declared otherwise", () => {
    const current = [scope("kept", { id: "1", read: true }), scope("undeclared", { id: "3", update: true })];
    const declared: Granted[] = [
      { representation: "kept", read: true },
      { representation: "narrowed", del: true },
    ];
    const none = { create: false, read: false, update: false, del: false };
    expect(toWire([...declared, ...undeclared(declared, current)], current)).toEqual([
      { ...none, id: "1", representation: "kept", read: true },
      { ...none, representation: "narrowed", del: true },
      { ...none, id: "3", representation: "undeclared" },
    ]);
  });

  test("are put into words by representation and granted permissions", () => {
    expect(
      inWords([
        { representation: "orders", update: true, read: true },
        { representation: "users", del: true },
      ]),
    ).toBe("orders (read, update), users (del)");
    expect(inWords([])).toBe("no scopes");
  });
});

function scope(representation: string, more: { id: string; read?: boolean; update?: boolean }) {
  return { representation, create: false, read: false, update: false, del: false, ...more };
}

/** Both lists in one, each in its own order. */
function interleaved<T>(left: readonly T[], right: readonly T[]): fc.Arbitrary<T[]> {
  return fc.array(fc.boolean(), { minLength: left.length + right.length }).map((choices) => {
    const rest: [T[], T[]] = [[...left], [...right]];
    return choices.flatMap((choice) => {
      const from = rest[choice ? 0 : 1].length > 0 ? rest[choice ? 0 : 1] : rest[choice ? 1 : 0];
      return from.splice(0, 1);
    });
  });
}
