import { describe, expect, test } from "vitest";
import { expectFound, serviceAfterRead, writtenElsewhere } from "../../../provider/core/baseUrl";
import { configuration } from "../../../provider/core/config";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { scope } from "../../../provider/resources/scope";
import { least } from "../offline";
import { failureOf, refused, replying } from "../replying";

const servicesOf = (url: string, movedFrom?: string) => {
  const found = configuration(
    { argument: {}, stack: {} },
    { APIKEYS_BASE_URL: url, APIKEYS_ACCESS_TOKEN: "token", APIKEYS_MOVED_FROM: movedFrom },
  );
  if ("problems" in found) throw new Error(found.problems.join(" "));
  return found.services;
};

describe("the service that state was last written to", () => {
  const here = servicesOf("https://api.example.com/keys")[0];

  test.each([
    "https://API.example.com/keys/",
    "https://api.example.com:443/keys",
    " https://api.example.com/keys ",
  ])("is the same if its URL is spelled %s", (url) => expect(servicesOf(url)[0]).toBe(here));

  test.each(["https://api.example.com", "https://api.example.com:8443/keys", "https://api.example.org/keys"])(
    "is another one at %s",
    (url) => expect(servicesOf(url)[0]).not.toBe(here),
  );

  test("is accepted too if APIKEYS_MOVED_FROM has its former URL, in any spelling", () => {
    const [now] = servicesOf("https://new.example.com");
    expect(servicesOf("https://new.example.com", "https://api.example.com/keys/")).toEqual([now, here]);
    expect(servicesOf("https://new.example.com")).toEqual([now]);
    expect(servicesOf("https://new.example.com", "here")).toEqual([now]);
  });

  test("is updated by a read only if state has none, or if the service has moved", () => {
    expect(serviceAfterRead({}, ["now"])).toBe("now");
    expect(serviceAfterRead({ __service: "before" }, ["now"])).toBe("before");
    expect(serviceAfterRead({ __service: "before" }, ["now", "before"])).toBe("now");
    expect(serviceAfterRead({ __service: "before" }, [])).toBe("before");
  });

  test("counts as another one only if state and configuration both name one, and they differ", () => {
    expect(writtenElsewhere({ __service: "before" }, ["now"])).toBe(true);
    expect(writtenElsewhere({ __service: "before" }, ["now", "before"])).toBe(false);
    expect(writtenElsewhere({ __service: "before" }, [])).toBe(false);
    expect(writtenElsewhere({}, ["now"])).toBe(false);
  });
});

describe("a resource that is read at a new base URL", () => {
  const ids = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`k${at}`, `key_${at}`]));
  const now = "https://a.test, from stack config";
  const held = (some: object, more: object = {}) => ({
    id: "keys-1",
    state: { workspaceId: "ws", keys: some, ids: some, ...more },
  });

  test("is accepted if all of its ids are found, and a scope even with a new id", () => {
    expect(() => expectFound(apiKeySet, held(ids), held(ids), now)).not.toThrow();
    expect(() =>
      expectFound(scope, { id: "sc_old", state: {} }, { id: "sc_new", state: {} }, now),
    ).not.toThrow();
  });

  test("fails with an error that names up to five missing ids", () => {
    expect(() => expectFound(apiKeySet, held(ids), held({ k0: "key_0" }), now)).toThrow(
      /key_1, key_2, key_3, key_4, key_5 and 2 more can't be found/,
    );
    for (const read of [undefined, { id: "sc_1", state: {}, notFound: "it is not listed" }]) {
      expect(() => expectFound(scope, { id: "sc_1", state: {} }, read, now)).toThrow(
        /^Scope: .*sc_1 can't be found at the base URL configured now \(https:\/\/a\.test, from stack config\)\. .* it may still exist/,
      );
    }
  });

  test("fails if it has a key that is still to be deleted, because a read does not look for that", () => {
    const left = { __toDelete: [{ id: "key_left", name: "old" }] };
    expect(() => expectFound(apiKeySet, held(ids, left), held(ids, left), now)).toThrow(
      /key_left can't be found/,
    );
  });
});

describe("a key whose state was last written at another base URL", () => {
  const inputs = { ...least, enabled: true, scopes: [] };
  const state = {
    ...inputs,
    key: "sk_1",
    maskedKey: "sk_…1",
    createdAt: "2026-01-01T00:00:00Z",
    __service: "before",
  };
  const operations = () =>
    replying(apiKey, ({ method, path }) => {
      if (method !== "GET") throw new Error(`nothing may be sent, but ${method} was`);
      if (path.endsWith("/api-key")) return { apiKeys: [] };
      if (path.endsWith("/api-key/key_1")) throw refused(404);
      return { workspace: { id: "ws_1" } };
    });

  test.each([
    ["read", () => operations().read("key_1", state)],
    ["update", () => operations().update("key_1", state, { ...inputs, name: "new" })],
    ["delete", () => operations().delete("key_1", state)],
  ] as const)(
    "R6 is not gone because it can't be found there: %s fails, and sends no write",
    async (_, operation) => {
      expect((await failureOf(operation())).message).toContain("key_1 can't be found at the base URL");
    },
  );
});
