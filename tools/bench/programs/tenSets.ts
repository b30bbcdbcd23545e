import { ApiKeySet } from "pulumi-apikeys";
import type { DeclaredKey, DeclaredSet } from "../keys";

export function declare(_keys: readonly DeclaredKey[], _set: DeclaredSet, ten: readonly DeclaredSet[]): void {
  for (const [n, set] of ten.entries()) new ApiKeySet(`keys-${n}`, set);
}
