import { type Asked, idIn, refused } from "./replying";

export type Key = Record<string, unknown>;
type IsIt = (asked: Asked) => boolean;
type Spoilt = (answer: () => unknown) => unknown;

const masked = ({ key: _, ...shown }: Key = {}) => shown;

/** The keys of workspace ws_1 in memory, each of another value. A test can spoil the service's answers at any time. */
export function keyService(nextId = (count: number) => `key_${count}`) {
  const live = new Map<string, Key>();
  let made = 0;
  let spoil: ((asked: Asked, answer: () => unknown) => unknown) | undefined;
  const answer = ({ method, path, body }: Asked): unknown => {
    const id = idIn({ path });
    if (method === "GET" && id === "ws_1") return { workspace: { id } };
    if (method === "GET" && id === "api-key") return { apiKeys: Array.from(live.values(), masked) };
    if (method === "POST") {
      const { key: value, ...sent } = body as Key;
      if (value !== undefined && [...live.values()].some(({ key }) => key === value)) throw refused(409);
      made += 1;
      const own = nextId(made);
      const more = { key: value ?? `sk_${own}`, maskedKey: `…${own}`, createdAt: "2026", deleted: false };
      live.set(own, { enabled: true, ...sent, ...more, id: own });
      return { apiKey: live.get(own) };
    }
    if (!live.has(id)) throw refused(404);
    if (method === "PATCH") live.set(id, { ...live.get(id), ...(body as Key), id });
    const shown = masked(live.get(id));
    if (method === "DELETE") live.delete(id);
    return { apiKey: { ...shown, ...(method === "DELETE" && { deleted: true }) } };
  };
  const always = (isIt: IsIt, spoilt: Spoilt) => {
    spoil = (asked, usual) => (isIt(asked) ? spoilt(usual) : usual());
  };
  return {
    live,
    reply: (asked: Asked) => (spoil === undefined ? answer(asked) : spoil(asked, () => answer(asked))),
    /** Spoils each request that `isIt`. */
    always,
    /** Spoils the next request that `isIt`. */
    once: (isIt: IsIt, spoilt: Spoilt) =>
      always(isIt, (usual) => {
        spoil = undefined;
        return spoilt(usual);
      }),
    /** The service refuses each request that `isIt`. */
    refuse: (isIt: IsIt, status?: number) =>
      always(isIt, () => {
        throw refused(status);
      }),
    mend: () => {
      spoil = undefined;
    },
  };
}

export const asks = (method: string, id?: string) => (asked: Asked) =>
  asked.method === method && (id === undefined || idIn(asked) === id);
