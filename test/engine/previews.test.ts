import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../tools/engine/outcome";
import type { Host } from "../../tools/engine/project";
import { type Scene, setScene } from "./scene";

/**
 * A key, and a dependent one with its masked secret in keepers, so it is replaced if that changes. The dependent key also
 * uses an output that the first one doesn't have.
 */
const key = (name: string, args: string) => `
const ${name} = new ApiKey("${name}", { ...base, ${args} });
const meterOf_${name} = ${name}.externalMeterId.apply((id) => id ?? "none");
new ApiKey("${name} dependent", { ...base, keepers: { of: ${name}.maskedKey, meter: meterOf_${name} } });`;

/** A set, and a dependent key that uses a key of the set which doesn't change. */
const set = (name: string, keys: string) => `
const ${name} = new ApiKeySet("${name}", { workspaceId: "ws_main", defaults: { customerId: "customer" }, keys: { other: {}, ${keys} } });
new ApiKey("${name} dependent", { ...base, keepers: { of: ${name}.maskedKeys.other, secret: ${name}.key("other") } });`;

/** Ten changes, each to its own resource, by name. */
const changes: Readonly<Record<string, string>> = {
  scope: key("scope", `scopes: [{ representation: "orders", read: true, update: later }]`),
  name: key("name", `name: later ? "after" : "before"`),
  enabled: key("enabled", "enabled: !later"),
  prefix: key("prefix", `prefix: later ? "after" : "before"`),
  keepers: key("keepers", `keepers: { month: later ? "june" : "may" }`),
  edited: set("edited", "one: { enabled: !later }"),
  replaced: set("replaced", `one: { prefix: later ? "after" : "before" }`),
  added: set("added", "...(later && { one: {} })"),
  removed: set("removed", "...(!later && { one: {} })"),
  drifted: key("drifted", ""),
};

const program = `import { ApiKey, ApiKeySet } from "pulumi-apikeys";

const later = process.env["APIKEYS_STEP"] === "later";
const base = { workspaceId: "ws_main", customerId: "customer" };
${Object.values(changes).join("\n")}
`;

/** What a command does, or would do, with a resource. */
function operationOn({ steps }: Outcome, name: string): string {
  const ops = steps.filter((step) => step.name === name && !step.duringRefresh).map(({ op }) => op);
  return ops.find((op) => op === "replace") ?? ops.find((op) => op !== "same") ?? "same";
}

interface Row {
  readonly change: string;
  readonly previewed: string;
  readonly done: string;
  readonly dependentPreviewed: string;
  readonly dependentDone: string;
}

/** Previews all changes at once, then applies them. */
async function rowsOf({ stack, service }: Scene): Promise<readonly Row[]> {
  const first = await stack.up();
  expect(first.ok, first.output).toBe(true);
  const drifted = service.keys().find(({ name }) => name === "drifted");
  service.editKey(drifted?.id ?? "", { enabled: false });
  stack.setEnv("APIKEYS_STEP", "later");
  const preview = await stack.previewRefresh();
  const up = await stack.up({ refresh: true });
  for (const outcome of [preview, up]) expect(outcome.ok, outcome.output).toBe(true);
  return Object.keys(changes).map((change) => ({
    change,
    previewed: operationOn(preview, change),
    done: operationOn(up, change),
    dependentPreviewed: operationOn(preview, `${change} dependent`),
    dependentDone: operationOn(up, `${change} dependent`),
  }));
}

const isPhantom = ({ dependentPreviewed, dependentDone }: Row) =>
  dependentPreviewed !== "same" && dependentDone === "same";

const isReplaced = (change: string) => ["prefix", "keepers"].includes(change);

describe("ten changes, each with a resource that uses the masked form of a key", () => {
  const hosts: readonly Host[] = ["dynamic", "plugin"];
  const rows = new Map<Host, readonly Row[]>();
  const scenes: Scene[] = [];
  beforeAll(async () => {
    for (const host of hosts) {
      const scene = await setScene(`previews-${host}`, { program, host });
      scenes.push(scene);
      rows.set(host, await rowsOf(scene));
    }
  });
  afterAll(() => Promise.all(scenes.map((scene) => scene.close())));

  it.each(hosts)("are the same updates and replacements in the %s host", (host) => {
    const expected = Object.keys(changes).map((change) => {
      const done = isReplaced(change) ? "replace" : "update";
      return { change, previewed: done, done, dependentDone: isReplaced(change) ? "replace" : "same" };
    });
    expect(rows.get(host)).toMatchObject(expected);
  });

  it("are previewed by the plugin without changes that the update doesn't apply", () => {
    expect(rows.get("plugin")?.filter(isPhantom)).toEqual([]);
  });

  it("are previewed in the dynamic host with every dependent as changed", () => {
    const phantoms = rows
      .get("dynamic")
      ?.filter(isPhantom)
      .map(({ change }) => change);
    expect(phantoms).toEqual(Object.keys(changes).filter((change) => !isReplaced(change)));
  });
});
