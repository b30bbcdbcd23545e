import fc from "fast-check";
import { differing, type Meant, meant, shuffled, written } from "../apiKey/inputArbitraries";

/** The keys of a set, however they are spelled: each as an ApiKey would declare it. */
export type MeantSet = ReadonlyMap<string, Meant>;

const alias = fc.constantFrom("a", "b", "c", "constructor", "a b");

export const meantSet: fc.Arbitrary<MeantSet> = fc
  .dictionary(alias, meant, { maxKeys: 4, noNullPrototype: true })
  .map((keys) => new Map(Object.entries(keys).map(([name, one]) => [name, { ...one, workspaceId: "ws_1" }])));

type Fields = Record<string, unknown>;

/** One of the many ways in which a program may write it: any defaults, with entries that differ from them where needed. */
export function writtenSet(keys: MeantSet): fc.Arbitrary<Fields> {
  return fc.tuple(meant, fc.subarray(fieldNames)).chain(([under, names]) => {
    const entries = [...keys].map(([name, of]) =>
      entry(name, of, under, names).map((one) => [name, one] as const),
    );
    return fc.tuple(written(under), fc.tuple(...entries).chain(shuffled)).map(([all, pairs]) => ({
      workspaceId: "ws_1",
      keys: Object.fromEntries(pairs),
      defaults: Object.fromEntries(Object.entries(all).filter(([field]) => names.includes(field as Name))),
    }));
  });
}

type Name = Exclude<keyof Meant, "workspaceId">;
const fieldNames = [
  ...(["customerId", "name", "scopes", "enabled", "prefix", "expiresAt"] as const),
  ...(["externalMeterId", "metadata", "keepers"] as const),
] satisfies Name[];

function entry(name: string, of: Meant, under: Meant, names: readonly Name[]): fc.Arbitrary<Fields> {
  const different = differing(of, under);
  return fc.tuple(written(of), fc.subarray(fieldNames)).map(([all, leftOut]) => {
    const { workspaceId: _, ...own } = all as Fields;
    for (const field of fieldNames) {
      const hasDefault = names.includes(field);
      if (hasDefault && !different.includes(field) && leftOut.includes(field)) delete own[field];
      // If the entry left it out, the default would apply.
      if (hasDefault && different.includes(field) && own[field] === undefined) own[field] = null;
    }
    if (own["name"] === name && !names.includes("name") && leftOut.includes("name")) delete own["name"];
    return own;
  });
}

/** A set's state after all of its keys were created. */
export function stateOfAll(inputs: Fields): Fields {
  const aliases = Object.keys(inputs["keys"] as Fields);
  const by = (value: (name: string) => string) =>
    Object.fromEntries(aliases.map((name) => [name, value(name)]));
  return {
    ...inputs,
    ids: by((name) => `id of ${name}`),
    maskedKeys: by((name) => `sk_…${name}`),
    secrets: by((name) => `sk_secret_of_${name}`),
  };
}
