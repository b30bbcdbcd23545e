import { isDeepStrictEqual } from "node:util";
import type { KindContext } from "./context";
import type { AnyComparison, AnyDefinition, AnyShape, Compared } from "./definition";
import { Failure } from "./errors";
import type { Field } from "./fields";
import { canonical } from "./inputs";
import { isRecord, type Kept, type ManagedField, type Properties, providerKey, same } from "./state";
import { contains, containsUnknown } from "./unknown";

/** Compares a state with the inputs of the program. */

export interface Difference {
  /**
   * `undefined` leaves it to the engine, which compares the inputs itself and shows exactly what changed. The engine takes
   * null for a missing property, so a difference that contains null is `true`.
   */
  readonly changes: boolean | undefined;
  readonly replaces: string[];
}

/** The parts of a definition that a comparison needs. */
type Deciding = Pick<AnyDefinition, "unchanged" | "pending" | "keepsExisting"> & {
  readonly fields: readonly Pick<Field, "name" | "default" | "onChange">[];
};

/** Parses a state and the inputs of the program; the plan is made when it is first needed. */
export function compare(
  { definition, host }: KindContext,
  { id, state }: Kept,
  inputs: Properties,
): AnyComparison {
  expectSameKind(definition, id, state);
  const compared: Compared<AnyShape> = {
    id,
    state: definition.parse(state),
    inputs: canonical(definition, inputs),
    now: host.now(),
  };
  let plan: unknown;
  return {
    ...compared,
    get plan() {
      plan ??= definition.plan?.(compared);
      return plan;
    },
  };
}

/** An alias of another type gives a resource the state of another kind, whose key it would then forget. */
function expectSameKind({ kind }: AnyDefinition, id: string, state: Properties): void {
  const [, former = kind] = /\.provider\("(\w+)"\)/.exec(String(state[providerKey])) ?? [];
  if (former === kind) return;
  throw new Failure(
    `In state, ${id} is of the type ${former}, and an alias can't make it a resource of the type ${kind}. Nothing was changed. Leave the alias out; to keep an API key, name it by existingId.`,
  );
}

/** The inputs that differ from what the state was declared as. Both are in canonical form. */
export function differing({ fields, unchanged }: Deciding, compared: AnyComparison): Deciding["fields"] {
  const { state, inputs }: { readonly state: Properties; readonly inputs: Properties } = compared;
  return fields.filter((field) => {
    const value = inputs[field.name];
    if (containsUnknown(value)) return true;
    if (isDeepStrictEqual(state[field.name] ?? field.default, value)) return false;
    return !unchanged?.(field.name, value, compared);
  });
}

/** The fields that are certain to differ: an unknown value may turn out to be the same. */
export function certainlyChanged(
  fields: readonly ManagedField[],
  was: Properties,
  is: Properties,
): readonly string[] {
  return fields
    .filter(({ name }) => !containsUnknown(is[name]))
    .filter((field) => !same(field, was[field.name], is[field.name]))
    .map(({ name }) => name);
}

/** What differing inputs mean for an update. */
export function difference(
  deciding: Deciding,
  compared: AnyComparison,
  changed = differing(deciding, compared),
): Difference {
  const { state, inputs }: { readonly state: Properties; readonly inputs: Properties } = compared;
  const staysThough = (value: unknown) =>
    containsUnknown(value) && deciding.keepsExisting?.(compared) === true;
  const replaces = changed
    .filter(({ name, onChange }) => onChange === "replace" && !staysThough(inputs[name]))
    .map(({ name }) => name);
  const pending = deciding.pending?.(compared);
  if (pending !== undefined) return { changes: true, replaces: [...pending, ...replaces] };
  if (changed.length === 0) return { changes: false, replaces };
  const hasNull = changed.some(({ name }) => contains([state[name], inputs[name]], (one) => one === null));
  return { changes: hasNull ? true : undefined, replaces };
}

/** A difference between two values, by the path that leads to it. */
export interface Change {
  readonly path: readonly PropertyKey[];
  readonly kind: "add" | "update" | "delete";
}

/** Where two values differ, as deep as both have the same structure. */
export function changesAt(path: readonly PropertyKey[], before: unknown, now: unknown): readonly Change[] {
  if (isDeepStrictEqual(before, now)) return [];
  if (before === undefined) return [{ path, kind: "add" }];
  if (now === undefined) return [{ path, kind: "delete" }];
  const areLists = Array.isArray(before) && Array.isArray(now);
  const between = (was: object, is: object) =>
    Object.keys({ ...was, ...is }).flatMap((step) =>
      changesAt(
        [...path, areLists ? Number(step) : step],
        (was as Properties)[step],
        (is as Properties)[step],
      ),
    );
  // An entry that both lists have is no change, wherever it is: one more entry would change all that follow it.
  const gainedOrLost = areLists ? between(without(before, now), without(now, before)) : [];
  if (gainedOrLost.length > 0) return gainedOrLost;
  const changes = areLists || (isRecord(before) && isRecord(now)) ? between(before, now) : [];
  return changes.length > 0 ? changes : [{ path, kind: "update" }];
}

function without(list: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const had = new Set(other.map((entry) => JSON.stringify(entry)));
  return list.map((entry) => (had.has(JSON.stringify(entry)) ? undefined : entry));
}
