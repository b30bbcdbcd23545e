/** Every input that is updated in place must reach the service, and a change of it there must be seen. */
import { expect, test } from "vitest";
import type { AnyDefinition } from "../../provider/core/definition";
import type { Field } from "../../provider/core/fields";
import { same } from "../../provider/core/state";
import { definitions } from "../../provider/resources";
import { shownFields } from "../../standin/types";
import { least, leastOf } from "./offline";
import { idIn, replying, wrappersOf } from "./replying";

type Values = Readonly<Record<string, unknown>>;

const candidates: readonly unknown[] = [
  ...["a", "b", 7, 8, true, false, { a: "1" }, { a: "2" }],
  ...[["10.0.0.1"], ["10.0.0.2"]],
  [{ representation: "orders", read: true }],
  [{ representation: "orders", read: true, del: true }],
];

/** Two values that the schema takes and that mean different things. */
function twoValues({ name, schema, canonical }: Field): readonly [unknown, unknown] {
  const all = candidates.filter((value) => schema.safeParse(value).success);
  const [first, second] = [all[0], all.find((value) => !same({ canonical }, value, all[0]))];
  if (first === undefined || second === undefined)
    throw new Error(`no two values for ${name}: add some to candidates`);
  return [first, second];
}

/** A resource on a service in memory that keeps what it is sent. */
function served(definition: AnyDefinition) {
  const records = new Map<string, Values>([["ws_1", { id: "ws_1" }]]);
  const operations = replying(definition, (asked) => {
    const { method, path } = asked;
    const { one, many } = wrappersOf(asked);
    if (/[a-z]$/.test(path) && method === "GET") return { [many]: [...records.values()].slice(1) };
    const id = method === "POST" ? `key_${records.size}` : idIn(asked);
    records.set(id, { ...records.get(id), ...(asked.body as object), id });
    return { [one]: { ...records.get(id), ...(method === "POST" && { key: `sk_${id}` }) } };
  });
  return { ...operations, records };
}

interface Case {
  readonly kind: string;
  readonly field: Field;
  /** The inputs of the resource with this value of the field. */
  readonly inputs: (value: unknown) => Values;
  /** The field's value in a state that a refresh read. */
  readonly readBack: (state: Values) => unknown;
}

const { workspaceId, ...key } = least;
const inKeys = (name: string) => (state: Values) => (state["keys"] as Record<string, Values>)["a"]?.[name];
const updatableOf = (definition: AnyDefinition) =>
  definition.fields.filter(({ onChange, local }) => onChange === "update" && !local);

const cases = Object.values(definitions).flatMap((definition): readonly Case[] => {
  const { kind } = definition;
  if (kind !== "ApiKeySet")
    return updatableOf(definition).map((field) => ({
      kind,
      field,
      inputs: (value) => ({ ...leastOf[kind], [field.name]: value }),
      readBack: (state) => state[field.name],
    }));
  // Its entries and defaults consist of the inputs of an ApiKey.
  return updatableOf(definitions["ApiKey"] as AnyDefinition).flatMap((field) => {
    const { name } = field;
    const { [name as "name"]: _, ...others } = key;
    const common = { kind, field, readBack: inKeys(name) };
    const own = (value: unknown) => ({ workspaceId, keys: { a: { ...key, [name]: value } } });
    const inDefaults = (value: unknown) => ({
      workspaceId,
      keys: { a: others },
      defaults: { [name]: value },
    });
    return [own, inDefaults].map((inputs) => ({ ...common, inputs }));
  });
});

test.each(cases.map((one) => [`${one.kind}.${one.field.name}`, one] as const))(
  "K1 W1 an update sends %s, and a refresh sees a change of it",
  async (_title, { kind, field, inputs, readBack }) => {
    const [before, after] = twoValues(field);
    const { check, create, update, read, calls, records } = served(definitions[kind] as AnyDefinition);
    const created = await create(check(inputs(before), undefined).inputs);
    calls.length = 0;
    const state = await update(created.id, created.state, check(inputs(after), inputs(before)).inputs);
    const sent = calls.map(({ body }) => (body as Values | undefined)?.[field.name]);
    expect(sent.some((value) => same(field, value, after))).toBe(true);
    const [id] = [...records.keys()].slice(-1) as [string];
    records.set(id, { ...records.get(id), [field.name]: before });
    if (calls.some(({ method }) => method === "POST")) return;
    const found = await read(created.id, state);
    expect(same(field, readBack(found?.state ?? {}), before)).toBe(true);
  },
);

test.each([
  ["ApiKey", "apiKey"],
  ["WorkspaceSettings", "workspace"],
] as const)("the stand-in shows every input of %s that is updated in place", (kind, record) => {
  const names = updatableOf(definitions[kind] as AnyDefinition).map(({ name }) => name);
  expect(shownFields[record]).toEqual(expect.arrayContaining(names));
});

test("every resource but a scope and a grant has an input that is updated in place", () => {
  const others = Object.keys(definitions).filter((kind) => cases.every((one) => one.kind !== kind));
  expect(others).toEqual(["Scope", "CustomerBilling"]);
});
