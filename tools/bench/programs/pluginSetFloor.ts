import { createRequire } from "node:module";
import type { DeclaredKey, DeclaredSet } from "../keys";
import type * as nothing from "./nothing/resources";

const { ApiKeySet, ofPlugin } = createRequire(__filename)("pulumi-nothing") as typeof nothing;

export function declare(_keys: readonly DeclaredKey[], set: DeclaredSet): void {
  new ApiKeySet("keys", set, ofPlugin);
}
