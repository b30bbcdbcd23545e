/**
 * The provider for Pulumi's dynamic-provider host. Programs don't use it: the host finds it by the string in every
 * resource's state, `require("pulumi-apikeys/dynamic").provider("ApiKey")`. The subpath, this function and the kinds
 * are permanent.
 *
 * @module pulumi-apikeys/dynamic
 */
import { isDeepStrictEqual } from "node:util";
import type { dynamic } from "@pulumi/pulumi";
import { coded } from "../../core/codes";
import { asFailure } from "../../core/errors";
import { openRun } from "../../core/run";
import { markedAt } from "../../core/secrecy";
import { type Kept, nameKey, type Properties, previewKey, providerKey } from "../../core/state";
import { type Instance, openInstance } from "../../instance";
import { engineConfig, nodeProblem } from "../../lifecycle/config";
import { serveRun } from "../process";

const print = (line: string): void => void process.stderr.write(`${line}\n`);
const warn = (message: string): void => print(`warning: ${message}`);
// The host logs the name and the stack of each error that the engine shows (`hostError`).
const { error: log } = console;
console.error = (...all) => all[0] === "pulumi-apikeys: shown" || log(...all);

/** The resource of the last check: the diff that the engine asks for next is not told its name. */
let checked: { readonly name: string | undefined; isPreview: boolean; inputs: Properties } | undefined;

/** One host process serves one provider instance. */
let instance: Instance | undefined;

/**
 * Returns the provider of one kind of resource, for Pulumi's host to call. Fails for an unknown kind.
 *
 * @param kind The resource's class, such as "ApiKey".
 */
export function provider(
  kind: string,
): dynamic.ResourceProvider<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>> {
  const problem = nodeProblem();
  if (problem !== undefined) throw hostError(coded("configuration", problem));
  // In another process that loads this, such as a test, the run has no end.
  const isHost = /[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(process.argv[1] ?? "");
  instance ??= openInstance({
    run: isHost ? serveRun(warn) : openRun(),
    env: process.env,
    warn,
    note: print,
    progress: { show: print, everyMs: 10_000 },
  });
  const served = instance;
  const resource = served.resource(kind);
  // The engine itself marks only part of the inputs, and only outputs that are named like a secret input or in
  // additionalSecretOutputs, which a transform may have dropped.
  const marked = (properties: Properties) => markedAt(properties, resource.secretPaths(properties));
  const guarded = async <T>(properties: Properties, operation: () => Promise<T>): Promise<T> => {
    try {
      return await operation();
    } catch (error) {
      const { message, kept } = asFailure(error);
      if (kept === undefined) throw hostError(message);
      const state = { ...marked(kept.state), [providerKey]: properties[providerKey] };
      throw hostError(message, { ...kept, state });
    }
  };
  return {
    // Synchronous and never throwing: the host would call an unconfigured provider otherwise. check reports what is wrong.
    configure: (request): Promise<void> => {
      served.configure(engineConfig((key) => request.config.get(key)));
      return Promise.resolve();
    },
    check: (olds, news) =>
      guarded(news, async () => {
        const { [nameKey]: given, [previewKey]: preview, ...others } = news;
        const declared = resource.alsoSecret(others, []);
        const isNew = Object.keys(olds).every((one) => one === providerKey);
        const name = typeof given === "string" ? given : undefined;
        const known = { isPreview: preview === true };
        checked = { name, ...known, inputs: declared };
        const { inputs, failures } = resource.check(declared, isNew ? undefined : olds, name, known);
        checked.inputs = { ...inputs, [providerKey]: news[providerKey] };
        if (known.isPreview && isNew && failures.length === 0) resource.checkToken(inputs);
        // A property named here would have its value printed by the engine, secret or not.
        const reasons = failures.map((reason) => ({ property: "", reason }));
        return { inputs: marked(inputs), failures: reasons };
      }),
    diff: (id, olds, news) =>
      guarded(news, async () => {
        if (!isDeepStrictEqual(news, checked?.inputs)) checked = undefined;
        const { changes: found, replaces } = resource.diff(id, olds, news, checked?.name);
        // Without the string that the state of another host may lack, refresh and destroy could not run.
        const changes = olds[providerKey] === undefined ? true : found;
        if (checked?.isPreview && changes !== false) resource.checkToken(news);
        return changes === undefined ? { replaces } : { changes, replaces };
      }),
    create: (inputs) =>
      guarded(inputs, async () => {
        const { id, state } = await resource.create(inputs);
        return { id, outs: marked(state) };
      }),
    read: (id, props = {}) =>
      guarded(props, async () => {
        const found = await resource.read(id, props);
        if (found === undefined) return {};
        const read = { id: found.id, props: marked(found.state) };
        return found.inputs === undefined ? read : { ...read, inputs: marked(found.inputs) };
      }),
    update: (id, olds, news) =>
      guarded(news, async () => ({ outs: marked(await resource.update(id, olds, news)) })),
    delete: (id, props) => guarded(props, () => resource.delete(id, props)),
  };
}

/**
 * The error of an operation, as the host expects it. With `id` and `properties`, the engine keeps the resource and shows
 * `reasons`. The host logs `${error}: ${error.stack}`, and the engine then shows the message.
 */
function hostError(message: string, kept?: Kept): Error {
  const ofKept = kept && { id: kept.id, properties: kept.state, reasons: [message] };
  return Object.assign(new Error(message), { stack: "shown", toString: () => "pulumi-apikeys", ...ofKept });
}
