import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StandIn } from "../../standin";
import type { Step } from "../../tools/engine/outcome";
import type { Host } from "../../tools/engine/project";
import { someOf } from "../all";
import { itInAll } from "../inAll";
import { expectQuiet, expectSilentUp, expectUnsaid, onlyLine, stepsFor } from "./expectations";
import type { Declaration, LifecycleCase, Pair } from "./lifecycleCase";
import { hurried, type Scene, setScene } from "./scene";

const changing = (field: string) => `${field}Changes`;
const replaced = (field: string) => `${field}Replaces`;
const numbered = (word: string, place: number) => `${word}${place}`;

/** How the engine's events show an unknown value. */
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Without hosts of its own, `npm test` runs a suite in the plugin, whose commands take half as long. */
const byDefault = someOf<Host>(["dynamic", "plugin"], (host) => host === "plugin");

/** One lifecycle on the real engine, in each host: everything that every resource promises to every program. */
export function lifecycleSuite(given: LifecycleCase, hosts: readonly Host[] = byDefault): void {
  for (const host of hosts) live(given, host);
}

function live(given: LifecycleCase, host: Host): void {
  const { kind, calls, managed = [], computed = [], deletesFirst = [], fixed = [], hidden = [] } = given;
  const { deletion } = given;
  // The hosts differ in little of what a refresh shows.
  const itOfDynamic = host === "dynamic" ? it : itInAll;
  const respelled = Object.values(given.respelled);
  const replacing = Object.entries(given.replacing);
  const pairs = Object.fromEntries<Pair>([
    ...managed.map((pair) => [changing(pair.field), pair] as const),
    ...respelled.map((pair, place) => [numbered("spelled", place), pair] as const),
    ...replacing.map(([field, pair]) => [replaced(field), pair] as const),
    ...deletesFirst.map((pair, place) => [numbered("deletesFirst", place), pair] as const),
    ...(deletion === undefined
      ? []
      : deletion.ways.map((_, place) => [numbered("vanishing", place), deletion.resource] as const)),
  ]);
  const resources = Object.fromEntries<Declaration>([
    ...Object.entries(pairs).map(([name, { before }]) => [name, before] as const),
    ...hidden.map(({ declaration }, place) => [numbered("hidden", place), declaration] as const),
  ]);

  describe(`${kind} on the engine, in the ${host} host`, () => {
    let scene: Scene;
    let service: StandIn;
    const ids = new Map<string, string>();
    const idOf = (name: string) => ids.get(name) ?? `no id of ${name}`;
    const change = async (isMeant: (name: string) => boolean) => {
      const changed = Object.entries(pairs).filter(([name]) => isMeant(name));
      for (const [name, { after }] of changed) resources[name] = after;
      await scene.declare(given.program(resources));
    };
    const methodsFor = (name: string) =>
      service.requests
        .filter(({ path }) => path.split("/").includes(encodeURIComponent(idOf(name))))
        .map(({ method }) => method);
    const secrets = () => [
      ...hidden.flatMap(({ texts }) => texts),
      ...[...ids.values()].flatMap((id) => given.secretOf?.(service, id) ?? []),
    ];
    /** The outputs have the ids, and the secrets marked as secret. The secrets are printed and stored nowhere else. */
    const expectSecretsKept = async () => {
      const outputs = await scene.stack.outputs();
      for (const [output, { value }] of Object.entries(outputs)) {
        if (output.endsWith("Id")) ids.set(output.slice(0, -"Id".length), String(value));
      }
      for (const name of Object.keys(resources)) {
        const value = given.secretOf?.(service, idOf(name));
        if (value !== undefined) expect(outputs[`${name}Secret`], name).toEqual({ value, secret: true });
      }
      if (secrets().length > 0) await expectUnsaid(scene, secrets());
    };
    /** The preview of an update shows all outputs that the update doesn't change. */
    const expectPreviewed = (shown: Step | undefined, done: Step | undefined) => {
      const seen = outputsOf(shown);
      const open = Object.keys(seen).filter((name) => seen[name] === unknown);
      expect(open.sort()).toEqual(computed);
      const known = Object.entries(outputsOf(done)).filter(([name]) => !open.includes(name));
      expect(seen).toEqual({ ...seen, ...Object.fromEntries(known) });
    };
    const driftAll = () => {
      for (const { field, drift } of managed) drift(service, idOf(changing(field)));
      hidden.forEach(({ drift }, place) => {
        drift(service, idOf(numbered("hidden", place)));
      });
    };

    beforeAll(async () => {
      const tenants = given.tenants === undefined ? {} : { tenants: given.tenants };
      scene = await setScene(`life-of-${kind.toLowerCase()}`, {
        env: hurried,
        program: given.program(resources),
        host: host === "plugin" ? host : undefined,
        ...tenants,
      });
      service = scene.service;
    });
    afterAll(() => scene?.close());

    it("R12 is previewed without a request, then created", async () => {
      const preview = await scene.stack.preview();
      expect(preview.ok, preview.output).toBe(true);
      expect(service.requests).toEqual([]);
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(true);
      const each = Object.keys(resources).flatMap(() => calls.create);
      const own = service.requests.filter(({ endpoint }) => endpoint !== calls.shared);
      expect(own.map(({ method }) => method).sort()).toEqual(each.sort());
      expect(service.requests.length - own.length).toBeLessThanOrEqual(each.length);
      await expectSecretsKept();
    });

    it("R13 sends no request in an update without changes", () => expectSilentUp(scene));

    it("R3 shows no change in a refresh right after an update, nor in the next preview", async () => {
      const refresh = await scene.stack.refresh({ expectNoChanges: true });
      expect(refresh.ok, refresh.output).toBe(true);
      const preview = await scene.stack.preview({ expectNoChanges: true });
      expect(preview.ok, preview.output).toBe(true);
    });

    if (managed.length > 0) {
      it("R2 shows in a preview the one field that changes, and the update applies it", async () => {
        await change((name) => name.endsWith("Changes"));
        const preview = await scene.stack.preview();
        service.clearRequests();
        const up = await scene.stack.up();
        for (const outcome of [preview, up]) {
          expect(outcome, outcome.output).toMatchObject({ ok: true, changes: { update: managed.length } });
          for (const { field, values } of managed) {
            const [step] = stepsFor(outcome, changing(field));
            expect(step).toMatchObject({ op: "update", diffs: [field] });
            expect(step?.changed).toEqual({ [field]: { old: values[0], new: values[1] } });
          }
        }
        if (host === "plugin") {
          for (const { field, paths = [field] } of managed) {
            const [shown, done] = [preview, up].map((outcome) => stepsFor(outcome, changing(field))[0]);
            expect(Object.keys(shown?.detailedDiff ?? {}).sort()).toEqual(paths);
            expectPreviewed(shown, done);
          }
        }
        // If several are updated, one shared list may replace the read of all but the first.
        const ways = calls.shared === undefined ? [calls.update] : [calls.update, calls.update.slice(1)];
        for (const { field, confirmedBy = [] } of managed) {
          const whole = ways.map((methods) => [...methods, ...confirmedBy]);
          expect(whole, field).toContainEqual(methodsFor(changing(field)));
        }
        const own = service.requests.filter(({ endpoint }) => endpoint !== calls.shared);
        const most = managed.flatMap(({ confirmedBy = [] }) => [...calls.update, ...confirmedBy]);
        expect(own.length).toBeLessThanOrEqual(most.length);
        expect(service.requests.length - own.length).toBeLessThanOrEqual(1);
        await expectQuiet(scene);
      });

      it("R5 shows drift as old → now and now → declared, and `up --refresh` reverts it", async () => {
        driftAll();
        const preview = await scene.stack.previewRefresh();
        const up = await scene.stack.up({ refresh: true });
        for (const outcome of [preview, up]) {
          expect(outcome.ok, outcome.output).toBe(true);
          for (const { field, values, drifted } of managed) {
            const declared = values[1];
            expect(stepsFor(outcome, changing(field)), field).toMatchObject([
              { duringRefresh: true, changed: { [field]: { old: declared, new: drifted } } },
              { duringRefresh: false, op: "update", changed: { [field]: { old: drifted, new: declared } } },
            ]);
          }
        }
        await expectQuiet(scene);
        await expectSecretsKept();
      });

      itOfDynamic(
        "R5 puts drift into state by a refresh, and the next preview shows now → declared",
        async () => {
          driftAll();
          const refresh = await scene.stack.refresh();
          expect(refresh.ok, refresh.output).toBe(true);
          const preview = await scene.stack.preview();
          await expectSecretsKept();
          for (const { field, values, drifted } of managed) {
            const declared = values[1];
            expect(stepsFor(refresh, changing(field))).toMatchObject([
              { op: "update", diffs: [field], changed: { [field]: { old: declared, new: drifted } } },
            ]);
            expect(stepsFor(preview, changing(field))).toMatchObject([
              { op: "update", diffs: [field], changed: { [field]: { old: drifted, new: declared } } },
            ]);
          }
          const up = await scene.stack.up();
          expect(up.changes, up.output).toEqual(preview.changes);
        },
      );
    }

    if (respelled.length > 0) {
      it(`R2 shows no change for the same values written differently: ${Object.keys(given.respelled).join("; ")}`, async () => {
        await change((name) => name.startsWith("spelled"));
        await expectSilentUp(scene);
        await expectQuiet(scene);
      });
    }

    if (fixed.length > 0) {
      it("R5 refreshes a changed field that can't change in place, and the next preview is empty", async () => {
        for (const { drift } of fixed) drift(service, idOf(replaced(String(replacing[0]?.[0]))));
        const refresh = await scene.stack.refresh({ expectNoChanges: true });
        expect(refresh.ok, refresh.output).toBe(true);
        for (const { warns = "" } of fixed) expect(refresh.stdout).toContain(warns);
        const preview = await scene.stack.preview({ expectNoChanges: true });
        expect(preview.ok, preview.output).toBe(true);
      });
    }

    if (replacing.length > 0) {
      it("R10 shows a replacement by its field, and creates before it deletes", async () => {
        const isReplaced = (name: string) => name.endsWith("Replaces") || name.startsWith("deletesFirst");
        const before = new Map(ids);
        await change(isReplaced);
        const preview = await scene.stack.preview();
        expect(preview.changes, preview.output).toMatchObject({
          replace: replacing.length + deletesFirst.length,
        });
        service.clearRequests();
        const up = await scene.stack.up();
        expect(up.ok, up.output).toBe(true);
        for (const [field] of replacing) {
          const steps = stepsFor(up, replaced(field)).map(({ op }) => op);
          expect(steps, field).toEqual(["create-replacement", "replace", "delete-replaced"]);
          const shown = stepsFor(preview, replaced(field)).find(({ op }) => op === "replace");
          expect(shown, field).toMatchObject({ diffs: [field], replacedFor: [field] });
          expect(methodsFor(replaced(field)), field).toEqual(calls.delete);
        }
        deletesFirst.forEach((_, place) => {
          const steps = stepsFor(up, numbered("deletesFirst", place)).map(({ op }) => op);
          expect(steps).toEqual(["delete-replaced", "replace", "create-replacement"]);
        });
        const wire = service.requests.map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
        const created = (until: number) =>
          wire.slice(0, until).filter((line) => line.startsWith(calls.create.at(-1) ?? "")).length;
        for (const [name, id] of before) {
          const deleted = wire.findIndex((line) => line.endsWith(encodeURIComponent(id)));
          if (name.endsWith("Replaces") && deleted >= 0) {
            expect(created(deleted), name).toBeGreaterThanOrEqual(replacing.length);
          }
        }
        await expectSecretsKept();
        for (const [name, id] of before) expect(ids.get(name) !== id, name).toBe(isReplaced(name));
        await expectQuiet(scene);
      });
    }

    if (deletion !== undefined) {
      const first = numbered("vanishing", 0);

      it("R6 fails an update whose object was deleted outside Pulumi, and says what to run", async () => {
        deletion.by(service, idOf(first));
        await change((name) => name === first);
        const up = await scene.stack.up();
        expect(onlyLine(up, first)).toContain("pulumi up --refresh");
      });

      it.each(deletion.ways.map((variant, place) => ({ variant, place })))(
        "R6 is created again by `up --refresh` after a deletion outside Pulumi ($variant)",
        async ({ variant, place }) => {
          service.setVariant(variant);
          const name = numbered("vanishing", place);
          if (place > 0) deletion.by(service, idOf(name));
          const up = await scene.stack.up({ refresh: true });
          expect(up.changes, up.output).toMatchObject({ create: 1 });
          expect(stepsFor(up, name)).toMatchObject([{ duringRefresh: true, new: null }, { op: "create" }]);
        },
      );
    }

    it("R7 is removed by destroy, even if it was deleted outside Pulumi before, and no secret is ever shown", async () => {
      await expectSecretsKept();
      deletion?.by(service, idOf(numbered("vanishing", 0)));
      const known = secrets();
      const destroy = await scene.stack.destroy();
      expect(destroy.ok, destroy.output).toBe(true);
      expect(given.leftOver?.(service) ?? []).toEqual([]);
      if (known.length > 0) await expectUnsaid(scene, known);
    });
  });
}

function outputsOf(step: Step | undefined): Readonly<Record<string, unknown>> {
  const outputs = Object.entries(step?.new?.outputs ?? {});
  return Object.fromEntries(outputs.filter(([name]) => !name.startsWith("__")));
}
