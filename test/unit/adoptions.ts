import { expect } from "vitest";
import { apiKey } from "../../provider/resources/apiKey";
import { apiKeySet } from "../../provider/resources/apiKeySet";
import { type Key, keyService } from "./keyService";
import { least } from "./offline";
import { type Asked, idIn, type Options, replying } from "./replying";

export type Properties = Readonly<Record<string, unknown>>;
export interface Kept {
  readonly id: string;
  readonly state: Properties;
}

/** The scopes of an existing key: the flags in an answer, and the declaration in a program. */
const none = { create: false, read: false, update: false, del: false };
const orders = [{ representation: "orders", read: true }];

/** A service with existing keys, and processes of the provider that use it. Each process is one run of the engine. */
export function adoptions(options: Options = {}) {
  const service = keyService((made) => `made_${made}`);
  const asked: Asked[] = [];
  const reply = (one: Asked) => {
    asked.push(one);
    return service.reply(one);
  };
  const add = (key: Key & { readonly id: string }) => {
    const { id } = key;
    const scopes = [{ ...none, ...orders[0], id: `scope_${id}` }];
    const { workspaceId: _, ...usual } = { ...least, enabled: true, deleted: false, maskedKey: `…${id}` };
    service.live.set(id, { ...usual, scopes, ...key });
  };
  /** One run. Its resources know of each other, but not of those of another run. */
  const process = () => {
    const shared = new Map();
    const of = (operations: ReturnType<typeof replying>) => ({
      ...operations,
      checked: (inputs: Properties, before?: Properties, name = "ci") => {
        const { inputs: found, failures } = operations.check(inputs, before, name);
        expect(failures).toEqual([]);
        return found;
      },
    });
    const parts = { ...options, shared };
    return { keys: of(replying(apiKey, reply, parts)), sets: of(replying(apiKeySet, reply, parts)) };
  };
  return {
    ...process(),
    process,
    asked,
    methods: () => asked.map(({ method }) => method).join(" "),
    /** The ids of the keys in the service. */
    there: () => [...service.live.keys()],
    service: { ...service, add },
  };
}

/** Inputs of an ApiKey that adopts a key of the service unchanged. */
export const adopting = (more: Properties = {}): Properties => ({
  ...least,
  scopes: orders,
  existingId: "key_1",
  ...more,
});

/** Inputs of a set that adopts existing keys, whose ids are given by alias. */
export const adoptingSet = (ids: Readonly<Record<string, string>>, more: Properties = {}): Properties => ({
  workspaceId: "ws_1",
  defaults: { customerId: "cus_1", name: "ci", scopes: orders },
  keys: {
    ...Object.fromEntries(Object.entries(ids).map(([alias, existingId]) => [alias, { existingId }])),
    ...more,
  },
});

/** This many ids, by alias. */
export const ids = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [`k${place}`, `key_${place}`]));

/** A service with this many keys, and runs of the engine with one set. */
export function manyKeys(count: number, options: Options = {}) {
  const world = adoptions(options);
  for (const id of Object.values(ids(count))) world.service.add({ id });
  const create = async (inputs: Properties): Promise<Kept> => {
    const { sets } = world.process();
    return sets.create(sets.checked(inputs));
  };
  /** One update in a process of its own, and what its preview says. */
  const update = async ({ id, state }: Kept, inputs: Properties, before: Properties) => {
    const { sets } = world.process();
    const checked = sets.checked(inputs, world.process().sets.checked(before));
    const { changes } = sets.diff(id, state, checked);
    const kept = { id, state: changes === false ? state : await sets.update(id, state, checked) };
    return { ...kept, changes, notes: sets.notes, warnings: sets.warnings };
  };
  const counted = () => {
    const kinds = Map.groupBy(world.asked, (one) =>
      one.method === "GET" && idIn(one) === "api-key" ? "LIST" : one.method,
    );
    return Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length]));
  };
  return { ...world, create, update, counted };
}
