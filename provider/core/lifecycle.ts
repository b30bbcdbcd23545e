import type { AnyDefinition } from "./definition";
import { compare, type Difference } from "./diff";
import type { Kept } from "./errors";
import type { Complete } from "./hiddenState";
import { openKind } from "./kind";
import { create, find, type ReadResult, read, remove, update } from "./operations";
import {
  type CheckResult,
  check,
  type DetailedDifference,
  detailedDiff,
  diff,
  foresee,
  isDeclared,
} from "./previews";
import type { SecretPaths } from "./secretPaths";
import type { HostContext } from "./session";
import type { Properties } from "./state";

/** One resource's operations, for any host. Those that call the service throw a Failure and nothing else. */
export interface Lifecycle extends SecretPaths {
  /** `name`: the resource's in the program, where the host knows it. */
  check(inputs: Properties, before: Properties | undefined, name?: string): CheckResult;
  diff(id: string, state: Properties, inputs: Properties): Difference;
  detailedDiff(id: string, state: Properties, inputs: Properties): DetailedDifference;
  /** Whether a program could declare just these properties, as it could those of every managed resource. */
  isDeclared(properties: Properties): boolean;
  /** What state will hold after a create, or an update of this state, as far as that is known: the rest is unknown. */
  foresee(inputs: Properties, before?: Kept): Properties;
  /** `urn`: the resource's, where the host knows it. */
  create(inputs: Properties, urn?: string): Promise<Complete>;
  read(id: string, state: Properties): Promise<ReadResult | undefined>;
  /**
   * Finds what no state knows yet, by the id that a user gives; `given` holds what else they gave. One that is `isReading`
   * is only looked at, and not managed. Its inputs are what a program would declare: nothing that a default stands for.
   */
  find(id: string, given: Properties, isReading: boolean, name?: string): Promise<ReadResult | undefined>;
  update(id: string, state: Properties, inputs: Properties): Promise<Record<string, unknown>>;
  delete(id: string, state: Properties): Promise<void>;
}

export function lifecycle(definition: AnyDefinition, host: HostContext): Lifecycle {
  const kind = openKind(definition, host);
  return {
    ...kind.paths,
    check: (inputs, before, name) => check(kind, inputs, before, name),
    diff: (id, state, inputs) => diff(kind, compare(kind, { id, state }, inputs)),
    detailedDiff: (id, state, inputs) => detailedDiff(kind, { id, state }, inputs),
    isDeclared: (properties) => isDeclared(definition, properties),
    foresee: (inputs, before) => foresee(kind, inputs, before),
    create: (inputs, urn) => create(kind, inputs, urn),
    read: (id, state) => read(kind, { id, state }),
    find: (id, given, isReading, name) => find(kind, { id, given, isReading, name }),
    update: (id, state, inputs) => update(kind, { id, state }, inputs),
    delete: (id, state) => remove(kind, { id, state }),
  };
}
