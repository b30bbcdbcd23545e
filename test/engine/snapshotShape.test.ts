import { join } from "node:path";
import { expect, it } from "vitest";
import type { Fixture } from "./fixture";
import { at, expectOk, fixtureOf, type Story, snapshots, versions } from "./snapshots";

const asksFor =
  (...names: readonly string[]) =>
  ({ body }: { readonly body: unknown }) =>
    names.includes(String((body as { name?: unknown }).name));

/** Runs the commands that lead to the state, one operation at a time, so that the result is the same each time. */
const making: Readonly<Record<Story, (fixture: Fixture) => Promise<void>>> = {
  async settled(fixture) {
    const { service, stack, project } = fixture;
    const theirs = { workspaceId: "ws_main", customerId: "customer" };
    service.addKey({ ...theirs, id: "key_theirs", name: "theirs" });
    service.addKey({ ...theirs, id: "key_imported", name: "imported" });
    const __provider = 'exports.handler=()=>require("pulumi-apikeys/dynamic").provider("ApiKey");';
    const declared = { __provider, ...theirs, name: "imported" };
    const type = "pulumi-nodejs:dynamic/apikeys:ApiKey";
    const entry = { type, name: "imported", id: "key_imported", inputs: declared, outputs: declared };
    await project.write("import.json", JSON.stringify({ resources: [entry] }));
    expectOk(await stack.import("import.json", "--protect=false"));
    expectOk(await stack.refresh());
    for (const step of ["first", undefined]) {
      at(fixture, step);
      expectOk(await stack.up({ parallel: 1 }));
    }
  },

  async unsettled(fixture) {
    const { service, stack } = fixture;
    at(fixture, "first");
    expectOk(await stack.up({ parallel: 1 }));
    at(fixture, undefined);
    const isLost = asksFor("lost", "lostInSet");
    service.inject({ endpoint: "createApiKey", when: isLost, times: 2, fault: { kind: "withoutKey" } });
    service.inject({ endpoint: "createBilling", fault: { kind: "resetAfter" } });
    service.inject({
      endpoint: "deleteApiKey",
      times: Number.POSITIVE_INFINITY,
      fault: { kind: "status", status: 403 },
    });
    const unseen = ({ path }: { path: string }) => path.includes("ws_second");
    service.inject({ endpoint: "editWorkspace", when: unseen, times: 4, fault: { kind: "resetAfter" } });
    const failed = await stack.up({ parallel: 1, args: ["--continue-on-error"] });
    expect(failed.ok).toBe(false);
    service.clearFaults();
    for (const { id, name } of service.keys())
      if (name.startsWith("drifted")) service.editKey(id, { enabled: false, scopes: [] });
    service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 77 });
    const { resources = [] } = await stack.exportState();
    const target = resources.flatMap(({ urn }) => (/::(drifted|moved|set)$/.test(urn) ? [urn] : []));
    expectOk(await stack.refresh({ target }));
  },
};

/** The snapshots of a published version must never change: see CONTRIBUTING.md. */
it.each(Object.entries(making))(
  "R1 this version writes the %s state as in the newest snapshot",
  async (story, make) => {
    const version = versions.at(-1) ?? "";
    const fixture = await fixtureOf(version, story as Story);
    await make(fixture);
    const { state, service } = await snapshotOf(fixture);
    const folder = join(snapshots, version);
    await expect(state).toMatchFileSnapshot(join(folder, `${story}.state.json`));
    await expect(service).toMatchFileSnapshot(join(folder, `${story}.service.json`));
  },
);

