import { ApiKey, ApiKeySet } from "pulumi-apikeys";
import type { Program } from "../keys";

export const single: Program = ({ keys }) => {
  for (const key of keys) new ApiKey(key.name, key);
};

export const oneSet: Program = ({ set }) => void new ApiKeySet("keys", set);
