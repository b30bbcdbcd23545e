/** What `require("pulumi-nothing/dynamic")` finds: a provider that answers at once, with as much as ours does. */
import { randomBytes } from "node:crypto";
import type { dynamic } from "@pulumi/pulumi";

type Properties = Record<string, unknown>;

export function provider(kind: string): dynamic.ResourceProvider<Properties, Properties> {
  // Without check and diff: the engine takes the inputs as they are, and compares them itself.
  return {
    create: async (inputs) => ({
      id: `key_${text(16)}`,
      outs: { ...inputs, ...outputs(kind, inputs) },
    }),
    read: async (id, props = {}) => ({ id, props }),
    update: async (_id, olds, news) => ({ outs: { ...olds, ...news } }),
    delete: async () => {},
  };
}

function outputs(kind: string, inputs: Properties): Properties {
  if (kind === "ApiKey") return { ...made(), __service: text(8) };
  if (kind !== "ApiKeySet") return {};
  const all = Object.keys(inputs["keys"] as object).map((alias) => ({ alias, ...made() }));
  const by = (value: (one: Properties) => unknown) =>
    Object.fromEntries(all.map((one) => [one.alias, value(one)]));
  return {
    ids: by(() => `key_${text(16)}`),
    maskedKeys: by(({ maskedKey }) => maskedKey),
    secrets: by(({ key }) => key),
    __service: text(8),
  };
}

/** Values as long as those of the stand-in. */
function made(): Properties {
  const key = `sk_${text(32)}`;
  const now = new Date().toISOString();
  return { key, maskedKey: `sk_…${key.slice(-4)}`, createdAt: now, updatedAt: now };
}

function text(length: number): string {
  return randomBytes(length).toString("hex").slice(0, length);
}
