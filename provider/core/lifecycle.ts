import { check, isDeclared } from "./check";
import { type HostContext, openKindContext } from "./context";
import type { AnyDefinition } from "./definition";
import { detailedDiff, diff } from "./diff";
import { create, find, read, remove, update, type Wanted } from "./operations";
import { preview } from "./preview";
import type { Kept, Properties } from "./state";

export type Lifecycle = ReturnType<typeof lifecycle>;

/** The operations of a kind of resource, for any host. Those that call the service throw a Failure and nothing else. */
export function lifecycle(definition: AnyDefinition, host: HostContext) {
  const context = openKindContext(definition, host);
  return {
    ...context.paths,
    refreshBeforeUpdate: definition.refreshBeforeUpdate === true,
    /** `name` and `urn`: of the resource in the program, if the host knows them. */
    check: (inputs: Properties, before: Properties | undefined, name?: string, urn?: string) =>
      check(context, inputs, before, name, urn),
    diff: (id: string, state: Properties, inputs: Properties) => diff(context, { id, state }, inputs),
    detailedDiff: (id: string, state: Properties, inputs: Properties) =>
      detailedDiff(context, { id, state }, inputs),
    isDeclared: (properties: Properties) => isDeclared(definition, properties),
    preview: (inputs: Properties, before?: Kept) => preview(context, inputs, before),
    create: (inputs: Properties) => create(context, inputs),
    read: (id: string, state: Properties, urn?: string) => read(context, { id, state }, urn),
    find: (wanted: Wanted) => find(context, wanted),
    update: (id: string, state: Properties, inputs: Properties) => update(context, { id, state }, inputs),
    delete: (id: string, state: Properties) => remove(context, { id, state }),
  };
}