/** A state and the service's records as text, with ids, secrets and times that are always the same. */
async function snapshotOf({ stack, service }: Fixture): Promise<{ state: string; service: string }> {
  const state = await stack.exportState({ showSecrets: true });
  const keys = service.keys().toSorted((one, other) => one.name.localeCompare(other.name, "en"));
  const scopes = service.workspaces().flatMap(({ id }) => service.scopes(id));
  const names: [string, string][] = [];
  const count = new Map<string, number>();
  const rename = (kind: string, name: string) => {
    const place = (count.get(`${kind} ${name}`) ?? 0) + 1;
    count.set(`${kind} ${name}`, place);
    return `${kind}_${name.trim()}${place === 1 ? "" : place}`;
  };
  for (const { id, key, maskedKey, name } of keys) {
    names.push(
      [id, rename("key", name)],
      [key, rename("sk_test", name)],
      [maskedKey, rename("masked", name)],
    );
  }
  for (const { id, representation } of scopes) names.push([id, rename("sc", representation)]);
  for (const { id, totalCredits } of service.billings()) names.push([id, rename("bill", totalCredits)]);
  return {
    state: stable(JSON.stringify({ version: 3, deployment: lasting(state) }, null, 2), names),
    service: stable(records({ keys, scopes, workspaces: service.workspaces() }), names),
  };
}

/** One record a line. */
function records(all: Readonly<Record<string, readonly object[]>>): string {
  const lists = Object.entries(all).map(([name, list]) => {
    const lines = list.map((record) => `    ${JSON.stringify(record)}`);
    return `  "${name}": [\n${lines.join(",\n")}\n  ]`;
  });
  return `{\n${lists.join(",\n")}\n}`;
}

/** The salt of the passphrase in tools/engine/stack.ts, which `pulumi stack import` needs to read the snapshots. */
const salt = "v1:9FLVVlW5csc=:v1:V6MxVv7Sd0eQonmg:Jl8U5HVCIMvcYlXTSC9la5gxON83tQ==";

/** Properties in which the engine records where and when a resource was declared. */
const engines: ReadonlySet<string> = new Set([
  "created",
  "modified",
  "sourcePosition",
  "stackTrace",
  "dependencies",
  "propertyDependencies",
]);

/** The part of a deployment that depends on this package; the rest depends on the CLI and the clock. */
function lasting({ resources = [] }: { readonly resources?: readonly object[] }) {
  const kept = resources.map((resource) => {
    const entries = Object.entries(resource).filter(([name]) => !engines.has(name));
    // The message may change, but not whether there is one.
    const lasting = entries.map(([name, value]) =>
      name === "initErrors" ? [name, ["something is still to do"]] : [name, value],
    );
    return Object.fromEntries(lasting) as {
      readonly type: string;
      readonly urn: string;
      readonly delete?: boolean;
    };
  });
  const order = (one: (typeof kept)[number]) => `${place(one.type)} ${one.urn} ${one.delete === true}`;
  return {
    manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
    secrets_providers: { type: "passphrase", state: { salt } },
    resources: kept.toSorted((one, other) => (order(one) < order(other) ? -1 : 1)),
  };
}

/** The stack and the providers come before the resources that refer to them. */
function place(type: string): number {
  if (type === "pulumi:pulumi:Stack") return 0;
  return type.startsWith("pulumi:providers:") ? 1 : 2;
}

const dayMs = 86_400_000;

/** All past times become one time; a future time becomes that time plus the days until then. */
function stableTime(time: string): string {
  const days = Math.max(0, Math.round((Date.parse(time) - Date.now()) / dayMs));
  return new Date(Date.UTC(2026) + days * dayMs).toISOString();
}

function stable(text: string, names: readonly [string, string][]): string {
  let stabler = text.replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, stableTime);
  for (const [from, to] of names) stabler = stabler.replaceAll(from, to);
  const seen: string[] = [];
  const number = (found: string) => {
    if (!seen.includes(found)) seen.push(found);
    return String(seen.indexOf(found) + 1).padStart(12, "0");
  };
  return `${stabler
    .replace(/("__service": )"[\w-]{8}"/g, '$1"at_first"')
    .replace(/\bks_\w{16}\b/g, (id) => `ks_${number(id)}`)
    .replace(
      /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g,
      (id) => `00000000-0000-4000-8000-${number(id)}`,
    )}\n`;
}
