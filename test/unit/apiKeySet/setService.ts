import { expect } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { failureOf, idIn, refused, replying } from "../replying";

export const customerId = "c";
export const of = (keys: object, defaults?: object) => ({
  workspaceId: "ws_1",
  keys,
  ...(defaults && { defaults }),
});

export interface Kept {
  readonly id: string;
  readonly state: Record<string, unknown>;
}
export type Inputs = Readonly<Record<string, unknown>>;

export interface Trouble {
  /** The name of a key whose writes are refused. */
  refused?: string;
  undeletable?: boolean;
  /** Ids of deleted keys are used again. */
  reuses?: boolean;
  /** Scopes are not applied. */
  unmet?: boolean;
  /** Answers to writes leave the scopes out, and no key can be read. */
  unseen?: boolean;
  /** Answers to POST leave the secret out. */
  silent?: boolean;
  /** Answers to PATCH are lost. */
  lost?: boolean;
}

const masked = ({ key: _, ...shown }: Record<string, unknown> = {}) => shown;

/** A set on a service that has each key value only once. A test turns its troubles on and off. */
export function service(trouble: Trouble = {}) {
  const live = new Map<string, Record<string, unknown>>();
  const gone: string[] = [];
  let made = 0;
  const nextId = () => `key_${trouble.reuses ? live.size + 1 : ++made}`;
  const set = replying(apiKeySet, (asked) => {
    const { method, body } = asked;
    const id = idIn(asked);
    if (method === "GET" && id === "ws_1") return { workspace: { id } };
    if (method === "GET" && id === "api-key") return { apiKeys: Array.from(live.values(), masked) };
    if (method !== "POST" && !live.has(id)) throw refused(404);
    if (method === "GET" && trouble.unseen) throw refused(503);
    if (method === "GET") return { apiKey: masked(live.get(id)) };
    if (method === "DELETE") {
      if (trouble.undeletable) throw refused(403);
      gone.push(id);
      live.delete(id);
      return { apiKey: { id, deleted: true } };
    }
    const sent = body as { name: string; key?: string };
    if (sent.name === trouble.refused) throw refused(400);
    const isHeld = [...live.values()].some(({ key }) => key === sent.key);
    if (sent.key !== undefined && isHeld) throw refused(409);
    const own = method === "PATCH" ? id : nextId();
    const apiKey = { enabled: true, key: `sk_${own}`, ...live.get(own), ...sent, id: own };
    if (trouble.unmet) Object.assign(apiKey, { scopes: [] });
    live.set(own, { ...apiKey, maskedKey: `…${own}` });
    if (trouble.lost && method === "PATCH") throw new CallError("ambiguous", "no answer", 500);
    const { scopes, ...others } = live.get(own) ?? {};
    const shown = trouble.unseen ? others : { ...others, scopes };
    return { apiKey: method === "POST" && !trouble.silent ? shown : masked(shown) };
  });
  const create = (inputs: Inputs): Promise<Kept> => set.create(set.check(inputs, undefined).inputs);
  /** After an update that failed halfway, the engine still has the earlier inputs: `before`. */
  const update = async ({ id, state }: Kept, inputs: Inputs, before: Inputs): Promise<Kept> => {
    const { inputs: checked, failures } = set.check(inputs, set.check(before, undefined).inputs);
    expect(failures).toEqual([]);
    set.diff(id, state, checked);
    return { id, state: await set.update(id, state, checked) };
  };
  const failed = async (updating: Promise<Kept>): Promise<Kept> => {
    const { kept } = await failureOf(updating);
    if (kept === undefined) throw new Error("the failure has no state");
    return kept;
  };
  const changes = ({ id, state }: Kept, inputs: Inputs) =>
    set.diff(id, state, set.check(inputs, inputs).inputs).changes;
  return { ...set, trouble, live, gone, create, update, failed, changes };
}
