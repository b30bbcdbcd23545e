import { AsyncLocalStorage } from "node:async_hooks";
import * as pulumi from "@pulumi/pulumi";
import { type Facts, fail, type Internals, isA, type Outputs, registration, settleAbsent } from "./resource";
import { inOneHost, isTypeOf } from "./types";

/** The inputs of a {@link CustomerBilling}. */
export interface CustomerBillingArgs {
  /** The id of the workspace. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The credits to grant, as a decimal string: "100" and "100.00" are the same. Required, unless `billingId` is set.
   *
   * @remarks
   * Can be a whole number too.
   */
  readonly totalCredits?: pulumi.Input<string | number | undefined>;
  /** Whether the customer may use more than the credits. Default: false. */
  readonly allowOverages?: pulumi.Input<boolean | undefined>;
  /**
   * The spend cap, as a decimal string. Default: none.
   *
   * @remarks
   * Can be a whole number too.
   */
  readonly spendCap?: pulumi.Input<string | number | undefined>;
  /** The id of a meter outside the service. Default: none. */
  readonly externalMeterId?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing record to adopt, instead of `totalCredits`. Default: none. The id is not checked; an empty
   * string fails the preview. While it is set, changing any other input changes only state. Changing it keeps the
   * resource's own id. Also set it if the answer to a grant was lost and the service has granted the credits.
   */
  readonly billingId?: pulumi.Input<string | undefined>;
  /**
   * Your name for this grant, never sent to the service. Default: "initial". Each change grants the credits again, even
   * if you go back to an earlier value; leaving it out again fails the preview. While state has the grant, nothing else
   * grants again: a forced replacement, or a new resource name without the option `aliases`, fails the preview.
   */
  readonly grant?: pulumi.Input<string | undefined>;
}

/** Two resources with equal values of these declare the same grant. */
const identity = ["workspaceId", "totalCredits", "allowOverages", "spendCap", "externalMeterId", "grant"];

const facts: Facts = {
  kind: "CustomerBilling",
  properties: ["createdAt", "billingId", ...identity],
};

interface BillingValues {
  readonly totalCredits: string | undefined;
  readonly allowOverages: boolean;
  readonly spendCap: string | undefined;
  readonly grant: string;
}
export interface CustomerBilling extends Outputs<CustomerBillingArgs, BillingValues> {}

/**
 * Credits that are granted in a workspace. The service can only grant credits: it can't show, change or take back a
 * grant. So the provider sends one request for each value of `grant`, and never repeats it. If the answer is lost,
 * every update fails until you set `billingId` or change `grant`. Changing any input except `billingId` fails the
 * preview, unless `grant` changes too or `billingId` is set. Destroy removes the record from state and leaves the credits
 * in the service. Use the option `protect`, because declaring a removed record again grants the credits again.
 *
 * @example
 * ```ts
 * import { CustomerBilling } from "pulumi-apikeys";
 *
 * new CustomerBilling("acme", { workspaceId: "ws_main", totalCredits: "1000" }, { protect: true });
 * ```
 *
 * @see docs/customer-billing.md
 */
export class CustomerBilling extends pulumi.CustomResource {
  /** Returns true if the value is a CustomerBilling, even one of another copy of this package. */
  static override readonly isInstance = isA<CustomerBilling>("CustomerBilling");

  /**
   * The id of the billing record. Absent while it is not known whether the credits were granted. After a lost answer,
   * the resource's own id stays `uncertain-…`, and this output is the record's id.
   */
  declare readonly billingId: pulumi.Output<string | undefined>;
  /** When the record was created, in the service's own format. Absent for an adopted record. */
  declare readonly createdAt: pulumi.Output<string | undefined>;

  /**
   * Grants credits, once for each value of `grant`; or adopts an existing record with `billingId`.
   *
   * @param name The resource's name, unique within the stack.
   * @param args The grant, and its workspace.
   * @param opts Pulumi's resource options. `import` can't be used: set `billingId`.
   */
  constructor(name: string, args: CustomerBillingArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration(facts, name, args, pulumi.mergeOptions(grantGuard(), opts)));
    settleAbsent(this, facts);
  }
}

