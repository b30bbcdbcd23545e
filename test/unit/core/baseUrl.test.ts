import { describe, expect, test } from "vitest";
import { serviceAfterRead } from "../../../provider/core/baseUrl";
import { configuration } from "../../../provider/core/config";
import { apiKey } from "../../../provider/resources/apiKey";
import { least } from "../offline";
import { failureOf, replying } from "../replying";

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
  });

  test("is updated by a read only if state has none, or if the service has moved", () => {
    expect(serviceAfterRead({}, ["now"])).toBe("now");
    expect(serviceAfterRead({ __service: "before" }, ["now"])).toBe("before");
    expect(serviceAfterRead({ __service: "before" }, ["now", "before"])).toBe("now");
    expect(serviceAfterRead({ __service: "before" }, [])).toBe("before");
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
    replying(apiKey, ({ method }) => {
      throw new Error(`nothing may be sent, but ${method} was`);
    });

  test.each([
    ["read", () => operations().read("key_1", state)],
    ["update", () => operations().update("key_1", state, { ...inputs, name: "new" })],
    ["delete", () => operations().delete("key_1", state)],
    ["diff", async () => operations().diff("key_1", state, { ...inputs, name: "new" })],
    ["detailedDiff", async () => operations().detailedDiff("key_1", state, { ...inputs, name: "new" })],
  ] as const)(
    "R6 is neither read nor written there, where its id may belong to another key: %s fails",
    async (_, operation) => {
      expect((await failureOf(operation())).message).toMatch(
        /^ApiKey key_1: its last update was sent to another base URL than the one configured now \(.+\), .*APIKEYS_MOVED_FROM/,
      );
    },
  );

  test("R12 has no change there if nothing has changed", () => {
    expect(operations().diff("key_1", state, inputs)).toMatchObject({ changes: false });
  });
});
