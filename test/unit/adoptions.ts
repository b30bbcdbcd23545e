import { expect } from "vitest";
import { CallError } from "../../provider/client/callError";
import type { Run } from "../../provider/core/run";
import { apiKey } from "../../provider/resources/apiKey";
import { apiKeySet } from "../../provider/resources/apiKeySet";
import { least } from "./offline";
import { type Asked, failureOf, idIn, replying } from "./replying";

export type Properties = Readonly<Record<string, unknown>>;
export interface Kept {
  readonly id: string;
  readonly state: Properties;
}

/** The scopes of a key that was there before, as the wire carries them and as a program declares them. */
const none = { create: false, read: false, update: false, del: false };
export const orders = [{ representation: "orders", read: true }];

export interface Trouble {
  /** Answers a request in place of the service; `undefined` leaves it to the service. */
  readonly odd?: (asked: Asked) => unknown;
  readonly run?: Run;
}

/** Keys that exist, and processes of the provider that share them; each is one run of the engine. */
export function adoptions({ odd = () => undefined, run }: Trouble = {}) {
  const live = new Map<string, Properties>();
  const asked: Asked[] = [];
  let made = 0;
  const refuse = (status: number) => new CallError("refused", `the service answered ${status}`, status);
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
      made += 1;
      const own = { deleted: false, maskedKey: "…", ...(body as object), id: `made_${made}` };
      live.set(own.id, own);
      return { apiKey: { ...own, key: `sk_${own.id}` } };
    }
    const before = live.get(id);
    if (before === undefined) throw refuse(404);
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
  /** One run: what its resources know of each other is gone with it. */
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

/** What an ApiKey that adopts a key is declared with: all that the keys of the service are. */
export const adopting = (more: Properties = {}): Properties => ({
  ...least,
  scopes: orders,
  existingId: "key_1",
  ...more,
});

/** The same of a set, by alias the ids of the keys that exist. */
export const adoptingSet = (ids: Readonly<Record<string, string>>, more: Properties = {}): Properties => ({
  workspaceId: "ws_1",
  defaults: { customerId: "cus_1", name: "ci", scopes: orders },
  keys: {
    ...Object.fromEntries(Object.entries(ids).map(([alias, existingId]) => [alias, { existingId }])),
    ...more,
  },
});
