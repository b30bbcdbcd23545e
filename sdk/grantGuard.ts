import { AsyncLocalStorage } from "node:async_hooks";
import * as pulumi from "@pulumi/pulumi";
import { inOneHost, isTypeOf } from "./types";

/**
 * Resource options of a CustomerBilling that check, before each create and in previews too, whether state holds its
 * grant already (B6). For `--target-replace` and `pulumi state taint`, and for a renamed resource, the engine asks the
 * provider for a create as of a new resource. Only the stack's own state shows that the credits were granted.
 */
export function grantGuard(): pulumi.CustomResourceOptions {
  // Unit tests with mocks have no stack, and could not register the hook.
  const stack = pulumi.runtime.getStackResource() as Guarded | undefined;
  if (stack === undefined) return {};
  // Kept on the stack: a process may run several programs, and a program may load several copies of this package.
  stack[guard] ??= { hook: openHook(), ready: functionsLoaded(stack) };
  const { hook, ready } = stack[guard];
  return { hooks: { beforeCreate: [hook] }, dependsOn: ready };
}

const guard = Symbol.for("pulumi-apikeys:grants");
type Guarded = pulumi.Resource & { [guard]?: Guard };
interface Guard {
  readonly hook: pulumi.ResourceHook;
  readonly ready: Promise<pulumi.Resource[]>;
}

/**
 * Makes the engine load its built-in provider before the resource is registered. After a run has failed, the engine no
 * longer loads it. The hook would then wait for the provider, and the engine for the hook.
 */
async function functionsLoaded(stack: pulumi.Resource): Promise<pulumi.Resource[]> {
  const urn = new Promise((resolve) => stack.urn.apply(resolve));
  await pulumi.runtime.invoke("pulumi:pulumi:getResource", { urn: await urn }).catch(() => {});
  return [];
}

/** Two resources with equal values of these declare the same grant. */
const identity = [
  "workspaceId",
  "totalCredits",
  "allowOverages",
  "spendCap",
  "externalMeterId",
  "grant",
] as const;

type Properties = Readonly<Record<string, unknown>>;
type State = Readonly<Record<pulumi.URN, { readonly type: string; readonly outputs: Properties }>>;

function openHook(): pulumi.ResourceHook {
  // The engine calls a hook outside the async context that connects an inline program to its engine.
  const inProgram = AsyncLocalStorage.snapshot();
  let state: Promise<State> | undefined;
  const refuse = async ({ urn, name, newInputs }: pulumi.ResourceHookArgs) => {
    const inputs = await revealed(newInputs ?? {});
    // An existing record is adopted, which grants nothing.
    if (inputs["totalCredits"] === undefined) return;
    state ??= inProgram(readState);
    const of = `CustomerBilling "${name}"`;
    const held = await state.catch((error: unknown) => {
      throw new Error(
        `${of}: the state of the stack can't be read (${error instanceof Error ? error.message : error}), so it is not known whether this grant is already in state. Nothing was granted. Run \`pulumi up\` again.`,
      );
    });
    for (const [holder, { type: kind, outputs }] of Object.entries(held)) {
      if (!isTypeOf("CustomerBilling", kind)) continue;
      // In an update that moves the stack to the other host, state has its URN of before.
      if (inOneHost(holder) === inOneHost(urn) && outputs["grant"] === inputs["grant"])
        throw new Error(`${of}: ${replaced}`);
      if (identity.some((field) => outputs[field] !== inputs[field])) continue;
      throw new Error(
        `${of}: this grant is already in state, as "${holder.split("::").slice(3).join("::")}", ${renamed}`,
      );
    }
  };
  return new pulumi.ResourceHook("pulumi-apikeys:grants", refuse, { onDryRun: true });
}

const replaced =
  "this grant is already in state, and replacing the resource would grant it again. Nothing was granted. Leave out --replace or --target-replace, run `pulumi state untaint`, or remove the resource option that forces the replacement; or, to grant again on purpose, change grant.";
const renamed =
  "and creating another resource would grant it again. Nothing was granted. If the resource was renamed or moved, give it the option aliases; or, to grant again on purpose or at another service, use another value of grant.";

async function readState(): Promise<State> {
  const organization = pulumi.getOrganization();
  // All backends except Pulumi Cloud have this organization; some of them know stacks by name only.
  const nameOnly = organization === "organization";
  const stackName = nameOnly
    ? pulumi.getStack()
    : `${organization}/${pulumi.getProject()}/${pulumi.getStack()}`;
  for (let pauseMs = 100; ; pauseMs *= 2) {
    try {
      return (await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", { stackName })).outputs;
    } catch (error) {
      // A file backend may be writing the state at that moment, so that a read finds only part of it.
      if (pauseMs > 1_600) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** The properties with their secrets in plain text. `apply` would not run for a value that is unknown in a preview. */
async function revealed(properties: Properties): Promise<Properties> {
  const entries = Object.entries(properties).map(async ([name, value]) => [
    name,
    pulumi.Output.isInstance(value) ? await (value as unknown as Promised).promise(true) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

interface Promised {
  promise(withUnknowns: boolean): Promise<unknown>;
}
