import { createRequire } from "node:module";
import type { DeclaredKey, DeclaredSet } from "../keys";
import type * as nothing from "./nothing/resources";

const { ApiKeySet, ofPlugin } = createRequire(__filename)("pulumi-nothing") as typeof nothing;

export function declare(_keys: readonly DeclaredKey[], _set: DeclaredSet, ten: readonly DeclaredSet[]): void {
  for (const [n, set] of ten.entries()) new ApiKeySet(`keys-${n}`, set, ofPlugin);
}
