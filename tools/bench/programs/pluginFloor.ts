import { createRequire } from "node:module";
import type { DeclaredKey } from "../keys";
import type * as nothing from "./nothing/resources";

const { ApiKey, ofPlugin } = createRequire(__filename)("pulumi-nothing") as typeof nothing;

export function declare(keys: readonly DeclaredKey[]): void {
  for (const key of keys) new ApiKey(key.name, key, ofPlugin);
}
