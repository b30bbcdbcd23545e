/** Each way to read a preview, by itself: what a pull request's comment, a script or a person sees of each key. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fixture, openFixture } from "./fixture";

const program = (isChanged: boolean, retiring: string) => {
  const customer = `customerId: "${isChanged ? "new" : "old"}"`;
  const keys = isChanged
    ? `replaced: { ${customer} }, renamed: { renamedFrom: "former" }, released: { release: true },
       adopting: { existingId: "key_free", scopes: [] }, added: {}`
    : `replaced: { ${customer} }, deleted: {}, former: {}, released: {}, adopting: {}`;
  return `
import { ApiKey, ApiKeySet, RotatingApiKey, WorkspaceSettings } from "pulumi-apikeys";
const workspaceId = "ws_main";
new ApiKeySet("set", { workspaceId, defaults: { customerId: "old" }, keys: { ${keys} } });
const rotating = { workspaceId, customerId: "old", rotateEvery: "90d" };
new RotatingApiKey("rotating", { ...rotating, keepers: { of: "${isChanged}" } });
new RotatingApiKey("retiring", { ...rotating, overlap: "0d", keepers: { of: "${retiring}" } });
new RotatingApiKey("creating", { ...rotating, keepers: { of: "${retiring}" } });
new ApiKey("replaced", { workspaceId, ${customer} });
${isChanged ? 'new ApiKey("adopting", { workspaceId, customerId: "old", existingId: "key_other", scopes: [] });' : ""}
new WorkspaceSettings("settings", { workspaceId, defaultExpiration: 5, ${isChanged ? "" : 'defaultKeyPrefix: "x"'} });
`;
};

interface JsonStep {
  readonly op: string;
  readonly urn: string;
  readonly newState?: { readonly inputs: Readonly<Record<string, unknown>> };
}

/** By the resource: its effect, and how the text of a preview, that of \`--diff\`, and the new inputs in \`--json\` show it. */
const effects: readonly (readonly [string, string, RegExp, RegExp, object])[] = [
  [
    "set",
    "replace",
    /1 to replace.*"replaced"/,
    /~ replaced *: {\s+~ customerId: .*\s+\+ generation: 2/,
    { keys: { replaced: { generation: 2 } } },
  ],
  [
    "set",
    "delete",
    /2 to delete: .*"deleted"/,
    /- deleted *: {/,
    { keys: expect.not.objectContaining({ deleted: expect.anything() }) },
  ],
  [
    "set",
    "release",
    /1 to release.*"released"/,
    /~ released *: {\s+\+ release: true/,
    { keys: { released: { release: true } } },
  ],
  [
    "set",
    "adopt",
    /1 to adopt.*"adopting"/,
    /~ adopting *: {\s+\+ existingId: "key_free"\s+\+ generation: 2/,
    { keys: { adopting: { existingId: "key_free", generation: 2 } } },
  ],
  [
    "set",
    "rename",
    /1 to keep under a new alias: "renamed"/,
    /\+ renamed *: {[^}]*\+ renamedFrom: "former"/,
    { keys: { renamed: { renamedFrom: "former" } } },
  ],
  [
    "rotating",
    "rotate",
    /keepers changed: a new key will be created/,
    /~ generation *: 1 => 2[\s\S]*\+ previousGeneration: 1/,
    { generation: 2, previousGeneration: 1 },
  ],
  ["retiring", "retire", /will be deleted/, /- previousGeneration: 1/, { generation: 2 }],
  [
    "creating",
    "create",
    /a new key will be created/,
    /\+ generation *: 3/,
    { generation: 3, previousGeneration: 1 },
  ],
  [
    "replaced",
    "replace",
    /\+- .*ApiKey replaced (create )?replace/,
    /\+-.*ApiKey: \(replace\)/,
    { customerId: "new" },
  ],
  [
    "adopting",
    "adopt",
    /1 existing key to adopt.*key_other/,
    /existingId *: "key_other"/,
    { existingId: "key_other" },
  ],
  [
    "settings",
    "a setting that keeps its value",
    /no longer declared stay as they are: defaultKeyPrefix/,
    /\+ unmanaged *: \[\s+\+ *\[0\]: "defaultKeyPrefix"/,
    { unmanaged: ["defaultKeyPrefix"] },
  ],
];

describe.each(["dynamic", "plugin"] as const)("in the %s host", (host) => {
  let fixture: Fixture;
  const streams = { text: "", diff: "", json: [] as readonly JsonStep[] };

  beforeAll(async () => {
    fixture = await openFixture(`streams-${host}`, { host, program: program(false, "one") });
    const { declare, service, stack } = fixture;
    for (const id of ["key_free", "key_other"])
      service.addKey({ id, workspaceId: "ws_main", name: id, customerId: "old", enabled: true });
    for (const retiring of ["one", "two"]) {
      await declare(program(false, retiring));
      const up = await stack.up();
      expect(up.ok, up.output).toBe(true);
    }
    // The current key: the previous one stays.
    service.deleteKey(service.keys().findLast(({ name }) => name === "creating")?.id ?? "");
    const refresh = await stack.refresh();
    expect(refresh.ok, refresh.output).toBe(true);
    await declare(program(true, "two"));
    streams.text = (await stack.preview()).stdout;
    streams.diff = (await stack.preview({ diff: true })).stdout;
    streams.json = JSON.parse((await stack.run(["preview", "--json"])).stdout).steps;
  });
  afterAll(() => fixture.close());

  test.each(effects)(
    "R21: a preview of %s shows the effect in each stream: %s",
    (name, _effect, text, diff, inputs) => {
      expect(streams.text).toMatch(text);
      // From the resource's header to the next one's.
      const own = streams.diff
        .split(/(?=^ +\S* ?\S*apikeys\S*: \()/m)
        .find((part) => part.includes(`::${name}]`));
      expect(own).toMatch(diff);
      const step = streams.json.find(
        ({ urn, newState }) => urn.endsWith(`::${name}`) && newState !== undefined,
      );
      expect(step?.newState?.inputs).toMatchObject(inputs);
    },
  );

  test("R13 a preview after the update shows nothing", async () => {
    const { stack } = fixture;
    const up = await stack.up();
    expect(up.ok, up.output).toBe(true);
    const next = await stack.preview({ diff: true, expectNoChanges: true });
    expect(next.ok, next.output).toBe(true);
    expect(next.stdout).not.toMatch(/generation|unmanaged/);
  });
});
