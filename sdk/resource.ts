import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";
import type { Code } from "../provider/core/codes";
import { type Host, isTypeOf, prefixes } from "./types";

/**
 * Tells whether a value is a resource of that kind, even of another copy of this package. Pulumi's policies call this with
 * the type alone, because the classes have no static `__pulumiType`; so a policy holds in both hosts.
 *
 * @internal
 */
export function isA<Kind>(kind: string) {
  return (value: unknown): value is Kind =>
    typeof value === "object" &&
    value !== null &&
    "__pulumiType" in value &&
    isTypeOf(kind, value.__pulumiType);
}

/** The value of an input in outputs. `Values` has those that are not of the type that the program gives. */
export type ValueOf<Args, Values, Name extends keyof Args> = Name extends keyof Values
  ? Values[Name]
  : pulumi.Unwrap<Args[Name]>;

/** The outputs of a resource that are its inputs too. Each class merges with them: Pulumi's constructor sets them. */
export type Outputs<Args, Values> = {
  readonly [Name in keyof Args]-?: pulumi.Output<ValueOf<Args, Values, Name>>;
};

/** @internal What a class knows about its resources. A test compares it with the provider's definitions. */
export interface Facts {
  readonly kind: string;
  /** All inputs and outputs. Only what is named here becomes an output. */
  readonly properties: readonly string[];
  /** The properties that are always secret. Default: none. */
  readonly secrets?: readonly string[];
}

/**
 * The arguments that a resource's class passes to `super`. They do what pulumi.dynamic.Resource does, but with a
 * constant provider string instead of a serialized closure. That keeps state small, and an upgrade of this package also
 * applies to existing resources. This is not a base class, because the engine takes the resource's source position from
 * the caller of pulumi.CustomResource.
 *
 * @internal
 */
export function registration(
  { kind, properties, secrets = [] }: Facts,
  name: string,
  inputs: object,
  opts: pulumi.CustomResourceOptions,
): [type: string, name: string, properties: pulumi.Inputs, opts: pulumi.CustomResourceOptions] {
  const [host, former] = hosts();
  const isDynamic = host === "dynamic";
  if (isDynamic && opts.import !== undefined) {
    const what = `${kind} "${name}": the resource option import can't work for dynamic resources. For an ApiKey, use \`pulumi import --file\`. Declare any other existing object without the option: a key with existingId, a billing record with billingId, a scope or settings as they are.`;
    fail("APIKEYS1001", what);
  }
  if (isDynamic) failIfHidden();
  const what = `${kind} "${name}": `;
  for (const [input, value] of Object.entries(inputs)) failIfLost(value, what + input);
  const type = prefixes[host] + kind;
  const { additionalSecretOutputs = [], id } = opts;
  // The engine leaves unknown properties out of a read, so while the workspace is unknown, the id is too.
  const toRead = id !== undefined && {
    id: pulumi.all([id, (inputs as pulumi.Inputs)["workspaceId"]]).apply(([known]) => known),
  };
  return [
    type,
    name,
    {
      ...Object.fromEntries([...properties, stateMark].map((property) => [property, undefined])),
      ...withSecret(inputs, [...secrets, ...additionalSecretOutputs]),
      __secrets: secretPaths(inputs, additionalSecretOutputs, what),
      // For check, which Pulumi's host does not tell these. A resource that is only read is not checked.
      ...(toRead
        ? { __external: true }
        : isDynamic && { __resourceName: name, __preview: pulumi.runtime.isDryRun() }),
      // The plugin keeps it, so that a stack can move back. It also shows the plugin that the class guards a grant, which it
      // can't in a component that is a provider of its own: there, the program has no stack.
      ...((isDynamic || pulumi.runtime.getStackResource() !== undefined) && {
        __provider: `exports.handler=()=>require("pulumi-apikeys/dynamic").provider(${JSON.stringify(kind)});`,
      }),
    },
    pulumi.mergeOptions(moving({ ...opts, ...toRead }, type, prefixes[former] + kind), {
      additionalSecretOutputs: [...secrets],
    }),
  ];
}

