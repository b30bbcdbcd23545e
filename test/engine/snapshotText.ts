import type { Scene } from "./scene";

/** A state and the service's records as text, with ids, secrets and times that are always the same. */
export async function snapshotOf({ stack, service }: Scene): Promise<{ state: string; service: string }> {
  const state = await stack.exportState({ showSecrets: true });
  const keys = service.keys().toSorted((one, other) => one.name.localeCompare(other.name, "en"));
  const held = {
    keys,
    scopes: service.workspaces().flatMap(({ id }) => service.scopes(id)),
    workspaces: service.workspaces(),
  };
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
  for (const { id, representation } of held.scopes) names.push([id, rename("sc", representation)]);
  for (const { id, totalCredits } of service.billings()) names.push([id, rename("bill", totalCredits)]);
  const text = (value: unknown) => stable(JSON.stringify(value, null, 2), names);
  return { state: text({ version: 3, deployment: lasting(state) }), service: text(held) };
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
function lasting(deployment: object) {
  const { resources = [], pending_operations } = deployment as {
    resources?: Record<string, unknown>[];
    pending_operations?: unknown;
  };
  const kept = resources.map(({ initErrors, ...resource }) => ({
    ...Object.fromEntries(Object.entries(resource).filter(([name]) => !engines.has(name))),
    // The message may change, but not whether there is one.
    ...(initErrors === undefined ? {} : { initErrors: ["something is still to do"] }),
  }));
  return {
    manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
    secrets_providers: { type: "passphrase", state: { salt } },
    resources: kept.sort((one, other) => place(one) - place(other) || order(one, other)),
    ...(pending_operations === undefined ? {} : { pending_operations }),
  };
}

/** The stack and the providers come before the resources that refer to them. */
function place({ type }: Record<string, unknown>): number {
  if (type === "pulumi:pulumi:Stack") return 0;
  return String(type).startsWith("pulumi:providers:") ? 1 : 2;
}

function order(one: Record<string, unknown>, other: Record<string, unknown>): number {
  const name = ({ urn, delete: old }: Record<string, unknown>) => `${urn} ${old === true}`;
  return name(one) < name(other) ? -1 : 1;
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
    .replace(/("__claim": )"([0-9a-f]{8})"/g, '$1"00000000"')
    .replace(/\bks_\w{16}\b/g, (id) => `ks_${number(id)}`)
    .replace(
      /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g,
      (id) => `00000000-0000-4000-8000-${number(id)}`,
    )}\n`;
}
