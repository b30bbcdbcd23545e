import type { KeyInputs } from "../apiKey/properties";
import { adoptedId } from "../apiKey/state";
import type { OwnedKey, OwnedKeys } from "./owned";

/** What an update does with one key. `stateAlias`: the key's alias in state, which the update may change. */
export type Step = { readonly alias: string } & (
  | { readonly op: "same"; readonly stateAlias: string; readonly key: OwnedKey }
  | {
      readonly op: "create";
      readonly declared: KeyInputs;
      /** The alias in state that the program says the key had before. */
      readonly formerAlias?: string | undefined;
    }
  | {
      readonly op: "update" | "replace";
      readonly stateAlias: string;
      readonly key: OwnedKey;
      readonly declared: KeyInputs;
      /** Whether the key stays if the values that are not known yet turn out to be the same. */
      readonly isConditional?: boolean;
    }
  | {
      readonly op: "delete";
      readonly key: OwnedKey;
      /** The alias in state of the key to use instead: this one stays until that matches the program. */
      readonly successor?: string;
    }
);

/** What an update does with the keys of a resource. */
export interface Steps {
  readonly workspaceId: unknown;
  readonly owned: OwnedKeys;
  readonly steps: readonly Step[];
}

/** The id of the key that a step adopts, if it adopts one. */
export function adoptedBy(step: Step): string | undefined {
  return step.op === "create" || step.op === "replace" ? adoptedId(step.declared) : undefined;
}
