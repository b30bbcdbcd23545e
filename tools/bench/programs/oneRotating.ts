import { ApiKey, RotatingApiKey } from "pulumi-apikeys";
import type { DeclaredKey } from "../keys";

/** The first of the keys is rotated. */
export function declare([first, ...others]: readonly DeclaredKey[]): void {
  if (first !== undefined) new RotatingApiKey(first.name, { ...first, rotateEvery: "90d" });
  for (const key of others) new ApiKey(key.name, key);
}
