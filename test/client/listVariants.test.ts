import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../provider/core/errors";
import { defaultVariant, type StandIn, startStandIn, type Variant } from "../../standin";
import { runs } from "../all";
import { knobCases, mixtures, presetCases } from "../host/serverVariants";
import { type Held, type Pauses, type Process, readResult, type State, startProcess } from "./lifecycles";

/** The same reads twice: all by one process, which shares requests, and each by a new process. */
async function bothWays(service: StandIn, all: readonly Held[], pauses: Pauses) {
  const one = startProcess(service, pauses);
  const together = await Promise.all(all.map((held) => readResult(one, held)));
  await one.close();
  const apart: unknown[] = [];
  const warnings: string[] = [];
  for (const held of all) {
    const alone = startProcess(service, pauses);
    apart.push(await readResult(alone, held));
    warnings.push(...alone.warnings);
    await alone.close();
  }
  return {
    together: { results: together, warnings: one.warnings.toSorted() },
    apart: { results: apart, warnings: warnings.toSorted() },
  };
}

/** Keys, settings and scopes after an update. Half of them have been changed outside Pulumi since. */
async function changedElsewhere(
  service: StandIn,
  workspaces: readonly string[],
  pauses: Pauses,
): Promise<readonly Held[]> {
  const [main = ""] = workspaces;
  const process = startProcess(service, pauses);
  const held: Held[] = [];
  const hold = async (kind: string, inputs: State) => {
    const subject = process.of(kind);
    const made = await subject.create(subject.check(inputs, undefined).inputs).catch((error: unknown) => {
      if (error instanceof Failure && error.kept !== undefined) return error.kept;
      throw error;
    });
    held.push({ kind, id: made.id, state: made.state });
    return made.id;
  };
  for (const representation of ["orders", "bills", "parcels"]) {
    await hold("Scope", { workspaceId: main, name: `The ${representation}`, representation });
  }
  for (const workspaceId of workspaces) {
    await hold("WorkspaceSettings", {
      workspaceId,
      defaultKeyPrefix: "acme",
      defaultAllowedIPs: ["10.0.0.1"],
      defaultRateLimitPerSecond: 60,
      defaultExpiration: 60,
    });
  }
  const keys: string[] = [];
  for (const name of [
    "As Is ",
    "Renamed",
    "Narrowed",
    "Off",
    "Deleted",
    "Of another",
    "As is too",
    "Edited",
  ]) {
    const scopes = [
      { representation: "orders", read: true, update: true },
      { representation: "bills", read: true },
    ];
    keys.push(await hold("ApiKey", { workspaceId: main, customerId: "cus_1", name, scopes }));
  }
  await service.settled();
  const [, renamed = "", narrowed = "", off = "", deleted = "", moved = "", , edited = ""] = keys;
  await updated(process, held, edited, { name: "Edited once more", enabled: false });
  service.editKey(renamed, { name: "Somebody else's name" });
  service.editKey(narrowed, { scopes: [{ representation: "orders", read: true }] });
  service.editKey(off, { enabled: false });
  service.editKey(moved, { customerId: "cus_2" });
  service.deleteKey(deleted);
  const [, second = ""] = workspaces;
  service.editWorkspace(second, { defaultRateLimitPerSecond: 180 });
  service.editScope(service.scopes(main).find(({ representation }) => representation === "bills")?.id ?? "", {
    description: "Edited elsewhere",
  });
  await process.close();
  return held;
}

async function updated(process: Process, held: Held[], id: string, change: State): Promise<void> {
  const place = held.findIndex((one) => one.kind === "ApiKey" && one.id === id);
  const { kind, state } = held[place] as Held;
  const subject = process.of(kind);
  const { inputs } = subject.check({ ...state, ...change }, undefined);
  held[place] = { kind, id, state: await subject.update(id, state, inputs) };
}

const workspaceIds = {
  text: ["ws_a", "ws_b", "ws_c"],
  numeric: ["71", "72", "73"],
  odd: ["a b/ü?", "b%2F#", "c c"],
};

async function onVariant(variant: Variant): Promise<void> {
  const ids = workspaceIds[variant.ids];
  const tenant = {
    name: "acme",
    accessToken: "tok_refresh",
    workspaces: ids.map((id) => ({ id, name: `Workspace ${id}` })),
  };
  const service = await startStandIn({ variant, tenants: [tenant] });
  try {
    // A service that limits requests per second needs real pauses.
    const pauses = variant.rateLimitPerSecond > 0 ? "real" : "quick";
    const held = await changedElsewhere(service, ids, pauses);
    await service.settled();
    const { together, apart } = await bothWays(service, held, pauses);
    expect(together).toEqual(apart);
  } finally {
    await service.close();
  }
}

describe("a refresh with lists has the same results as single reads", () => {
  test.each([...presetCases, ...knobCases])("on $name", ({ variant }) => onVariant(variant));

  test("on random mixtures of server variants", { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(mixtures, (knobs) => onVariant({ ...defaultVariant, ...knobs })),
      { seed: 20_261_121, numRuns: runs(60), interruptAfterTimeLimit: 200_000, markInterruptAsFailure: true },
    );
  });
});
