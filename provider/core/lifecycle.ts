import type { AnyDefinition } from "./definition";
import { compare } from "./diff";
import type { Kept } from "./errors";
import { type HostContext, openKind } from "./kind";
import { create, find, read, remove, update, type Wanted } from "./operations";
import { check, detailedDiff, diff, foresee, isDeclared } from "./previews";
import type { Properties } from "./state";

export type Lifecycle = ReturnType<typeof lifecycle>;

/** The operations of a kind of resource, for any host. Those that call the service throw a Failure and nothing else. */
export function lifecycle(definition: AnyDefinition, host: HostContext) {
  const kind = openKind(definition, host);
  return {
    ...kind.paths,
    isReadFirst: definition.isReadFirst === true,
    /** `name` and `urn`: of the resource in the program, if the host knows them. */
    check: (inputs: Properties, before: Properties | undefined, name?: string, urn?: string) =>
      check(kind, inputs, before, { name, urn }),
    diff: (id: string, state: Properties, inputs: Properties) =>
      diff(kind, compare(kind, { id, state }, inputs)),
    detailedDiff: (id: string, state: Properties, inputs: Properties) =>
      detailedDiff(kind, { id, state }, inputs),
    isDeclared: (properties: Properties) => isDeclared(definition, properties),
    foresee: (inputs: Properties, before?: Kept) => foresee(kind, inputs, before),
    create: (inputs: Properties, urn?: string) => create(kind, inputs, urn),
    read: (id: string, state: Properties, urn?: string) => read(kind, { id, state }, urn),
    find: (wanted: Wanted) => find(kind, wanted),
    update: (id: string, state: Properties, inputs: Properties) => update(kind, { id, state }, inputs),
    delete: (id: string, state: Properties) => remove(kind, { id, state }),
  };
}
