import { AsyncLocalStorage } from "node:async_hooks";
import * as pulumi from "@pulumi/pulumi";

/**
 * The options of a CustomerBilling by which the program looks, before each create and in previews too, whether state
 * holds its grant already (B6). For `--target-replace` and `pulumi state taint` the engine asks the provider for a create
 * as for a new resource, and to it a resource that was renamed is new; only the stack's own state tells.
 */
export function grantGuard(): pulumi.CustomResourceOptions {
  // Unit tests with mocks have no stack, and could not register the hook.
  const stack = pulumi.runtime.getStackResource() as Guarded | undefined;
  if (stack === undefined) return {};
  // Kept with the stack: a process may run several programs, and a program may load several copies of this package.
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
 * Has the engine load the provider of its own functions before the resource is registered. In a run that has failed
 * meanwhile it would not load it any more, and wait for the hook, which would wait for that.
 */
async function functionsLoaded(stack: pulumi.Resource): Promise<pulumi.Resource[]> {
  const urn = new Promise((resolve) => stack.urn.apply(resolve));
  await pulumi.runtime.invoke("pulumi:pulumi:getResource", { urn: await urn }).catch(() => {});
  return [];
}

/** Where all of these are equal, it is the same grant. */
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
  // The engine calls a hook outside of the async context by which an inline program finds its engine.
  const inProgram = AsyncLocalStorage.snapshot();
  let state: Promise<State> | undefined;
  const refuse = async ({ urn, name, type, newInputs }: pulumi.ResourceHookArgs) => {
    const inputs = await revealed(newInputs ?? {});
    // A record that exists is adopted.
    if (inputs["totalCredits"] === undefined) return;
    state ??= inProgram(readState);
    const of = `CustomerBilling "${name}"`;
    const held = await state.catch((error: unknown) => {
      throw new Error(
        `${of}: the state of the stack can't be read (${error instanceof Error ? error.message : error}), so it is not known whether it holds this grant already. Nothing was granted. Run \`pulumi up\` again.`,
      );
    });
    for (const [holder, { type: kind, outputs }] of Object.entries(held)) {
      if (kind !== type) continue;
      if (holder === urn && outputs["grant"] === inputs["grant"]) throw new Error(`${of}: ${replaced}`);
      if (identity.some((field) => outputs[field] !== inputs[field])) continue;
      throw new Error(`${of}: state holds this grant already, as "${holder.split("::").at(-1)}", ${renamed}`);
    }
  };
  return new pulumi.ResourceHook("pulumi-apikeys:grants", refuse, { onDryRun: true });
}

const replaced =
  "state holds this grant already, and replacing the resource would grant it again. Nothing was granted. Leave out --target-replace, run `pulumi state untaint`, or remove the resource option that forces the replacement; or, to grant again on purpose, change grant.";
const renamed =
  "and creating another resource would grant it again. Nothing was granted. If the resource was renamed or moved, give it the option aliases; or, to grant again on purpose or at another service, another value of grant.";

/** A backend of files may be writing the state that is read, which then ends in the middle. */
const pausesMs = [100, 200, 400, 800, 1_600];

async function readState(): Promise<State> {
  for (const ms of pausesMs) {
    try {
      return await readStateOnce();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
  return readStateOnce();
}

async function readStateOnce(): Promise<State> {
  const organization = pulumi.getOrganization();
  // So all backends but Pulumi Cloud call it; some of them know stacks by their name alone.
  const nameOnly = organization === "organization";
  const stackName = nameOnly
    ? pulumi.getStack()
    : `${organization}/${pulumi.getProject()}/${pulumi.getStack()}`;
  const { outputs } = await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", { stackName });
  return outputs;
}

/** The properties with the values of secrets. `apply` would not give what is unknown in a preview. */
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
