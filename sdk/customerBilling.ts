import * as pulumi from "@pulumi/pulumi";
import { grantGuard } from "./grantGuard";
import { registration } from "./resource";

/** What a {@link CustomerBilling} is declared with (interface, section 4.12). */
export interface CustomerBillingArgs {
  /** The id of the workspace. A change is refused, since it would grant again. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The credits to grant: a decimal number as text, or a whole number; "100" and "100.00" are the same. A change is
   * refused, since it would grant again. Required, unless `billingId` is given.
   */
  readonly totalCredits?: pulumi.Input<string | number | undefined>;
  /** Whether the customer may use more than the credits. Default: false. A change is refused. */
  readonly allowOverages?: pulumi.Input<boolean | undefined>;
  /** The spend cap of the record: a decimal number as text, or a whole number. Default: none. A change is refused. */
  readonly spendCap?: pulumi.Input<string | number | undefined>;
  /** The id of a meter outside the service. Default: none. A change is refused. */
  readonly externalMeterId?: pulumi.Input<string | undefined>;
  /**
   * The id of a record that exists already: nothing is granted, the resource stands for that record. Also the way out
   * where it was not known whether a grant was carried out: the resource's own id stays `uncertain-…` then, and the
   * output `billingId` is the record's. Not beside `totalCredits`.
   */
  readonly billingId?: pulumi.Input<string | undefined>;
  /**
   * A text of your own that names this grant. Each change to another value grants again, going back to an earlier one
   * too. Nothing else does while state holds the grant: a replacement that Pulumi is told to make, and a new name
   * without the option `aliases`, are refused. Default: "initial".
   */
  readonly grant?: pulumi.Input<string | undefined>;
}

const computed = ["createdAt"] as const;

const declared = [
  "workspaceId",
  "totalCredits",
  "allowOverages",
  "spendCap",
  "externalMeterId",
  "billingId",
  "grant",
] as const satisfies readonly (keyof CustomerBillingArgs)[];

/**
 * Credits granted to a customer. The service can only create such a record; it can't be read, changed or taken back.
 * So there is one request for each change of `grant`, never repeated by itself; a change of what was granted is
 * refused, unless `grant` changes too; and destroying the resource leaves the credits in the service.
 *
 * ```ts
 * new CustomerBilling("acme", { workspaceId: "ws_main", totalCredits: "1000" }, { protect: true });
 * ```
 */
export class CustomerBilling extends pulumi.CustomResource {
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
   * @param args What is granted, and where.
   * @param opts Pulumi's resource options. `import` is refused: give `billingId`. `protect` is advised.
   */
  constructor(name: string, args: CustomerBillingArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(
      ...registration(
        "CustomerBilling",
        name,
        args,
        { outputs: [...computed, ...declared], secrets: [] },
        pulumi.mergeOptions(grantGuard(), opts),
      ),
    );
  }
}
