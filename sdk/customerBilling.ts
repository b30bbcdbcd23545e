import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/customerBilling";
import { grantGuard } from "./grantGuard";
import { isOfKind, type PropertiesOf, registration } from "./resource";

/** The inputs of a {@link CustomerBilling} (interface, section 4.12). */
export interface CustomerBillingArgs {
  /** The id of the workspace. Changing it fails the preview, because it would grant again. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The credits to grant, as a decimal string; "100" and "100.00" are the same. Changing them fails the preview,
   * because it would grant again. Required, unless `billingId` is set.
   *
   * @remarks
   * Can be a whole number too.
   */
  readonly totalCredits?: pulumi.Input<string | number | undefined>;
  /** Whether the customer may use more than the credits. Default: false. Changing it fails the preview. */
  readonly allowOverages?: pulumi.Input<boolean | undefined>;
  /**
   * The spend cap, as a decimal string. Default: none. Changing it fails the preview.
   *
   * @remarks
   * Can be a whole number too.
   */
  readonly spendCap?: pulumi.Input<string | number | undefined>;
  /** The id of a meter outside the service. Default: none. Changing it fails the preview. */
  readonly externalMeterId?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing record to adopt; nothing is granted. Can't be combined with `totalCredits`. Also set it if
   * the answer to a grant was lost and the credits were granted. The resource's own id then stays `uncertain-…`, and
   * the output `billingId` is the record's id.
   */
  readonly billingId?: pulumi.Input<string | undefined>;
  /**
   * Your name for this grant. Each change of it grants again, even if you go back to an earlier value. While state
   * holds the grant, nothing else grants again: a forced replacement, or a new resource name without the option
   * `aliases`, fails the preview. Default: "initial".
   */
  readonly grant?: pulumi.Input<string | undefined>;
}

const insteadOfImport = "Set billingId instead, which adopts the record.";

const properties: PropertiesOf<Shape> = {
  createdAt: "plain",
  workspaceId: "plain",
  totalCredits: "plain",
  allowOverages: "plain",
  spendCap: "plain",
  externalMeterId: "plain",
  billingId: "plain",
  grant: "plain",
};

/**
 * Credits granted to a customer. The service can only grant credits; it can't show, change or take back a grant. So the
 * provider sends one request for each value of `grant`, and never repeats it on its own. Changing the other inputs
 * fails the preview, unless `grant` changes too. Destroying the resource leaves the credits in the service.
 *
 * ```ts
 * new CustomerBilling("acme", { workspaceId: "ws_main", totalCredits: "1000" }, { protect: true });
 * ```
 */
export class CustomerBilling extends pulumi.CustomResource {
  /** Whether the value is a CustomerBilling, also one of another copy of this package. */
  static override isInstance(value: unknown): value is CustomerBilling {
    return isOfKind(value, "CustomerBilling");
  }

  /** The id of the billing record. Absent while it is not known whether the credits were granted. */
  declare readonly billingId: pulumi.Output<string | undefined>;
  /** When the record was created, in the service's own format. Absent for an adopted record. */
  declare readonly createdAt: pulumi.Output<string | undefined>;

  declare readonly workspaceId: pulumi.Output<string>;
  /** In canonical form: "100.00" is "100". */
  declare readonly totalCredits: pulumi.Output<string | undefined>;
  declare readonly allowOverages: pulumi.Output<boolean>;
  declare readonly spendCap: pulumi.Output<string | undefined>;
  declare readonly externalMeterId: pulumi.Output<string | undefined>;
  declare readonly grant: pulumi.Output<string>;

  /**
   * @param name The resource's name, unique within the stack.
   * @param args The grant, and its workspace.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, set `billingId` instead. We recommend `protect`.
   */
  constructor(name: string, args: CustomerBillingArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(
      ...registration(
        "CustomerBilling",
        name,
        args,
        { properties, insteadOfImport },
        pulumi.mergeOptions(grantGuard(), opts),
      ),
    );
  }
}
