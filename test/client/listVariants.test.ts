/** Operations of one process share lists. On every server variant, they have the same results as those of a process each. */
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Failure } from "../../provider/core/errors";
import { defaultVariant, type StandIn, startStandIn, type Variant } from "../../standin";
import { runs } from "../all";
import { mixtures, variantCases } from "../host/serverVariants";
import { keptBy, type Process, type Resource, readResult, type State, startProcess } from "./lifecycles";

const orders = { representation: "orders", read: true };
const bills = { representation: "bills", read: true };
const wider = { ...orders, update: true };

interface Fixture {
  readonly service: StandIn;
  readonly variant: Variant;
  readonly workspaces: readonly string[];
  /** Runs this in a new process. A service that limits requests per second needs real pauses. */
  inProcess<T>(run: (process: Process) => Promise<T>): Promise<T>;
}

async function onVariant<T>(
  variant: Variant,
  workspaces: readonly string[],
  run: (fixture: Fixture) => Promise<T>,
): Promise<T> {
  const tenant = { name: "acme", accessToken: "tok_lists", workspaces: workspaces.map((id) => ({ id })) };
  const service = await startStandIn({ variant, tenants: [tenant] });
  const inProcess: Fixture["inProcess"] = async (act) => {
    // Longer than the service's delay for writes.
    const pauses = variant.rateLimitPerSecond > 0 ? "real" : "quick";
    const process = startProcess(service, pauses, () => setTimeout(5));
    return act(process).finally(() => process.close());
  };
  return run({ service, variant, workspaces, inProcess }).finally(() => service.close());
}

async function create(process: Process, kind: string, declared: State): Promise<Resource> {
  const subject = process.of(kind);
  return { kind, ...(await subject.create(subject.check(declared, undefined).inputs).catch(keptBy)) };
}

/** Keys, settings and scopes after an update. Half of them have been changed outside Pulumi since. */
async function changedElsewhere({ service, workspaces, inProcess }: Fixture): Promise<readonly Resource[]> {
  const [main = "", second = ""] = workspaces;
  const resources = await inProcess(async (process) => {
    const all: Resource[] = [];
    for (const representation of ["orders", "bills"])
      all.push(await create(process, "Scope", { workspaceId: main, name: representation, representation }));
    for (const workspaceId of workspaces) {
      const settings = { defaultAllowedIPs: ["10.0.0.1"], defaultRateLimitPerSecond: 60 };
      all.push(await create(process, "WorkspaceSettings", { workspaceId, ...settings }));
    }
    for (const name of ["As Is ", "Renamed", "Narrowed", "Off", "Deleted", "Of another", "Edited"]) {
      const key = { workspaceId: main, customerId: "cus_1", name, scopes: [wider, bills] };
      all.push(await create(process, "ApiKey", key));
    }
    await service.settled();
    const { kind, id, state } = all.pop() as Resource;
    const { inputs } = process.of(kind).check({ ...state, name: "Edited once more" }, undefined);
    return [...all, { kind, id, state: await process.of(kind).update(id, state, inputs) }];
  });
  const keys = resources.filter(({ kind }) => kind === "ApiKey").map(({ id }) => id);
  const [, renamed = "", narrowed = "", off = "", deleted = "", moved = ""] = keys;
  service.editKey(renamed, { name: "Somebody else's name" });
  service.editKey(narrowed, { scopes: [orders] });
  service.editKey(off, { enabled: false });
  service.editKey(moved, { customerId: "cus_2" });
  service.deleteKey(deleted);
  service.editWorkspace(second, { defaultRateLimitPerSecond: 180 });
  for (const scope of service.scopes(main).slice(1))
    service.addScope({ ...scope, description: "Edited elsewhere" });
  await service.settled();
  return resources;
}

/** Expects the same results and warnings of reads by one process as of those by a process each. */
async function expectEqualRefreshes(fixture: Fixture): Promise<void> {
  const resources = await changedElsewhere(fixture);
  const reading = (some: readonly Resource[]) =>
    fixture.inProcess(async (process) => {
      const results = await Promise.all(some.map((one) => readResult(process, one)));
      return { results, warnings: process.warnings };
    });
  const together = await reading(resources);
  const apart = [];
  for (const one of resources) apart.push(await reading([one]));
  expect(together.results).toEqual(apart.flatMap(({ results }) => results));
  expect(together.warnings.toSorted()).toEqual(apart.flatMap(({ warnings }) => warnings).toSorted());
}

