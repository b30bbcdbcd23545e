import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unknownSentinels } from "../../provider/core/unknown";
import type { Held, Properties } from "./host";
import { openScene, type Scene } from "./scene";

const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci" };

/** Every place of an unknown value in an ApiKey's inputs, and the field that it replaces by (R15). */
const places: readonly { place: string; of: (unknown: string) => Properties; replaces?: string }[] = [
  { place: "workspaceId", of: (unknown) => ({ workspaceId: unknown }), replaces: "workspaceId" },
  { place: "customerId", of: (unknown) => ({ customerId: unknown }), replaces: "customerId" },
  { place: "name", of: (unknown) => ({ name: unknown }) },
  { place: "enabled", of: (unknown) => ({ enabled: unknown }) },
  { place: "scopes", of: (unknown) => ({ scopes: unknown }) },
  {
    place: "an entry of scopes",
    of: (unknown) => ({ scopes: [{ representation: "a", read: true }, unknown] }),
  },
  { place: "a representation", of: (unknown) => ({ scopes: [{ representation: unknown, read: true }] }) },
  { place: "a permission", of: (unknown) => ({ scopes: [{ representation: "a", read: unknown }] }) },
  { place: "a whole scope", of: (unknown) => ({ scopes: [scopeOf(unknown), scopeOf(unknown)] }) },
  { place: "prefix", of: (unknown) => ({ prefix: unknown }), replaces: "prefix" },
  { place: "expiresAt", of: (unknown) => ({ expiresAt: unknown }), replaces: "expiresAt" },
  { place: "externalMeterId", of: (unknown) => ({ externalMeterId: unknown }), replaces: "externalMeterId" },
  { place: "metadata", of: (unknown) => ({ metadata: unknown }), replaces: "metadata" },
  {
    place: "metadata's depth",
    of: (unknown) => ({ metadata: { a: [{ b: unknown }] } }),
    replaces: "metadata",
  },
  { place: "existingKey", of: (unknown) => ({ existingKey: unknown }), replaces: "existingKey" },
  { place: "keepers", of: (unknown) => ({ keepers: unknown }), replaces: "keepers" },
  { place: "a keeper", of: (unknown) => ({ keepers: { rotated: unknown } }), replaces: "keepers" },
];

function scopeOf(unknown: string): Properties {
  return { representation: unknown, create: unknown, read: unknown, update: unknown, del: unknown };
}

describe("unknown values", () => {
  let scene: Scene;
  let held: Held;
  let inputs: Properties;
  beforeAll(async () => {
    scene = await openScene();
    ({ inputs } = await scene.key.check(least));
    held = await scene.key.create(inputs);
  });
  afterAll(() => scene.close());

  test.each(places)("R8 R15 pass check and count as a change in diff: $place", async ({ of, replaces }) => {
    for (const unknown of unknownSentinels) {
      const declared = { ...least, ...of(unknown) };
      for (const olds of [undefined, inputs]) {
        const { inputs: news, failures } = await scene.key.check(declared, olds);
        expect(failures).toEqual([]);
        expect(news).toMatchObject(of(unknown));
        expect(await scene.key.diff(held, news)).toEqual({
          changes: "unknown",
          replaces: replaces === undefined ? [] : [replaces],
        });
      }
    }
  });

  test("R8 don't hide wrong values beside them", async () => {
    const [unknown] = unknownSentinels;
    const declared = {
      ...least,
      customerId: unknown,
      scopes: [unknown, { representation: "", read: unknown }],
      sope: 1,
    };
    const { failures } = await scene.key.check(declared);
    expect(failures.map(({ reason }) => reason.split(":")[0])).toEqual(["scopes[1].representation", "sope"]);
  });
});
