import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/scope";
import { isOfKind, type PropertiesOf, registration } from "./resource";

/** The inputs of a {@link Scope} (interface, section 4.11). */
export interface ScopeArgs {
  /** The id of the workspace. Changing it creates another scope. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The scope's name. The service can't change it, so changing it fails the preview, unless another scope is created.
   */
  readonly name: pulumi.Input<string>;
  /** The string by which keys refer to the scope, unique within the workspace. Changing it creates another scope. */
  readonly representation: pulumi.Input<string>;
  /**
   * What the scope is for. Default: "". The service can't change it, so changing it fails the preview, unless another
   * scope is created.
   */
  readonly description?: pulumi.Input<string | undefined>;
}

const insteadOfImport =
  "Declare the scope without it, with the name and description that it has in the service, which adopts it.";

const properties: PropertiesOf<Shape> = {
  createdAt: "plain",
  updatedAt: "plain",
  workspaceId: "plain",
  name: "plain",
  representation: "plain",
  description: "plain",
};

/**
 * A scope of a workspace. The service can create scopes, but can't change or delete them. An existing scope with the
 * same name and description is adopted, and destroying the resource leaves the scope in the service.
 *
 * ```ts
 * const orders = new Scope("orders", { workspaceId: "ws_main", name: "Orders", representation: "orders" });
 * ```
 */
export class Scope extends pulumi.CustomResource {
  /** Whether the value is a Scope, also one of another copy of this package. */
  static override isInstance(value: unknown): value is Scope {
    return isOfKind(value, "Scope");
  }

  /** When the scope was created, in the service's own format. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the scope was last changed, as of when this resource created or adopted it, in the service's own format. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;

  declare readonly workspaceId: pulumi.Output<string>;
  declare readonly name: pulumi.Output<string>;
  declare readonly representation: pulumi.Output<string>;
  declare readonly description: pulumi.Output<string | undefined>;

  /**
   * @param name The resource's name, unique within the stack. Not the scope's name.
   * @param args The scope's inputs.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, declaring the same scope adopts it.
   */
  constructor(name: string, args: ScopeArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration("Scope", name, args, { properties, insteadOfImport }, opts));
  }
}
