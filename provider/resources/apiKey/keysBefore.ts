import type { ApiKeyRecord } from "../../client/responses";
import type { Session } from "../../core/definition";
import { folded, type Properties } from "../../core/state";
import type { Listing } from "../../reads/byList";
import { orAfter, type SharedRead } from "../../reads/sharedRead";
import { lastingMs, type SharedListing, sharedReads, type Unavailable } from "../../reads/sharedReads";

/**
 * What tells which key a POST made whose answer was lost: the workspace's keys as they were before it. Creates of one
 * process share them, so that a burst costs one request a workspace.
 */

/** What a list tells of a key. */
export type Listed = Pick<ApiKeyRecord, "id" | "name" | "customerId" | "maskedKey" | "createdAt">;

/** The live keys of a workspace. */
interface Live {
  readonly all: readonly Listed[];
  has(id: string): boolean;
  /** Those of the declared name and customer. */
  alike(declared: Properties): readonly Listed[];
}

export interface Witness {
  /** The live keys before the POST. */
  readonly before: Live | Unavailable;
  /** When it was taken; a key made long before is no newcomer, even if a list that is cut shows it only now. */
  readonly since: Date;
  /** Runs the POST; until it is over, nobody takes its key for one of unknown origin. */
  posting<T>(post: () => Promise<T>): Promise<T>;
  /** The live keys of now. */
  now(): Promise<Live | Unavailable>;
  /** The live keys since then that this process neither knew nor made, or why they could not be had. */
  newcomers(): Promise<readonly Listed[] | Unavailable>;
}

/** A list may lag behind the writes. */
const lagMs = [0, 500, 1_500];
/** How long keys that others are making are waited for before they are named as unknown. */
const siblingsMs = 5_000;

/** What a POST is to be seen against. Where its key may be adopted, the list is taken anew. */
export async function witness(
  session: Session,
  declared: Properties,
  { fresh }: { readonly fresh: boolean },
): Promise<Witness> {
  const { list, posts } = watchOf(session, String(declared["workspaceId"]));
  const before = await (fresh ? list.fresh() : list.recent(lastingMs));
  const since = new Date();
  const isNew = (key: Listed) =>
    !("has" in before && before.has(key.id)) && !session.known.has(declared, key.id) && !isOld(key, since);
  return {
    before,
    since,
    async posting(post) {
      const posted = post();
      const over = posted.then(
        () => {},
        () => {},
      );
      posts.add(over);
      try {
        return await posted;
      } finally {
        posts.delete(over);
      }
    },
    now: () => list.fresh(),
    async newcomers() {
      let found: readonly Listed[] | Unavailable = { problem: "it was not asked for" };
      for (const wait of lagMs) {
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        const now = await list.fresh();
        await orAfter<unknown>(siblingsMs, Promise.all(posts), undefined);
        if ("problem" in now) {
          if ("problem" in found) found = now;
          continue;
        }
        found = now.all.filter(isNew);
        if (now.alike(declared).some(isNew)) break;
      }
      return found;
    },
  };
}

/** Clocks differ, times may lack their zone, and dates their time. */
const skewMs = 48 * 3_600_000;
const plausible = Date.UTC(2000);

/** Whether a key was certainly made long before. */
export function isOld({ createdAt = "" }: Pick<Listed, "createdAt">, since: Date): boolean {
  const number = /^\d+$/.test(createdAt) ? Number(createdAt) : Number.NaN;
  const made = Number.isNaN(number) ? Date.parse(createdAt) : number < 1e11 ? number * 1_000 : number;
  return made > plausible && made < since.getTime() - skewMs;
}

/** A record of which no more is known than a list tells. */
export function unread({ id, name, customerId, maskedKey, createdAt }: Listed): ApiKeyRecord {
  return {
    ...{ id, name, customerId, maskedKey, createdAt },
    prefix: undefined,
    expiresAt: undefined,
    scopes: undefined,
    enabled: undefined,
    deleted: false,
    updatedAt: undefined,
    lastUsedAt: undefined,
    billingId: undefined,
    key: undefined,
  };
}

/** Whether a key bears the declared name and customer, however the service may have spelled them. */
export function resembles(key: Listed | Properties, declared: Properties): boolean {
  return nameOf(key) === nameOf(declared);
}

function nameOf({ name, customerId }: Listed | Properties): string {
  return JSON.stringify([folded(name), folded(customerId)]);
}

/** Whether neither customer nor masked form speaks against a key's having this value and the declared customer. */
export function agrees({ customerId, maskedKey }: Listed, declared: Properties, value: string): boolean {
  return isOf(customerId, declared) && value.endsWith(endOf(maskedKey));
}

/** Whether a key can be told to be the one of this value that was declared. */
export function fits(key: Listed, declared: Properties, value: string): boolean {
  if (!agrees(key, declared, value)) return false;
  return folded(key.name) === folded(declared["name"]) || endOf(key.maskedKey).length >= 4;
}

/** Whether a key is of the declared customer, as far as is known. */
export function isOf(customerId: string | undefined, declared: Properties): boolean {
  return customerId === undefined || folded(customerId) === folded(declared["customerId"]);
}

/** The end of a secret that its masked form shows; "" where it shows none that tells anything. */
function endOf(maskedKey = ""): string {
  const [, end = ""] = /(?:[^A-Za-z0-9]{2,}|[*#\u2022\u2026]|x{3,})([A-Za-z0-9]{3,})$/i.exec(maskedKey) ?? [];
  return end;
}

interface Watch {
  readonly list: Pick<SharedRead<Live | Unavailable>, "recent" | "fresh">;
  readonly posts: Set<Promise<void>>;
}

/** By the list that all calls of a process share. */
const watches = new WeakMap<SharedListing<ApiKeyRecord>, Watch>();

function watchOf({ call }: Session, workspaceId: string): Watch {
  const shared = sharedReads(call).keys(workspaceId);
  const watch = watches.get(shared) ?? {
    list: {
      recent: async (maxAgeMs) => live(await shared.recent(maxAgeMs)),
      fresh: async () => live(await shared.fresh()),
    },
    posts: new Set(),
  };
  watches.set(shared, watch);
  return watch;
}

const indexes = new WeakMap<Listing<ApiKeyRecord>, Live>();

function live(answer: Listing<ApiKeyRecord> | Unavailable): Live | Unavailable {
  if ("problem" in answer) return answer;
  const index = indexes.get(answer) ?? indexed(answer.all.filter(({ deleted }) => !deleted));
  indexes.set(answer, index);
  return index;
}

function indexed(all: readonly Listed[]): Live {
  const ids = new Set(all.map(({ id }) => id));
  const byName = Map.groupBy(all, nameOf);
  return { all, has: (id) => ids.has(id), alike: (declared) => byName.get(nameOf(declared)) ?? [] };
}