/** The list of keys keeps its current content. */
async function freezeList({ service, workspaces }: Fixture): Promise<void> {
  const headers = { authorization: `Bearer ${service.accessToken}` };
  const answer = await fetch(`${service.url}/api/v1/workspace/${workspaces[0]}/api-key`, { headers });
  const fault = { kind: "status", status: answer.status, body: await answer.text() } as const;
  service.inject({ endpoint: "listApiKeys", times: Number.POSITIVE_INFINITY, fault });
}

/**
 * The results of an update whose list is older than changes made to half of the keys outside Pulumi. It is run again for keys
 * whose outdated scope ids the service refuses.
 */
async function updatedByOldList(fixture: Fixture, isTogether: boolean) {
  const { service, variant, workspaces, inProcess } = fixture;
  const [workspaceId = ""] = workspaces;
  for (const representation of ["orders", "bills", "admin"])
    service.addScope({ workspaceId, representation });
  const alike = ["First", "As is", " Spaced "];
  // A right that the program does not change is not among them: what the list hides is reverted (K1).
  const changed = ["Renamed", "Narrowed", "Widened", "Deleted", "Foreseen"];
  const names = [...alike, ...changed];
  const resources = await inProcess((process) =>
    Promise.all(
      names.map((name) =>
        create(process, "ApiKey", { workspaceId, customerId: "cus_1", name, scopes: [orders] }),
      ),
    ),
  );
  await service.settled();
  const at = (name: string) => resources[names.indexOf(name)]?.id ?? "";
  if (variant.keyLists === "answered") await freezeList(fixture);
  service.editKey(at("Renamed"), { name: "Somebody else's name" });
  service.editKey(at("Narrowed"), { scopes: [] });
  service.editKey(at("Widened"), {
    scopes: [{ representation: "admin", create: true, read: true, update: true, del: true }, orders],
  });
  const foreseen = service.key(at("Foreseen"))?.scopes.map((scope) => ({ ...scope, update: true })) ?? [];
  service.editKey(at("Foreseen"), { name: "Somebody's as well", scopes: [...foreseen, bills] });
  service.deleteKey(at("Deleted"));
  const one = async (process: Process, { id, state }: Resource) => {
    try {
      const next = await process.of("ApiKey").update(id, state, { ...state, scopes: [bills, wider] });
      return [next["name"], next["enabled"], next["scopes"], next["__observed"]];
    } catch (error) {
      if (error instanceof Failure) return "failed";
      throw error;
    }
  };
  const first = isTogether
    ? await inProcess((process) => Promise.all(resources.map((each) => one(process, each))))
    : resources.map(() => "failed");
  service.clearFaults();
  const results: unknown[] = [];
  for (const [index, each] of resources.entries())
    results.push(first[index] === "failed" ? await inProcess((process) => one(process, each)) : first[index]);
  await service.settled();
  const found = resources.map(({ id }) => {
    const { name, enabled, scopes: has = [], deleted = true } = service.key(id) ?? {};
    if (deleted) return "deleted";
    return { name, enabled, granted: has.map(({ id: _, ...flags }) => JSON.stringify(flags)).toSorted() };
  });
  return { results, found };
}

const workspaceIds = {
  text: ["ws_a", "ws_b", "ws_c"],
  numeric: ["71", "72", "73"],
  odd: ["a b/ü?", "b%2F#", "c c"],
};
const sameResults: Readonly<Record<string, (variant: Variant) => Promise<void>>> = {
  "R5 a refresh by a list has the results of single reads": (variant) =>
    onVariant(variant, workspaceIds[variant.ids], expectEqualRefreshes),
  "K1 an update by an outdated list has the results of single reads": async (variant) => {
    const [together, apart] = [true, false].map((isTogether) =>
      onVariant({ ...variant, ids: "numeric" }, ["7"], (fixture) => updatedByOldList(fixture, isTogether)),
    );
    expect(await together).toEqual(await apart);
  },
};

const cases = Object.entries(sameResults);
test.each(cases.flatMap(([what, run]) => variantCases.map((each) => ({ ...each, what, run }))))(
  "$what, on $name",
  ({ variant, run }) => run(variant),
);

test.each(cases)("%s, on random mixtures of server variants", { timeout: 240_000 }, async (_, run) => {
  await fc.assert(
    fc.asyncProperty(mixtures, (mixture) => run({ ...defaultVariant, ...mixture })),
    { seed: 20_261_121, numRuns: runs(60), interruptAfterTimeLimit: 200_000, markInterruptAsFailure: true },
  );
});
