import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Variant } from "../../standin";
import { checkout } from "../../tools/engine/project";
import type { Outcome } from "../../tools/engine/stack";
import { quickTimers } from "../host/quickTimers";
import { createFixture, credentials, type Fixture } from "./fixture";

/** The states that this version writes, each with its program. */
export type Story = "settled" | "unsettled";

/** The folder of all snapshots, with a folder for each version that changed what state looks like. */
export const snapshots = join(checkout, "test", "snapshots");
/** In their order. */
export const versions = readdirSync(snapshots).toSorted((one, other) =>
  one.localeCompare(other, "en", { numeric: true }),
);

/** The service of the snapshots. It rewrites values, so that state has `__observed`. */
const variant: Partial<Variant> = { names: "trimmed", addresses: "cidr", delete: "marks" };
const tenants = [
  {
    name: "acme",
    accessToken: "token-of-the-snapshots",
    workspaces: [
      { id: "ws_main", name: "Main", defaultRateLimitPerSecond: 7 },
      { id: "ws_second", name: "Second", defaultKeyPrefix: "old", defaultRateLimitPerSecond: 8 },
      { id: "ws_third", name: "Third" },
    ],
  },
];

/** A fixture with the program of a snapshot, which reads its current step from a variable. */
export async function fixtureOf(version: string, story: Story): Promise<Fixture> {
  return createFixture(`snapshot-${story}`, {
    program: readFileSync(join(snapshots, version, `${story}.ts`), "utf8"),
    variant,
    tenants,
    env: (service) => ({
      ...credentials(service),
      ...quickTimers(),
      APIKEYS_SNAPSHOT_SECRETS: "sk_test_",
    }),
  });
}

/** Sets the program's step. */
export function at({ stack }: Fixture, step: string | undefined): void {
  stack.setEnv("APIKEYS_SNAPSHOT_STEP", step);
}

export function expectOk(outcome: Outcome): void {
  expect(outcome.ok, outcome.output).toBe(true);
}

/** A stack with a snapshot's state and program, on a service that has its objects. */
export async function restored(version: string, story: Story): Promise<Fixture> {
  const fixture = await fixtureOf(version, story);
  const read = (file: string) => readFileSync(join(snapshots, version, file), "utf8");
  const { keys, scopes, workspaces } = JSON.parse(read(`${story}.service.json`));
  for (const key of keys) fixture.service.addKey(key);
  for (const scope of scopes) fixture.service.addScope(scope);
  for (const { id, tenant: _, ...values } of workspaces) fixture.service.editWorkspace(id, values);
  // As if the service were still at the base URL at which the state was written.
  const { origin } = new URL(fixture.service.url);
  const place = createHash("sha256").update(origin).digest("base64url").slice(0, 8);
  const state = read(`${story}.state.json`).replaceAll('"__service": "at_first"', `"__service": "${place}"`);
  await fixture.project.write("state.json", state);
  const file = join(fixture.project.dir, "state.json");
  expectOk(await fixture.stack.run(["stack", "import", "--file", file]));
  await rm(file);
  return fixture;
}
