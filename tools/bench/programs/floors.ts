/** The programs of ours.ts with resources on which nobody acts. */
import { createRequire } from "node:module";
import type { Program } from "../keys";
import type * as nothing from "./nothing/resources";

const { ApiKey, ApiKeySet } = createRequire(__filename)("pulumi-nothing") as typeof nothing;

export const single: Program = ({ keys }) => {
  for (const key of keys) new ApiKey(key.name, key);
};

export const oneSet: Program = ({ set }) => void new ApiKeySet("keys", set);