/**
 * Pulumi's host of dynamic providers looks for this package from the program's folder, where pnpm shows no dependency of a
 * component. A program of the Automation API may run in any other folder, so it is not checked.
 */
function failIfHidden(): void {
  if (!/@pulumi.pulumi.cmd.run\b/.test(require.main?.filename ?? "")) return;
  try {
    createRequire(`${process.cwd()}/index.js`).resolve("pulumi-apikeys/dynamic");
  } catch {
    const advice = "Add it there and install, because the engine loads it from there.";
    fail("APIKEYS1002", `The program's own package.json does not have pulumi-apikeys. ${advice}`);
  }
}

/**
 * @internal The inputs, with those of these names made secret: of a dynamic resource, the engine (3.274) stores a map in plain
 * text that only the provider marks.
 */
export function withSecret<Inputs extends object>(inputs: Inputs, names: readonly string[]): Inputs {
  const named = Object.entries(inputs).filter(([name, value]) => names.includes(name) && value != null);
  return { ...inputs, ...Object.fromEntries(named.map(([name, value]) => [name, pulumi.secret(value)])) };
}

/** Pulumi's SDK loses the first of these names, calls the second, and takes the last for a mark of its own. */
const uncarried = ["__proto__", "toString", "4dabf18193072939515e22adb298388d"];

/** Fails for what Pulumi's SDK would change or lose without an error (R8). `at`: the resource, and the path of the value. */
function failIfLost(value: unknown, at: string, above: readonly unknown[] = []): void {
  if (value == null || isPending(value) || /boolean|number|string/.test(typeof value)) return;
  const wrong = (text: string) => fail("APIKEYS1001", `${at}: ${text}`);
  if (!Array.isArray(value) && !isPlain(value))
    wrong(`must be plain JSON: a value of type ${value.constructor.name} can't be sent.`);
  if (above.includes(value)) wrong("must be plain JSON, and contains itself.");
  for (const [name, inner] of Object.entries(value)) {
    if (uncarried.includes(name)) wrong(`Pulumi can't carry the name "${name}": choose another.`);
    failIfLost(inner, Array.isArray(value) ? `${at}[${name}]` : `${at}.${name}`, [...above, value]);
  }
}

/** @internal Whether the value is an Output or a promise. */
export function isPending(value: unknown): value is pulumi.Output<unknown> | Promise<unknown> {
  return pulumi.Output.isInstance(value) || value instanceof Promise || pulumi.isUnknown(value);
}

/** @internal Whether it is an object of properties, and not a Map, a Date or anything else that has more. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null || isPending(value)) return false;
  // In another realm, as in Jest, object literals have another prototype, but that has none.
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A property that every state has, and no inputs have: it shows whether the engine answered with a state. */
const stateMark = "__service";

/**
 * Makes outputs known that the resource doesn't have. In a preview, Pulumi takes an output that the engine's answer
 * lacks for unknown, so whatever uses it would appear to change. If the answer is a state, what it lacks is absent. The
 * outputs stay Pulumi's own objects: a function that is uploaded to run elsewhere can refer to no others.
 *
 * @internal
 */
export function settleAbsent(resource: pulumi.CustomResource, { properties }: Facts): void {
  if (!pulumi.runtime.isDryRun()) return;
  const outputs = resource as unknown as Readonly<Record<string, Internals>>;
  const { [stateMark]: mark, existingId, existingKey } = outputs;
  for (const name of properties) {
    const output = outputs[name] as Internals;
    const isBare =
      name === "key" && lacksSecret(resource, existingId?.promise(true), existingKey?.promise(true));
    const answer = Promise.all([output.isKnown, mark?.isKnown, isBare, output.promise(true)]);
    output.isKnown = answer.then(
      ([isKnown, isState, isBare, value]) => isKnown || ((isState || isBare) && value === undefined),
    );
  }
}

