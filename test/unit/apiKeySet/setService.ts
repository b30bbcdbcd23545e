import { expect } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { type Key, keyService } from "../keyService";
import { type Asked, failureOf, idIn, nameIn, type Options, refused, replying } from "../replying";

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

/** A set on a service in memory. A test turns its troubles on and off. */
export function service(trouble: Trouble = {}, options: Options = {}) {
  const keys = keyService((made) => `key_${trouble.reuses ? keys.live.size + 1 : made}`);
  const { live } = keys;
  const gone: string[] = [];
  const reply = async (asked: Asked): Promise<unknown> => {
    const { method, body } = asked;
    const id = idIn(asked);
    if (trouble.unseen && method === "GET" && live.has(id)) throw refused(503);
    if (trouble.undeletable && method === "DELETE" && live.has(id)) throw refused(403);
    if (body === undefined) {
      const answer = await keys.reply(asked);
      if (method === "DELETE") gone.push(id);
      return answer;
    }
    if (nameIn(asked) === trouble.refused) throw refused(400);
    const applied = trouble.unmet ? { ...asked, body: { ...body, scopes: [] } } : asked;
    const { apiKey } = (await keys.reply(applied)) as { apiKey: Key };
    if (trouble.lost && method === "PATCH") throw new CallError("ambiguous", "no answer", 500);
    const { scopes, key, ...others } = apiKey;
    const shown = { ...others, ...(trouble.unseen ? {} : { scopes }) };
    return { apiKey: trouble.silent ? shown : { ...shown, key } };
  };
  const set = replying(apiKeySet, reply, options);
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
  return { ...set, ...keys, trouble, gone, create, update, failed, changes };
}

/** A set after an update from `before` to `now` that failed because of this trouble, until `end` ends it. */
export async function afterFailure(trouble: Trouble, before: Inputs, now: Inputs) {
  const set = service();
  const first = await set.create(before);
  Object.assign(set.trouble, trouble);
  const second = await set.failed(set.update(first, now, before));
  expect(set.gone).toEqual([]);
  const end = () => {
    for (const name of Object.keys(trouble)) delete set.trouble[name as keyof Trouble];
  };
  return { ...set, first, second, end };
}
