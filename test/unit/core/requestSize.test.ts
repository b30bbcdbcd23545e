import { describe, expect, test } from "vitest";
import { mostSent } from "../../../provider/client/call";
import { unknownSentinels } from "../../../provider/core/unknown";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { configured, least, offline } from "../offline";
import { replying } from "../replying";

const key = offline();
const set = offline(configured, {}, apiKeySet);
const settings = offline(configured, {}, workspaceSettings);
const scopes = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ representation: `scope-${n}`, read: true }));
const text = (bytes: number) => ({ text: "x".repeat(bytes) });
const larger = (path: string) => expect.stringMatching(new RegExp(`^${path}: is too large: .* 256 KiB`));

describe("an input that makes a request too large to send", () => {
  test("R8 fails the preview of an ApiKey, with the path of its largest field", () => {
    expect(key.check({ ...least, scopes: scopes(10_000) }, undefined).failures).toEqual([larger("scopes")]);
    expect(key.check({ ...least, metadata: text(mostSent) }, undefined).failures).toEqual([
      larger("metadata"),
    ]);
    const existingKey = `sk_${"x".repeat(mostSent)}`;
    const [line, ...more] = key.check({ ...least, existingKey }, undefined).failures;
    expect([line, more]).toEqual([larger("existingKey"), []]);
    expect(line).not.toContain("xxx");
    expect(key.check({ ...least, scopes: scopes(3_000) }, undefined).failures).toEqual([]);
  });

  test("R8 fails the preview of a set, with the path in each entry or in defaults", () => {
    const entry = { customerId: "c" };
    const keys = {
      a: { ...entry, scopes: scopes(10_000) },
      b: entry,
      c: { ...entry, metadata: text(mostSent) },
    };
    const check = (inputs: object) => set.check({ workspaceId: "ws_1", ...inputs }, undefined).failures;
    expect(check({ keys })).toEqual([larger("keys\\.a\\.scopes"), larger("keys\\.c\\.metadata")]);
    expect(check({ keys: { b: entry, d: entry }, defaults: { scopes: scopes(10_000) } })).toEqual([
      larger("defaults\\.scopes"),
    ]);
  });

  test("R8 fails the preview of WorkspaceSettings", () => {
    const defaultAllowedIPs = Array.from(
      { length: 30_000 },
      (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
    );
    const inputs = { workspaceId: "ws_1", defaultAllowedIPs };
    expect(settings.check(inputs, undefined).failures).toEqual([larger("defaultAllowedIPs")]);
  });

  test("R8 passes if it is unknown, and adds no second failure to one about a wrong type", () => {
    const [unknown] = unknownSentinels;
    expect(key.check({ ...least, scopes: unknown, metadata: unknown }, undefined).failures).toEqual([]);
    expect(key.check({ ...least, scopes: [null, 5, "orders"] }, undefined).failures).toHaveLength(3);
  });

  test("R8 is measured by the exact bytes of the request", async () => {
    const service = replying(apiKey, ({ body, method }) =>
      method === "GET"
        ? { apiKeys: [] }
        : { apiKey: { ...(body as object), id: `key_${service.calls.length}`, key: "sk_1" } },
    );
    const bytesOf = async (inputs: object) => {
      await service.create({ ...key.check({ ...least, ...inputs }, undefined).inputs });
      return Buffer.byteLength(JSON.stringify(service.calls.at(-1)?.body));
    };
    const scoped = { scopes: scopes(10) };
    const room = mostSent - (await bytesOf({ ...scoped, metadata: text(0) }));
    const fits = { ...least, ...scoped, metadata: text(room) };
    expect(key.check(fits, undefined).failures).toEqual([]);
    expect(await bytesOf(fits)).toBe(mostSent);
    expect(key.check({ ...fits, metadata: text(room + 1) }, undefined).failures).toHaveLength(1);
  });
});