/**
 * Resource options of a CustomerBilling that check, before each create and in previews too, whether state holds its
 * grant already (B6). For `--target-replace` and `pulumi state taint`, and for a renamed resource, the engine asks the
 * provider for a create as of a new resource. Only the stack's own state shows that the credits were granted.
 */
function grantGuard(): pulumi.CustomResourceOptions {
  // Unit tests with mocks have no stack, and could not register the hook.
  const stack = pulumi.runtime.getStackResource() as Guarded | undefined;
  if (stack === undefined) return {};
  // Kept on the stack: a process may run several programs, and a program may load several copies of this package.
  stack[guard] ??= { hook: openHook(), ready: functionsLoaded(stack) };
  const { hook, ready } = stack[guard];
  return { hooks: { beforeCreate: [hook] }, dependsOn: ready };
}

const guard = Symbol.for("pulumi-apikeys:grants");
type Guarded = pulumi.Resource & {
  [guard]?: { readonly hook: pulumi.ResourceHook; readonly ready: Promise<pulumi.Resource[]> };
};

/**
 * Makes the engine load its built-in provider before the resource is registered. After a run has failed, the engine no
 * longer loads it. The hook would then wait for the provider, and the engine for the hook.
 */
async function functionsLoaded(stack: pulumi.Resource): Promise<pulumi.Resource[]> {
  await pulumi.runtime.invoke("pulumi:pulumi:getResource", { urn: stack.urn }).catch(() => {});
  return [];
}

type Properties = Readonly<Record<string, unknown>>;
type State = Readonly<Record<pulumi.URN, { readonly type: string; readonly outputs: Properties }>>;

function openHook(): pulumi.ResourceHook {
  // The engine calls a hook outside the async context that connects an inline program to its engine.
  const inProgram = AsyncLocalStorage.snapshot();
  let state: Promise<State> | undefined;
  const refuse = async ({ urn, name, newInputs }: pulumi.ResourceHookArgs) => {
    // With secrets in plain text. `apply` would not run while a value is unknown.
    const inputs = await (pulumi.output(newInputs ?? {}) as unknown as Internals<Properties>).promise(true);
    // An existing record is adopted, which grants nothing.
    if (inputs["totalCredits"] === undefined) return;
    state ??= inProgram(readState);
    const of = `CustomerBilling "${name}"`;
    const held = await state.catch((error: unknown) => {
      const problem = `${of}: the state of the stack can't be read (${error instanceof Error ? error.message : error}). So it is not known whether this grant is already in state. Nothing was granted. Run \`pulumi up\` again.`;
      fail("APIKEYS2001", problem, "\n");
    });
    for (const [holder, { type: kind, outputs }] of Object.entries(held)) {
      if (!isTypeOf("CustomerBilling", kind)) continue;
      // In an update that moves the stack to the other host, state has its URN of before.
      const same = inOneHost(holder) === inOneHost(urn) ? ["grant"] : identity;
      if (same.some((field) => outputs[field] !== inputs[field])) continue;
      const problem = `${of}: this grant is already in state, and would be granted again. Nothing was granted. State has it as ${holder}. If the resource was renamed or moved, give it the option aliases. If something forces its replacement, such as --replace, a taint (\`pulumi state untaint\` removes it), replaceOnChanges, replaceWith or replacementTrigger, remove that. To grant again on purpose, or at another service, use another value of grant.`;
      fail("APIKEYS1004", problem, "\n");
    }
  };
  return new pulumi.ResourceHook("pulumi-apikeys:grants", refuse, { onDryRun: true });
}

async function readState(): Promise<State> {
  // All backends except Pulumi Cloud have this organization; some of them know stacks by name only.
  const isCloud = pulumi.getOrganization() !== "organization";
  const stackName = `${isCloud ? `${pulumi.getOrganization()}/${pulumi.getProject()}/` : ""}${pulumi.getStack()}`;
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
