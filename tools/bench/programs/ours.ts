import { ApiKey, ApiKeySet, RotatingApiKey } from "pulumi-apikeys";
import type { DeclaredKey, Program } from "../keys";

export const single: Program = ({ keys }) => declare(keys);

/** The first of the keys is rotated. */
export const oneRotating: Program = ({ keys: [first, ...others] }) => {
  if (first !== undefined) new RotatingApiKey(first.name, { ...first, rotateEvery: "90d" });
  declare(others);
};

export const oneSet: Program = ({ set }) => void new ApiKeySet("keys", set);

export const tenSets: Program = ({ ten }) => {
  for (const [n, set] of ten.entries()) new ApiKeySet(`keys-${n}`, set);
};

function declare(keys: readonly DeclaredKey[]): void {
  for (const key of keys) new ApiKey(key.name, key);
}
