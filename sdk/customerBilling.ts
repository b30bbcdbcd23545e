import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/customerBilling";
import { grantGuard } from "./grantGuard";
import { type Facts, isOfKind, type Outputs, registration, settleAbsent } from "./resource";

/**
 * The inputs of a {@link CustomerBilling}. An input that fails the preview on change can change together with `grant`,
 * which grants again. While `billingId` is set, nothing is granted, and changing any other input changes only state.
 *
 * @see docs/customer-billing.md
 */
export interface CustomerBillingArgs {
  /** The id of the workspace. Changing it fails the preview, because it would grant again. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The credits to grant, as a decimal string: "100" and "100.00" are the same. Required, unless `billingId` is set.
   * Changing them fails the preview, because it would grant again.
   *
   * @remarks
   * Can be a whole number too.
   */
  readonly totalCredits?: pulumi.Input<string | number | undefined>;
  /**
   * Whether the customer may use more than the credits. Default: false. Changing it fails the preview, because it would
   * grant again.
   */
  readonly allowOverages?: pulumi.Input<boolean | undefined>;
  /**
   * The spend cap, as a decimal string. Default: none. Changing it fails the preview, because it would grant again.
   *
   * @remarks
   * Can be a whole number too.
   */
  readonly spendCap?: pulumi.Input<string | number | undefined>;
  /**
   * The id of a meter outside the service. Default: none. Changing it fails the preview, because it would grant again.
   */
  readonly externalMeterId?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing record to adopt, instead of granting credits. Can't be combined with `totalCredits`. Default:
   * none. Nothing is granted, and the id is not checked; an empty string fails the preview. While it is set, changing any
   * other input changes only state. Changing it keeps the resource's own id. Also set it if the answer to a grant was
   * lost and the service has granted the credits.
   */
  readonly billingId?: pulumi.Input<string | undefined>;
  /**
   * Your name for this grant, never sent to the service. Default: "initial". Each change grants the credits again, even
   * if you go back to an earlier value. While state has the grant, nothing else grants again: a forced replacement, or
   * a new resource name without the option `aliases`, fails the preview.
   */
  readonly grant?: pulumi.Input<string | undefined>;
}

const facts: Facts<Shape> = {
  kind: "CustomerBilling",
  isGuarded: true,
  insteadOfImport: "Set billingId instead, which adopts the record.",
  properties: {
    createdAt: "plain",
    workspaceId: "plain",
    totalCredits: "plain",
    allowOverages: "plain",
    spendCap: "plain",
    externalMeterId: "plain",
    billingId: "plain",
    grant: "plain",
  },
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
 * in the service. Use the option `protect`, because a record that is removed and declared again grants the credits again.
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
  static override isInstance(value: unknown): value is CustomerBilling {
    return isOfKind(value, facts.kind);
  }

  /**
   * The id of the billing record. Absent while it is not known whether the credits were granted. After a lost answer,
   * the resource's own id stays `uncertain-…`, and this output is the record's id.
   */
  declare readonly billingId: pulumi.Output<string | undefined>;
  /** When the record was created, in the service's own format. Absent for an adopted record. */
  declare readonly createdAt: pulumi.Output<string | undefined>;

  /**
   * Grants credits, once for each value of `grant`; or adopts an existing record with `billingId`. Destroy only removes
   * the record from state, and declaring it again grants again: use the option `protect`.
   *
   * @param name The resource's name, unique within the stack.
   * @param args The grant, and its workspace.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, set `billingId`.
   */
  constructor(name: string, args: CustomerBillingArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration(facts, name, args, pulumi.mergeOptions(grantGuard(), opts)));
    settleAbsent(this, facts, args);
  }
}
