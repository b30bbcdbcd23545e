import type { ApiKeyRecord } from "../../client/apiKeys";
import type { Session } from "../../core/definition";
import { pausesMs, pollUntil } from "../../core/polling";
import { caseFolded } from "../../core/state";
import { orAfter } from "../../reads/sharedRead";
import { type Listing, lastingMs, sharedReads, type Unavailable } from "../../reads/sharedReads";
import type { KeyInputs } from "./properties";

/**
 * The workspace's keys before a POST show which key it created if its answer is lost. All creates of a process share them,
 * so that many creates cost one request for each workspace.
 */

type NameAndCustomer = { readonly name?: string | undefined; readonly customerId?: string | undefined };

/** The keys of a workspace that are not deleted. */
interface LiveKeys {
  readonly all: readonly ApiKeyRecord[];
  readonly since: Date;
  has(id: string): boolean;
  namesakesOf(declared: NameAndCustomer): readonly ApiKeyRecord[];
}

export type KeysBefore = Awaited<ReturnType<typeof keysBefore>>;

/** How long to wait for other creates before their keys are reported as unknown. */
const siblingsMs = 5_000;
/** Lists that a search has read in vain for 8 seconds: later searches take 2. */
const searchedInVain = new WeakSet<object>();

/** Statuses of a token that may not list keys, or of a service that has no list. */
const unlisted = new Set([403, 405, 501]);

export function isNeverListed({ error }: Unavailable): boolean {
  return unlisted.has(error?.status ?? 0);
}

/** The POSTs under way, by the list of their workspace. */
const underWay = new WeakMap<object, Set<Promise<void>>>();

/** The list is read again before a migration, because the service may already have the key. */
export async function keysBefore(session: Session, declared: KeyInputs) {
  const { workspaceId } = declared;
  const list = sharedReads(session.call).keys(workspaceId);
  const posts = underWay.get(list) ?? new Set();
  underWay.set(list, posts);
  const before = live(await (declared.existingKey === undefined ? list.recent(lastingMs) : list.fresh()));
  const since = "has" in before ? before.since : new Date();
  const isNew = (key: ApiKeyRecord) =>
    !("has" in before && before.has(key.id)) &&
    !session.registry.has(workspaceId, key.id) &&
    !isOld(key, since);
  const listNow = async () => live(await list.fresh());
  /** Lists the keys until the list shows what is looked for, because it may lag behind. The last list that could be read. */
  async function search(
    look: () => Promise<LiveKeys | Unavailable>,
    isShown: (now: LiveKeys) => boolean,
  ): Promise<LiveKeys | Unavailable> {
    let last: LiveKeys | Unavailable = { problem: "it was not read" };
    const lookAgain = async () => {
      const now = await look();
      if ("has" in now || "problem" in last) last = now;
      return now;
    };
    const isOver = (now: LiveKeys | Unavailable) => ("has" in now ? isShown(now) : isNeverListed(now));
    const pauses = searchedInVain.has(list) ? pausesMs.slice(0, 3) : pausesMs;
    const end = await pollUntil(session, "the service's list to show the key", lookAgain, isOver, pauses);
    if (!isOver(end)) searchedInVain.add(list);
    return last;
  }
  return {
    /** The live keys before the POST. */
    before,
    /** When they were read. A key created long before is not new, even if a truncated list shows it only now. */
    since,
    /** Runs the POST. Other creates wait for it, so that they don't report its key as one of unknown origin. */
    async posting<T>(post: () => Promise<T>): Promise<T> {
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
    /** Whether the key has appeared in the list since then, and no other new key has the declared name and customer. */
    async isAdded(id: string): Promise<boolean> {
      if ("problem" in before || before.has(id)) return false;
      const now = await search(listNow, (keys) => keys.has(id));
      if ("problem" in now || !now.has(id)) return false;
      return !now.namesakesOf(declared).some((key) => key.id !== id && isNew(key));
    },
    /** The keys created since then that no resource of this process manages, or why the list could not be read. */
    async newKeys(): Promise<readonly ApiKeyRecord[] | Unavailable> {
      const look = async () => {
        const now = await listNow();
        await orAfter<unknown>(siblingsMs, Promise.all(posts), undefined);
        return now;
      };
      const now = await search(look, (keys) => keys.namesakesOf(declared).some(isNew));
      return "problem" in now ? now : now.all.filter(isNew);
    },
  };
}

/** Clocks differ, and a time may lack its zone or be a date only. */
const skewMs = 48 * 3_600_000;
const plausible = Date.UTC(2000);

/** Whether a key was certainly created long before. */
export function isOld({ createdAt = "" }: Pick<ApiKeyRecord, "createdAt">, since: Date): boolean {
  const number = /^\d+$/.test(createdAt) ? Number(createdAt) : Number.NaN;
  const created = Number.isNaN(number) ? Date.parse(createdAt) : number < 1e11 ? number * 1_000 : number;
  return created > plausible && created < since.getTime() - skewMs;
}

/** Whether a key has the declared name and customer, however the service may have spelled them. */
export function isNamesake(key: NameAndCustomer, declared: NameAndCustomer): boolean {
  return nameOf(key) === nameOf(declared);
}

function nameOf({ name, customerId }: NameAndCustomer): string {
  return JSON.stringify([caseFolded(name), caseFolded(customerId)]);
}

/** Whether a key is of the declared customer, as far as is known. */
export function isOfCustomer({ customerId }: NameAndCustomer, declared: NameAndCustomer): boolean {
  return customerId === undefined || caseFolded(customerId) === caseFolded(declared.customerId);
}

/** Whether a key can have this value: its customer and masked form don't contradict that. */
export function mayHaveValue(key: ApiKeyRecord, declared: KeyInputs, value: string): boolean {
  return isOfCustomer(key, declared) && value.endsWith(endOf(key.maskedKey));
}

/** Whether a key can have this value, and its name or masked form matches too. */
export function isLikelyKeyOf(key: ApiKeyRecord, declared: KeyInputs, value: string): boolean {
  if (!mayHaveValue(key, declared, value)) return false;
  return caseFolded(key.name) === caseFolded(declared.name) || endOf(key.maskedKey).length >= 4;
}

/** The end of a secret that its masked form shows; "" if it shows none that is usable. */
function endOf(maskedKey = ""): string {
  const [, end = ""] = /(?:[^A-Za-z0-9]{2,}|[*#\u2022\u2026]|x{3,})([A-Za-z0-9]{3,})$/i.exec(maskedKey) ?? [];
  return end;
}

const indexes = new WeakMap<Listing<ApiKeyRecord>, LiveKeys>();

function live(answer: Listing<ApiKeyRecord> | Unavailable): LiveKeys | Unavailable {
  if ("problem" in answer) return answer;
  const index = indexes.get(answer) ?? indexed(answer.all.filter(({ deleted }) => !deleted));
  indexes.set(answer, index);
  return index;
}

function indexed(all: readonly ApiKeyRecord[]): LiveKeys {
  const ids = new Set(all.map(({ id }) => id));
  const byName = Map.groupBy(all, nameOf);
  const namesakesOf = (declared: NameAndCustomer) => byName.get(nameOf(declared)) ?? [];
  return { all, since: new Date(), has: (id) => ids.has(id), namesakesOf };
}
