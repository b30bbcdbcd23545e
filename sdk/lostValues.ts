import * as pulumi from "@pulumi/pulumi";

const lossy = [Date, Map, Set, RegExp];

/** Fails for a value that Pulumi would send as `{}`, because it has no properties of its own. */
export function refuseLostValues(of: string, value: unknown, path = ""): void {
  const kind = typeof value === "bigint" ? "bigint" : lossy.find((one) => value instanceof one)?.name;
  if (kind !== undefined)
    throw new pulumi.RunError(`${of}: ${path}: a ${kind} can't be sent: use plain JSON values instead.`);
  if (typeof value !== "object" || value === null) return;
  if (pulumi.Output.isInstance(value) || value instanceof Promise || pulumi.Resource.isInstance(value))
    return;
  for (const [name, inner] of Object.entries(value))
    refuseLostValues(of, inner, path === "" ? name : `${path}.${name}`);
}
