/** For modules that load nothing else: the types of resources in either host, and functions that run elsewhere. */

/** The host of the provider: Pulumi's host of dynamic providers, or the plugin of this package. */
export type Host = "dynamic" | "plugin";

/** State holds types, so they can never change. */
export const prefixes: Readonly<Record<Host, string>> = {
  dynamic: "pulumi-nodejs:dynamic/apikeys:",
  plugin: "apikeys:index:",
};

/** Whether that is the type of a kind's resources, in either host. */
export function isTypeOf(kind: string, type: unknown): boolean {
  return Object.values(prefixes).some((prefix) => type === prefix + kind);
}

/** A type or a URN as in the dynamic host, so that those of one resource are equal whichever host wrote them. */
export function inOneHost(typeOrUrn: string): string {
  return typeOrUrn.replaceAll(prefixes.plugin, prefixes.dynamic);
}

/** Makes a function that Pulumi uploads to run elsewhere load these there: it can't carry modules that are not exported. */
export function loadWhereCaptured(entry: string, functions: object): void {
  for (const [name, each] of Object.entries(functions)) {
    const load = (...args: readonly unknown[]) => require(entry)[name](...args);
    each.captureReplacement = () => load;
  }
}