/** @internal Whether a preview adopts a key without a secret. For a dynamic resource, the engine answers with its inputs alone. */
export async function lacksSecret({ id }: pulumi.CustomResource, existingId: unknown, existingKey: unknown) {
  const isNew = !(await (id as unknown as Internals).isKnown);
  return isNew && typeof (await existingId) === "string" && (await existingKey) === undefined;
}

/** @internal Throws an error that Pulumi shows without a stack, each sentence on a line of its own. Pulumi may put words before it. */
export function fail(code: Code, text: string, before = ""): never {
  throw new pulumi.RunError(`${before}${code}: ${text.replaceAll(/(?<=\.) (?=[A-Z])/g, "\n")}`);
}

/** @internal What Pulumi's types leave out of an Output. */
export interface Internals<Value = unknown> {
  isKnown: Promise<boolean>;
  /** With unknown values in place; an output that the engine's answer lacks is `undefined`. */
  promise(withUnknowns: true): Promise<Value>;
  // biome-ignore lint/suspicious/noExplicitAny: as in Pulumi.
  apply(act: (value: any) => any, withUnknowns: true): pulumi.Output<string>;
}

/** The host that stack config chooses for all resources of the program, and the other one, which may have had them. */
export function hosts(): readonly [chosen: Host, other: Host] {
  const host = new pulumi.Config("apikeys").get("host") ?? "dynamic";
  if (host === "dynamic") return ["dynamic", "plugin"];
  if (host === "plugin") return ["plugin", "dynamic"];
  const wrong = `Stack config apikeys:host is ${JSON.stringify(host)}.`;
  fail("APIKEYS1002", `${wrong} Set it to "plugin", or to "dynamic", which is the default.`);
}

/** The package of an explicit Provider, and options with which a stack can move to it from the other host. */
export function asProvider(opts: pulumi.ResourceOptions): [pkg: string, opts: pulumi.ResourceOptions] {
  const [own = "", former] = hosts().map((host) => prefixes[host].split(":")[0]);
  return [own, moving(opts, `pulumi:providers:${own}`, `pulumi:providers:${former}`)];
}

/**
 * Options with the other host's type as an alias, so that a stack can move. A resource may be renamed in the same update,
 * so each alias is also given with that type.
 */
function moving<Options extends pulumi.ResourceOptions>(opts: Options, own: string, type: string): Options {
  const given = opts.aliases ?? [];
  const moved = given.map((alias) =>
    pulumi
      .output(alias)
      .apply((known) => (typeof known === "string" ? known.replaceAll(own, type) : { type, ...known })),
  );
  return { ...opts, aliases: [...given, { type }, ...moved] };
}

/** The property names that lead to a value. */
type Path = readonly string[];

/**
 * The paths of what a program made secret in a resource's inputs; `undefined` if there are none. The provider gets plain values,
 * and learns only from these paths what is secret. The path of a list or an Output stands for all that is in it.
 *
 * @param named The names in the option additionalSecretOutputs.
 */
export async function secretPaths(inputs: object, named: readonly string[], what: string) {
  const found = [...(await pathsIn(inputs, [], what)), ...named.map((name) => [name])];
  return found.length === 0 ? undefined : found;
}

async function pathsIn(value: unknown, path: Path, what: string): Promise<readonly Path[]> {
  if (typeof value !== "object" || value === null || pulumi.Resource.isInstance(value)) return [];
  if (isPending(value)) {
    const isSecret = pulumi.isSecret(pulumi.Output.isInstance(value) ? value : pulumi.output(value));
    const known = pulumi.Output.isInstance(value) ? (value as unknown as Internals).promise(true) : value;
    // An input that fails reports its own error elsewhere.
    const [is, given] = await Promise.all([isSecret, known]).catch(() => [false]);
    failIfLost(given, what + path.join("."));
    return is ? [path] : [];
  }
  const isList = Array.isArray(value);
  // A promise for each string would take too much memory in a large set.
  const parts = Object.entries(value).filter(([, one]) => typeof one === "object");
  const inner = parts.map(([name, one]) => pathsIn(one, isList ? path : [...path, name], what));
  const found = (await Promise.all(inner)).flat();
  return isList && found.length > 0 ? [path] : found;
}
