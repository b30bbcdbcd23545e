/** The programs of ours.ts with resources on which nobody acts, for either host. */
import { createRequire } from "node:module";
import type { Program } from "../keys";
import type * as nothing from "./nothing/resources";

const { ApiKey, ApiKeySet, Declared, ofPlugin } = createRequire(__filename)(
  "pulumi-nothing",
) as typeof nothing;

export const single: Program = ({ keys }) => {
  for (const key of keys) new ApiKey(key.name, key);
};

export const singlePlugin: Program = ({ keys }) => {
  for (const key of keys) new ApiKey(key.name, key, ofPlugin);
};

export const oneSet: Program = ({ set }) => void new ApiKeySet("keys", set);

export const oneSetPlugin: Program = ({ set }) => void new ApiKeySet("keys", set, ofPlugin);

export const tenSetsPlugin: Program = ({ ten }) => {
  for (const [n, set] of ten.entries()) new ApiKeySet(`keys-${n}`, set, ofPlugin);
};

export const bare: Program = ({ keys }) => {
  for (const key of keys) new Declared(key.name, key);
};
