import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dialect, LoggedRequest, StandIn } from "../service";
import { expectQuiet, expectSilentUp, expectUnsaid, onlyLine, stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";

/** A declaration is what follows a resource's name in the program, as text. */
type Declaration = string;

/** A field that changes in place, shown by a resource of its own. */
export interface ManagedField {
  readonly field: string;
  readonly before: Declaration;
  /** Nothing but the field differs, in canonical form. */
  readonly after: Declaration;
  /** The field's value before and after, as a preview shows it. */
  readonly values: readonly [before: unknown, after: unknown];
  /** Somebody else changes the field; the value is then `drifted`. */
  drift(service: StandIn, id: string): void;
  readonly drifted: unknown;
}

export interface Pair {
  readonly before: Declaration;
  readonly after: Declaration;
}

/** What the suite has to know of a resource. A part that the resource doesn't have is an empty list. */
export interface LifecycleCase {
  readonly kind: string;
  /** A program with these resources. Of each it puts out `<name>Id` and, where there is one, `<name>Secret`. */
  program(resources: Readonly<Record<string, Declaration>>): string;
  readonly managed: readonly ManagedField[];
  /** Other spellings of the same, by what differs. */
  readonly respelled: Readonly<Record<string, Pair>>;
  /** Fields whose change makes another object. */
  readonly replacing: Readonly<Record<string, Pair>>;
  /** A replacement for which the program asks that the old object goes first. */
  readonly deletesFirst: readonly Pair[];
  /** Methods of the requests that each operation makes. */
  readonly calls: {
    readonly create: readonly string[];
    readonly update: readonly string[];
    readonly delete: readonly string[];
  };
  /** Ways in which the service may delete, each with a resource that somebody else deletes. */
  readonly deleting: readonly Partial<Dialect>[];
  readonly deletable: Declaration;
  /** Differs from `deletable` in a field that changes in place. */
  readonly deletableChanged: Declaration;
  delete(service: StandIn, id: string): void;
  /** The secret of an object, as the service knows it. */
  secretOf(service: StandIn, id: string): string | undefined;
  /** A resource with secrets in its inputs, and what no output may ever show. */
  readonly hidden: readonly { readonly declaration: Declaration; readonly texts: readonly string[] }[];
  /** What is left in the service that destroy should have removed. */
  leftOver(service: StandIn): readonly unknown[];
}

/** One life of a resource on the real engine: everything that any resource promises to any program. */
export function lifecycleSuite(given: LifecycleCase): void {
  const { kind, managed, calls } = given;
  const respelled = Object.entries(given.respelled).map(
    ([, pair], place) => ["spelled", place, pair] as const,
  );
  const replacing = Object.entries(given.replacing);
  const names = {
    managed: (field: string) => `${field}Changes`,
    replacing: (field: string) => `${field}Replaces`,
    deletable: (place: number) => `vanishing${place}`,
  };

  describe(`${kind} on the engine`, () => {
    let scene: Scene;
    let service: StandIn;
    const ids = new Map<string, string>();
    const resources = Object.fromEntries<Declaration>([
      ...managed.map(({ field, before }) => [names.managed(field), before] as const),
      ...respelled.map(([name, place, { before }]) => [`${name}${place}`, before] as const),
      ...replacing.map(([field, { before }]) => [names.replacing(field), before] as const),
      ...given.deletesFirst.map(({ before }, place) => [`deletesFirst${place}`, before] as const),
      ...given.deleting.map((_, place) => [names.deletable(place), given.deletable] as const),
      ...given.hidden.map(({ declaration }, place) => [`hidden${place}`, declaration] as const),
    ]);

    const redeclare = (changes: Readonly<Record<string, Declaration>>) => {
      Object.assign(resources, changes);
      return scene.declare(given.program(resources));
    };
    const idOf = (name: string) => ids.get(name) ?? `no id of ${name}`;
    const learnIds = async () => {
      for (const [output, { value }] of Object.entries(await scene.stack.outputs())) {
        if (output.endsWith("Id")) ids.set(output.slice(0, -"Id".length), String(value));
      }
    };
    const requestsFor = (name: string) =>
      service.requests.filter(({ path }) => path.split("/").includes(encodeURIComponent(idOf(name))));
    const methods = (requests: readonly LoggedRequest[]) => requests.map(({ method }) => method);
    const secrets = () => [
      ...given.hidden.flatMap(({ texts }) => texts),
      ...[...ids.values()].flatMap((id) => given.secretOf(service, id) ?? []),
    ];
    /** The secrets in the stack's outputs are those of the service, marked as secret, and stand nowhere else. */
    const expectSecretsKept = async () => {
      const outputs = await scene.stack.outputs();
      for (const name of Object.keys(resources)) {
        const value = given.secretOf(service, idOf(name));
        if (value !== undefined) expect(outputs[`${name}Secret`], name).toEqual({ value, secret: true });
      }
      if (secrets().length > 0) await expectUnsaid(scene, secrets());
    };

    beforeAll(async () => {
      scene = await setScene(`life-${kind.toLowerCase()}`, { program: given.program(resources) });
      service = scene.service;
    });
    afterAll(() => scene?.close());

    it("R12 is previewed without a request, and created with one each", async () => {
      const preview = await scene.stack.preview();
      expect(preview.ok, preview.output).toBe(true);
      expect(service.requests).toEqual([]);
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(true);
      const each = Object.keys(resources).flatMap(() => calls.create);
      expect(methods(service.requests).sort()).toEqual(each.sort());
      await learnIds();
      await expectSecretsKept();
    });

    it("R13 an up with nothing to change is silent on the wire", () => expectSilentUp(scene));

    it("R3 a refresh right after an up shows nothing, and neither does the next preview", async () => {
      const refresh = await scene.stack.refresh({ expectNoChanges: true });
      expect(refresh.ok, refresh.output).toBe(true);
      const preview = await scene.stack.preview({ expectNoChanges: true });
      expect(preview.ok, preview.output).toBe(true);
      await expectSecretsKept();
    });

    if (managed.length > 0) {
      it("R2 a preview names the field that changes, and no other; the up makes it so", async () => {
        await redeclare(Object.fromEntries(managed.map(({ field, after }) => [names.managed(field), after])));
        const preview = await scene.stack.preview();
        service.clearRequests();
        const up = await scene.stack.up();
        for (const outcome of [preview, up]) {
          expect(outcome).toMatchObject({ ok: true, changes: { update: managed.length } });
          for (const { field, values } of managed) {
            const [old, now] = values;
            const [step] = stepsFor(outcome, names.managed(field));
            expect(step).toMatchObject({ op: "update", diffs: [field] });
            expect(step?.changed).toEqual({ [field]: { old, new: now } });
          }
        }
        for (const { field } of managed) {
          expect(methods(requestsFor(names.managed(field))), field).toEqual(calls.update);
        }
        expect(service.requests).toHaveLength(managed.length * calls.update.length);
        await expectQuiet(scene);
        await expectSecretsKept();
      });
    }

    if (respelled.length > 0) {
      it(`R2 spelled otherwise is no change: ${Object.keys(given.respelled).join("; ")}`, async () => {
        await redeclare(
          Object.fromEntries(respelled.map(([name, place, { after }]) => [`${name}${place}`, after])),
        );
        await expectSilentUp(scene);
        await expectQuiet(scene);
      });
    }

    const driftAll = () => {
      for (const { field, drift } of managed) drift(service, idOf(names.managed(field)));
    };

    if (managed.length > 0) {
      it("R5 drift is shown as old → now and now → declared, and healed by `up --refresh`", async () => {
        driftAll();
        const preview = await scene.stack.previewRefresh();
        const up = await scene.stack.up({ refresh: true });
        for (const outcome of [preview, up]) {
          expect(outcome.ok, outcome.output).toBe(true);
          for (const { field, values, drifted } of managed) {
            const [, declared] = values;
            expect(stepsFor(outcome, names.managed(field)), field).toMatchObject([
              { duringRefresh: true, changed: { [field]: { old: declared, new: drifted } } },
              { op: "update", duringRefresh: false, changed: { [field]: { old: drifted, new: declared } } },
            ]);
          }
        }
        await expectQuiet(scene);
        await expectSecretsKept();
      });

      it("R5 a refresh takes drift into the state, and the next preview shows now → declared", async () => {
        driftAll();
        const refresh = await scene.stack.refresh();
        const preview = await scene.stack.preview();
        await expectSecretsKept();
        const up = await scene.stack.up();
        expect(refresh.ok, refresh.output).toBe(true);
        for (const { field, values, drifted } of managed) {
          const [, declared] = values;
          expect(stepsFor(refresh, names.managed(field))).toMatchObject([
            { op: "update", diffs: [field], changed: { [field]: { old: declared, new: drifted } } },
          ]);
          for (const outcome of [preview, up]) {
            expect(stepsFor(outcome, names.managed(field))).toMatchObject([
              { op: "update", diffs: [field], changed: { [field]: { old: drifted, new: declared } } },
            ]);
          }
        }
        await expectSilentUp(scene);
        await expectSecretsKept();
      });
    }

    if (replacing.length > 0) {
      it("R10 a change that replaces is previewed as one, by its field, and creates before it deletes", async () => {
        const before = new Map(ids);
        await redeclare(
          Object.fromEntries([
            ...replacing.map(([field, { after }]) => [names.replacing(field), after]),
            ...given.deletesFirst.map(({ after }, place) => [`deletesFirst${place}`, after]),
          ]),
        );
        const preview = await scene.stack.preview();
        expect(preview.changes, preview.output).toMatchObject({
          replace: replacing.length + given.deletesFirst.length,
        });
        for (const [field] of replacing) {
          const step = stepsFor(preview, names.replacing(field)).find(({ op }) => op === "replace");
          expect(step?.diffs, field).toEqual([field]);
        }
        service.clearRequests();
        const up = await scene.stack.up();
        expect(up.ok, up.output).toBe(true);
        const order = (name: string) => stepsFor(up, name).map(({ op }) => op);
        for (const [field] of replacing) {
          const name = names.replacing(field);
          expect(order(name), field).toEqual(["create-replacement", "replace", "delete-replaced"]);
        }
        given.deletesFirst.forEach((_, place) => {
          expect(order(`deletesFirst${place}`)).toEqual(["delete-replaced", "replace", "create-replacement"]);
        });
        await learnIds();
        for (const [name, id] of before) {
          const isReplaced = name.endsWith("Replaces") || name.startsWith("deletesFirst");
          expect(ids.get(name) === id, name).toBe(!isReplaced);
        }
        await expectQuiet(scene);
        await expectSecretsKept();
      });
    }

    if (given.deleting.length > 0) {
      it("R6 an update that finds its object gone says what to run", async () => {
        given.delete(service, idOf(names.deletable(0)));
        await redeclare({ [names.deletable(0)]: given.deletableChanged });
        const up = await scene.stack.up();
        expect(onlyLine(up, names.deletable(0))).toContain("pulumi up --refresh");
      });

      it.each(given.deleting.map((dialect, place) => ({ dialect, place })))(
        "R6 deleted elsewhere ($dialect), it is made anew by `up --refresh`",
        async ({ dialect, place }) => {
          service.setDialect(dialect);
          const name = names.deletable(place);
          if (place > 0) given.delete(service, idOf(name));
          const up = await scene.stack.up({ refresh: true });
          expect(up.changes, up.output).toMatchObject({ create: 1 });
          expect(stepsFor(up, name)).toMatchObject([{ duringRefresh: true, new: null }, { op: "create" }]);
        },
      );
    }

    it("K10 destroy leaves nothing behind, and no secret was ever shown", async () => {
      await learnIds();
      await expectSilentUp(scene);
      await expectSecretsKept();
      const secretsOfALife = secrets();
      const destroy = await scene.stack.destroy();
      expect(destroy.ok, destroy.output).toBe(true);
      expect(given.leftOver(service)).toEqual([]);
      if (secretsOfALife.length > 0) await expectUnsaid(scene, secretsOfALife);
    });
  });
}
