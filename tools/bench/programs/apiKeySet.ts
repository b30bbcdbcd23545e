import { ApiKeySet } from "pulumi-apikeys";
import type { DeclaredKey, DeclaredSet } from "../keys";

export function declare(_keys: readonly DeclaredKey[], set: DeclaredSet): void {
  new ApiKeySet("keys", set);
}
