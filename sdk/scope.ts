import * as pulumi from "@pulumi/pulumi";
import { registration } from "./resource";

/** What a {@link Scope} is declared with (interface, section 4.11). */
export interface ScopeArgs {
  /** The id of the workspace. A change makes another scope. */
  readonly workspaceId: pulumi.Input<string>;
  /** The scope's name. The service can't change it: a change is refused, unless another scope is made. */
  readonly name: pulumi.Input<string>;
  /** The text by which keys' scopes name it, unique within the workspace. A change makes another scope. */
  readonly representation: pulumi.Input<string>;
  /** What it is for. Default: "". The service can't change it: a change is refused, unless another scope is made. */
  readonly description?: pulumi.Input<string | undefined>;
}

const computed = ["createdAt", "updatedAt"] as const;

const declared = [
  "workspaceId",
  "name",
  "representation",
  "description",
] as const satisfies readonly (keyof ScopeArgs)[];

/**
 * A scope of a workspace. The service can create scopes, but neither change nor delete them: one that is there already
 * and says the same is adopted, and destroying the resource leaves the scope in the service.
 *
 * ```ts
 * const orders = new Scope("orders", { workspaceId: "ws_main", name: "Orders", representation: "orders" });
 * ```
 */
export class Scope extends pulumi.CustomResource {
  /** When the scope was created, in the service's own format. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the scope was last changed as of its creation or adoption here, in the service's own format. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;

  declare readonly workspaceId: pulumi.Output<string>;
  declare readonly name: pulumi.Output<string>;
  declare readonly representation: pulumi.Output<string>;
  declare readonly description: pulumi.Output<string | undefined>;

  /**
   * @param name The resource's name, unique within the stack; not the scope's name.
   * @param args What the scope is.
   * @param opts Pulumi's resource options. `import` is refused: declaring an equal scope adopts it.
   */
  constructor(name: string, args: ScopeArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration("Scope", name, args, { outputs: [...computed, ...declared], secrets: [] }, opts));
  }
}
