import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unknownSentinels } from "../../provider/core/fields";
import { definitions } from "../../provider/resources";
import { openScene, type Scene } from "./fixture";
import type { Properties } from "./host";

/** The fewest inputs that each kind of resource takes. */
const least: Readonly<Record<string, Properties>> = {
  ApiKey: { workspaceId: "ws_main", customerId: "cus_1", name: "ci" },
  ApiKeySet: { workspaceId: "ws_main", keys: { a: { customerId: "cus_1" } } },
  RotatingApiKey: { workspaceId: "ws_main", customerId: "cus_1", name: "ci", rotateEvery: "90d" },
  WorkspaceSettings: { workspaceId: "ws_main", defaultKeyPrefix: "acme" },
  Scope: { workspaceId: "ws_main", name: "Orders", representation: "orders" },
  CustomerBilling: { workspaceId: "ws_main", totalCredits: "100" },
};

const kinds = Object.entries(definitions).map(([kind, { schema }]) => ({
  kind,
  fields: Object.keys(schema.shape),
}));

describe.each(kinds)("$kind", ({ kind, fields }) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.close());
  const inputs = least[kind] ?? {};
  /** State with these inputs, and ids for the keys. */
  const made = (declared: Properties) => {
    const { keys } = declared;
    const now = new Date().toISOString();
    if (kind === "RotatingApiKey") return { ...declared, keyId: "key_1", rotatedAt: now };
    if (typeof keys !== "object" || keys === null) return declared;
    return {
      ...declared,
      ids: Object.fromEntries(Object.keys(keys).map((alias) => [alias, `id of ${alias}`])),
    };
  };

  test(`the required inputs of ${kind} pass check, and a second check or a diff shows no change`, async () => {
    const resource = scene.host.resource(kind);
    const first = await resource.check(inputs);
    expect(first.failures).toEqual([]);
    expect(await resource.check(first.inputs, first.inputs)).toEqual(first);
    expect(await resource.diff({ id: "id", state: made(first.inputs) }, first.inputs)).toEqual({
      changes: "none",
      replaces: [],
    });
  });

  test(`R17 check of ${kind} removes the resource's name, and old inputs without it are no change`, async () => {
    const resource = scene.host.resource(kind);
    const unnamed = await resource.check(inputs);
    const named = { ...inputs, __resourceName: "ci" };
    expect(await resource.check(named)).toEqual(unnamed);
    expect(await resource.check(named, unnamed.inputs)).toEqual(unnamed);
  });

  test(`R8 R15 an unknown value in any input of ${kind} passes check and counts as a change`, async () => {
    const resource = scene.host.resource(kind);
    const { inputs: before } = await resource.check(inputs);
    for (const field of fields) {
      for (const unknown of unknownSentinels) {
        // totalCredits can't be combined with billingId, not even with an unknown one.
        const { totalCredits: _, ...others } = inputs;
        const declared = { ...(field === "billingId" ? others : inputs), [field]: unknown };
        for (const olds of [undefined, before]) {
          const checked = await resource.check(declared, olds);
          expect(checked.failures, `${field} ${unknown}`).toEqual([]);
          expect(checked.inputs).toMatchObject({ [field]: unknown });
        }
        const { changes } = await resource.diff({ id: "id", state: made(before) }, declared);
        expect(changes, `${field} ${unknown}`).toBe("unknown");
      }
    }
  });

  test(`R9 an unknown property of ${kind} fails check, which lists the known ones`, async () => {
    const { failures } = await scene.host.resource(kind).check({ ...inputs, unheardOf: "sk_marker" });
    expect(failures).toEqual([
      { property: "", reason: expect.stringMatching(/^unheardOf: no such property; /) },
    ]);
    for (const field of fields) expect(failures[0]?.reason).toContain(field);
    expect(failures[0]?.reason).not.toContain("sk_marker");
  });

  test(`R8 every input of ${kind} of a wrong type is named by its path, without its value`, async () => {
    const resource = scene.host.resource(kind);
    const { failures } = await resource.check(
      Object.fromEntries(fields.map((field) => [field, { sk_marker: ["sk_marker"] }])),
    );
    const reasons = failures.map(({ reason }) => reason);
    // metadata may be any object.
    for (const field of fields.filter((name) => name !== "metadata")) {
      expect(
        reasons.some((reason) => reason.startsWith(field)),
        field,
      ).toBe(true);
    }
    expect(reasons.join("\n").replaceAll(/(keepers|keys|defaults)\.sk_marker/g, "")).not.toContain(
      "sk_marker",
    );
  });
});

describe("two resources of one program", () => {
  const refused = [
    { kind: "CustomerBilling", twin: /^grant: the resource one declares the same grant/ },
    { kind: "WorkspaceSettings", twin: /^workspaceId: the resource one declares the settings of the same/ },
  ];

  test.each(refused)(
    "R17 two resources of one program can't declare the same $kind",
    async ({ kind, twin }) => {
      const inputs = least[kind] ?? {};
      const [scene, later] = await Promise.all([openScene(), openScene()]);
      try {
        const check = async ({ host }: Scene, name: string) =>
          (await host.resource(kind).check({ ...inputs, __resourceName: name })).failures;
        expect(await check(scene, "one")).toEqual([]);
        const failures = await check(scene, "two");
        expect(failures).toEqual([{ property: "", reason: expect.stringMatching(twin) }]);
        expect(await check(later, "two")).toEqual([]);
      } finally {
        await Promise.all([scene.close(), later.close()]);
      }
    },
  );
});

test("a line about what an update would do begins with its resource, which Pulumi doesn't name", async () => {
  const scene = await openScene();
  const sets = scene.host.resource("ApiKeySet");
  const empty = { workspaceId: "ws_main", keys: {}, defaults: { customerId: "cus_1" } };
  const declared = { ...empty, keys: { a: {} } };
  const { inputs } = await sets.check({ ...declared, __resourceName: "one" });
  for (const name of ["one", "two"]) {
    const next = await sets.check({ ...empty, __resourceName: name }, inputs);
    await sets.diff(await sets.create(inputs), next.inputs);
  }
  const { inputs: last } = await sets.check({ ...empty, __resourceName: "three" }, inputs);
  await sets.check({ ...declared, __resourceName: "another, checked since" });
  await sets.diff(await sets.create(inputs), last);
  const line = 'Keys of workspace ws_main: 1 to delete: "a".';
  await expect
    .poll(() => scene.host.output.stderr)
    .toBe(`ApiKeySet "one": ${line}\nApiKeySet "two": ${line}\n${line}\n`);
  await scene.close();
});
