import { ApiKey } from "pulumi-apikeys";
import type { DeclaredKey } from "../keys";

export function declare(keys: readonly DeclaredKey[]): void {
  for (const key of keys) new ApiKey(key.name, key);
}
