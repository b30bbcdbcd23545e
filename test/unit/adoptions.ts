import { expect } from "vitest";
import type { Run } from "../../provider/core/run";
import { apiKey } from "../../provider/resources/apiKey";
import { apiKeySet } from "../../provider/resources/apiKeySet";
import { least } from "./offline";
import { type Asked, failureOf, idIn, refused, replying } from "./replying";

export type Properties = Readonly<Record<string, unknown>>;
export interface Kept {
  readonly id: string;
  readonly state: Properties;
}

/** The scopes of an existing key: the flags in an answer, and the declaration in a program. */
const none = { create: false, read: false, update: false, del: false };
export const orders = [{ representation: "orders", read: true }];

export interface Trouble {
  /** Answers a request in place of the service; `undefined` leaves it to the service. */
  readonly odd?: (asked: Asked) => unknown;
  readonly run?: Run;
}

/** A service with existing keys, and processes of the provider that use it. Each process is one run of the engine. */
export function adoptions({ odd = () => undefined, run }: Trouble = {}) {
  const live = new Map<string, Properties>();
  const asked: Asked[] = [];
  let created = 0;
  const scopeIds = (scopes: unknown, id: string) =>
    (scopes as readonly Properties[]).map((scope) => ({ ...scope, id: `scope_${id}` }));
  function reply(one: Asked): unknown {
    const { method, body } = one;
    asked.push(one);
    const instead = odd(one);
    if (instead !== undefined) return instead;
    const id = idIn(one);
    if (method === "GET" && id === "ws_1") return { workspace: { id } };
    if (method === "GET" && id === "api-key") return { apiKeys: [...live.values()] };
    if (method === "POST") {
      created += 1;
      const own = { deleted: false, maskedKey: "…", ...(body as object), id: `made_${created}` };
      live.set(own.id, own);
      return { apiKey: { ...own, key: `sk_${own.id}` } };
    }
    const before = live.get(id);
    if (before === undefined) throw refused(404);
    if (method === "GET") return { apiKey: before };
    if (method === "DELETE") {
      live.delete(id);
      return { apiKey: { id, deleted: true } };
    }
    const { scopes, ...sent } = body as { scopes: unknown };
    live.set(id, { ...before, ...sent, scopes: scopeIds(scopes, id) });
    return { apiKey: live.get(id) };
  }
  const add = (key: Properties & { readonly id: string }) => {
    const { id } = key;
    const scopes = [{ ...none, ...orders[0], id: `scope_${id}` }];
    const { workspaceId: _, ...usual } = { ...least, enabled: true, deleted: false, maskedKey: `…${id}` };
    live.set(id, { ...usual, scopes, ...key });
  };
  /** One run. Its resources know of each other, but not of those of another run. */
  const process = () => {
    const shared = new Map();
    const options = { shared, ...(run && { run }) };
    const of = (operations: ReturnType<typeof replying>) => ({
      ...operations,
      checked: (inputs: Properties, before?: Properties, name = "ci") => {
        const { inputs: found, failures } = operations.check(inputs, before, name);
        expect(failures).toEqual([]);
        return found;
      },
    });
    return { keys: of(replying(apiKey, reply, options)), sets: of(replying(apiKeySet, reply, options)) };
  };
  return {
    ...process(),
    process,
    asked,
    methods: () => asked.map(({ method }) => method).join(" "),
    service: { live, add },
    failureOf,
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
export function manyKeys(count: number, trouble: Trouble = {}) {
  const world = adoptions(trouble);
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
    return { ...kept, changes, notes: sets.progress, warnings: sets.warnings };
  };
  const counted = () => {
    const kinds = Map.groupBy(world.asked, (one) =>
      one.method === "GET" && idIn(one) === "api-key" ? "LIST" : one.method,
    );
    return Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length]));
  };
  return { ...world, create, update, counted };
}
