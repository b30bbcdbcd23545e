import { afterAll, beforeAll, expect, it } from "vitest";
import type { Fault } from "../../standin";
import { expectQuiet, expectSilentUp, onlyLine, stepsFor } from "./expectations";
import { programOf } from "./kindProgram";
import type { Outcome } from "./outcome";
import { type Scene, setScene } from "./scene";

const program = programOf("CustomerBilling");

/** Ways in which the answer to a grant is lost; in all but one, the credits were granted. */
const losses: Readonly<Record<string, Fault>> = {
  reset: { kind: "resetAfter" },
  error: { kind: "errorAfter" },
  cut: { kind: "truncated" },
  empty: { kind: "emptyBody" },
  unsure: { kind: "resetBefore" },
};
const names = Object.keys(losses);
const credits = (name: string) => String(100 + names.indexOf(name));
const granting = (name: string, more = "") => `{ ...base, totalCredits: "${credits(name)}", ${more} }`;
const waysOn = ["set billingId to the record's id and leave totalCredits out", "set grant to another value"];

let scene: Scene;
const posted = () => scene.service.requests.map(({ endpoint }) => endpoint);
const stored = (name: string) =>
  scene.service.billings().filter(({ totalCredits }) => totalCredits === credits(name));
const state = async () => {
  const { resources = [] } = await scene.stack.exportState();
  return resources.filter(({ type }) => type.endsWith(":CustomerBilling"));
};
/** Tries every grant, even if one fails. Pulumi's own runtime then prints stack traces. */
const upOfAll = (refresh: boolean) => scene.stack.up({ refresh, args: ["--continue-on-error"] });
const said = (outcome: Outcome, name: string) =>
  outcome.diagnostics
    .filter(({ severity, urn }) => severity === "error" && urn?.endsWith(`::${name}`))
    .map(({ message }) => message)
    .join("\n");

beforeAll(async () => {
  scene = await setScene("billing-lost", {
    program: program(Object.fromEntries(names.map((name) => [name, granting(name)]))),
  });
  for (const [name, fault] of Object.entries(losses)) {
    const when = ({ body }: { body: unknown }) => JSON.stringify(body).includes(`"${credits(name)}"`);
    scene.service.inject({ endpoint: "createBilling", when, fault });
  }
});
afterAll(() => scene?.close());

it("B3 a grant whose answer is lost fails the update, which names both ways out, and is sent once", async () => {
  const up = await upOfAll(false);
  for (const name of names) {
    const line = said(up, name);
    expect(line).toContain(`Granting ${credits(name)} credits in workspace ws_main`);
    for (const way of waysOn) expect(line, name).toContain(way);
    expect(stored(name), name).toHaveLength(name === "unsure" ? 0 : 1);
  }
  expect(posted()).toEqual(names.map(() => "createBilling"));
});

it("B3 state has the grant under an id of the provider's, without the id of a record", async () => {
  const kept = await state();
  expect(kept).toHaveLength(names.length);
  for (const { id, outputs } of kept) {
    expect(id).toMatch(/^uncertain-/);
    expect(outputs).toMatchObject({ __grant: "uncertain", workspaceId: "ws_main" });
    expect(outputs).not.toHaveProperty("billingId");
  }
});

it("B3 a refresh keeps the grant, the next preview shows an update, and every later update fails without a request", async () => {
  scene.service.clearRequests();
  const before = await state();
  const refresh = await scene.stack.refresh();
  expect(refresh.ok, refresh.output).toBe(true);
  expect((await state()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  const preview = await scene.stack.preview();
  expect(preview, preview.output).toMatchObject({ ok: true, changes: { update: names.length } });
  for (const refreshed of [false, true]) {
    const up = await upOfAll(refreshed);
    for (const name of names) {
      const line = said(up, name);
      expect(line).toContain("it is still not known whether the credits were granted");
      for (const way of waysOn) expect(line, name).toContain(way);
    }
  }
  expect(posted()).toEqual([]);
});

it("B3 `billingId` adopts the record without a request, and a new `grant` replaces it with one POST", async () => {
  const id = stored("reset")[0]?.id ?? "";
  const again = Object.fromEntries(names.map((name) => [name, granting(name, `grant: "again"`)]));
  await scene.declare(program({ ...again, reset: `{ ...base, billingId: "${id}" }` }));
  const preview = await scene.stack.preview();
  expect(stepsFor(preview, "reset")).toMatchObject([
    { op: "update", changed: { billingId: { new: id }, totalCredits: { old: credits("reset") } } },
  ]);
  for (const name of names.filter((one) => one !== "reset")) {
    const shown = stepsFor(preview, name).find(({ op }) => op === "replace");
    expect(shown, name).toMatchObject({
      replacedFor: ["grant"],
      changed: { grant: { old: "initial", new: "again" } },
    });
  }
  expect(posted()).toEqual([]);
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(posted()).toEqual(names.slice(1).map(() => "createBilling"));
  expect(names.map((name) => stored(name).length)).toEqual([1, 2, 2, 2, 1]);
  const held = (await state()).find(({ urn }) => urn.endsWith("::reset"));
  expect(held?.outputs).toMatchObject({ billingId: id });
  expect(held?.outputs).not.toHaveProperty("__grant");
  await expectSilentUp(scene);
  await expectQuiet(scene);
});

it("B3 a replacement whose answer is lost is not sent again, and a new `grant` settles it", async () => {
  const once = (more: string) => scene.declare(program({ cut: granting("cut", more) }));
  await once(`grant: "third"`);
  scene.service.clearRequests();
  scene.service.inject({ endpoint: "createBilling", fault: { kind: "resetAfter" } });
  expect(onlyLine(await scene.stack.up(), "cut")).toContain(
    "it is not known whether the credits were granted",
  );
  expect(posted()).toEqual(["createBilling"]);
  for (const refresh of [false, true]) {
    expect(onlyLine(await scene.stack.up({ refresh }), "cut")).toContain("still not known");
  }
  await once(`grant: "fourth"`);
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(posted()).toEqual(["createBilling", "createBilling"]);
  expect(up.stdout).toContain("a grant whose answer was lost");
  await expectSilentUp(scene);
});

it("B3 a grant that the service refuses is not in state, and the next update sends it", async () => {
  await scene.declare(program({ refused: `{ ...base, totalCredits: "9" }` }));
  scene.service.clearRequests();
  scene.service.inject({ endpoint: "createBilling", fault: { kind: "status", status: 403 } });
  expect(onlyLine(await scene.stack.up(), "refused")).toContain("Nothing was granted");
  expect((await state()).filter(({ urn }) => urn.endsWith("::refused"))).toEqual([]);
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(posted()).toEqual(["createBilling", "createBilling"]);
});
