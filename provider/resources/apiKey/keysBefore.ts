import type { ApiKeyRecord } from "../../client/service";
import { pausesMs, pollUntil } from "../../core/converge";
import type { Session } from "../../core/definition";
import { type Listing, type Reading, type SharedRead, sharedReads, type Unavailable } from "../../reads";
import { isOld, type NameAndCustomer, nameAndCustomer } from "./matching";
import type { KeyInputs } from "./properties";
import { label } from "./state";

/**
 * The workspace's keys before a POST show which key it created if its answer is lost. All creates of a process share them,
 * so that many creates cost one request for each workspace.
 */

/** The keys of a workspace that are not deleted. */
interface LiveKeys {
  readonly all: readonly ApiKeyRecord[];
  readonly since: Date;
  has(id: string): boolean;
  namesakesOf(declared: NameAndCustomer): readonly ApiKeyRecord[];
}

type KeyList = SharedRead<Listing<ApiKeyRecord>>;

export interface KeysBefore {
  readonly list: KeyList;
  /** The live keys before the POST. */
  readonly before: Reading<LiveKeys>;
  /** When they were read. A key created long before is not new, even if a truncated list shows it only now. */
  readonly since: Date;
}

/** A key that is being created, or migrated. */
export interface Creation {
  readonly session: Session;
  readonly declared: KeyInputs;
  readonly doing: string;
  readonly seen: KeysBefore;
}

/** Lists that a search has read in vain for 8 seconds: later searches take 2. */
const searchedInVain = new WeakSet<KeyList>();

/** Statuses of a token that may not list keys, or of a service that has no list. */
const unlisted = new Set([403, 405, 501]);

export function isNeverListed({ error }: Unavailable): boolean {
  return unlisted.has(error.status ?? 0);
}

/** The list is read again before a migration, because the service may already have the key. */
export async function keysBefore(session: Session, declared: KeyInputs): Promise<KeysBefore> {
  const list = sharedReads(session.call).keys(declared.workspaceId);
  const before = live(await (declared.existingKey === undefined ? list.recent() : list.fresh()));
  return { list, before, since: before.kind === "known" ? before.value.since : new Date() };
}

/** The POSTs under way, by the list of their workspace. */
const underWay = new WeakMap<KeyList, Set<Promise<unknown>>>();

/** Runs the POST. Other creates wait for it, so that they don't report its key as one of unknown origin. */
export async function posting<T>({ list }: KeysBefore, post: () => Promise<T>): Promise<T> {
  const posts = underWay.get(list) ?? new Set();
  underWay.set(list, posts);
  const posted = post();
  posts.add(posted);
  try {
    return await posted;
  } finally {
    posts.delete(posted);
  }
}

/** Whether the key has appeared in the list since the keys before the POST were read. */
export async function isAdded(creation: Creation, id: string): Promise<boolean> {
  const { before } = creation.seen;
  if (before.kind === "unavailable" || before.value.has(id)) return false;
  const now = await search(creation, (keys) => keys.has(id));
  return now.kind === "known" && now.value.has(id);
}

/** The keys created since the POST that no resource of this process manages, or why the list could not be read. */
export async function newKeys(creation: Creation): Promise<Reading<readonly ApiKeyRecord[]>> {
  const { session, declared, seen } = creation;
  const { list, before, since } = seen;
  const isNew = (key: ApiKeyRecord) =>
    !(before.kind === "known" && before.value.has(key.id)) &&
    !session.registry.has(declared.workspaceId, key.id) &&
    !isOld(key, since);
  const now = await search(creation, (keys) => keys.namesakesOf(declared).some(isNew));
  if (now.kind === "unavailable") return now;
  const { all } = now.value;
  if (all.some(isNew)) await Promise.allSettled(underWay.get(list) ?? []);
  return { kind: "known", value: all.filter(isNew) };
}

/** The keys once the list shows what is looked for, because it may lag behind; otherwise, the last that could be listed. */
async function search(
  { session, declared, seen: { list } }: Creation,
  isShown: (now: LiveKeys) => boolean,
): Promise<Reading<LiveKeys>> {
  let last: Reading<LiveKeys> | undefined;
  const isDone = (now: Reading<LiveKeys>) => (now.kind === "known" ? isShown(now.value) : isNeverListed(now));
  const end = await pollUntil(session, {
    waitingFor: `the list to show ${label(declared)}`,
    look: async () => {
      const now = live(await list.fresh());
      if (now.kind === "known" || last?.kind !== "known") last = now;
      return now;
    },
    isDone,
    pauses: searchedInVain.has(list) ? pausesMs.slice(0, 3) : pausesMs,
  });
  if (!isDone(end)) searchedInVain.add(list);
  return last ?? end;
}

const indexes = new WeakMap<Listing<ApiKeyRecord>, LiveKeys>();

function live(answer: Reading<Listing<ApiKeyRecord>>): Reading<LiveKeys> {
  if (answer.kind === "unavailable") return answer;
  const { value: listing } = answer;
  const index = indexes.get(listing) ?? indexed(listing.all.filter(({ deleted }) => !deleted));
  indexes.set(listing, index);
  return { kind: "known", value: index };
}

function indexed(all: readonly ApiKeyRecord[]): LiveKeys {
  const ids = new Set(all.map(({ id }) => id));
  const byName = Map.groupBy(all, nameAndCustomer);
  const namesakesOf = (declared: NameAndCustomer) => byName.get(nameAndCustomer(declared)) ?? [];
  return { all, since: new Date(), has: (id) => ids.has(id), namesakesOf };
}
