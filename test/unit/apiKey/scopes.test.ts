import fc from "fast-check";
import { expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { caseFolded } from "../../../provider/core/state";
import { canonicalScopes, type Granted, toWire, undeclared } from "../../../provider/resources/apiKey/scopes";
import { canonicalOf, grants, spelling } from "./inputArbitraries";

const none = { create: false, read: false, update: false, del: false };
const scope = (representation: string, more: object) => ({ ...none, representation, ...more });

test("K3: scopes in canonical form are what they grant, whatever their order, ids, false flags and empty entries", () => {
  const spelled = grants.chain((of) => fc.tuple(fc.constant(of), spelling(of)));
  fc.assert(
    fc.property(spelled, ([of, entries]) => {
      expect(canonicalScopes(entries)).toStrictEqual(canonicalOf(of));
      expect(canonicalScopes(canonicalOf(of))).toStrictEqual(canonicalOf(of));
    }),
  );
});

test("R2 scopes without permissions are an empty list, and unknown entries stay as they are, at the end", () => {
  for (const value of [undefined, null, [], [{ representation: "orders", read: false }]]) {
    expect(canonicalScopes(value)).toEqual([]);
  }
  for (const unknown of unknownSentinels) {
    const flag = { representation: "orders", read: unknown };
    expect(canonicalScopes([{ ...flag, create: false }])).toEqual([flag]);
    const others = [unknown, { representation: unknown, read: false, id: "s" }];
    expect(canonicalScopes([...others, flag])).toEqual([flag, ...others]);
  }
});

test("K1 scopes in an edit have four booleans each, and the id that the service has for their representation", () => {
  const current = [scope("orders", { id: "s1" }), scope("users", { id: "s2", read: true })];
  const declared: Granted[] = [
    { representation: "new", read: true },
    { representation: "users", del: true },
  ];
  expect(toWire(declared, current)).toEqual([
    scope("new", { read: true }),
    scope("users", { id: "s2", del: true }),
  ]);
});

test("K4 scopes are undeclared exactly if the program has none of their representation", () => {
  const pair = fc
    .tuple(grants, grants)
    .chain(([left, right]) => fc.tuple(fc.constant([left, right] as const), spelling(left), spelling(right)));
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

test("K4 scopes are not undeclared if the service spells a declared representation in another form", () => {
  const spelled = [scope("orders", { id: "1", read: true, del: true })];
  const declared: Granted[] = [{ representation: "Orders ", read: true }];
  expect(undeclared(declared, spelled)).toEqual([]);
  const both = [...spelled, scope("Orders ", { id: "2", read: true })];
  expect(undeclared(declared, both)).toEqual([{ representation: "orders" }]);
});

test("K4 scopes that are to be revoked have four false flags and their id in an edit", () => {
  const current = [scope("kept", { id: "1", read: true }), scope("undeclared", { id: "3", update: true })];
  const declared: Granted[] = [{ representation: "kept", read: true }];
  expect(toWire([...declared, ...undeclared(declared, current)], current)).toEqual([
    scope("kept", { id: "1", read: true }),
    scope("undeclared", { id: "3" }),
  ]);
});
