import * as pulumi from "@pulumi/pulumi";
import { type Facts, isA, type Outputs, registration, settleAbsent } from "./resource";

/** The inputs of a {@link Scope}. */
export interface ScopeArgs {
  /** The id of the workspace. Changing it creates another scope; the old one stays in the service. */
  readonly workspaceId: pulumi.Input<string>;
  /** The scope's name. Default: the resource's name. The service can't change it, so changing it alone fails the preview. */
  readonly name?: pulumi.Input<string | undefined>;
  /** The string by which keys refer to the scope, unique within the workspace. Changing it creates another scope. */
  readonly representation: pulumi.Input<string>;
  /** The scope's description. Default: empty. The service can't change it, so changing it alone fails the preview. */
  readonly description?: pulumi.Input<string | undefined>;
}

const facts: Facts = {
  kind: "Scope",
  properties: ["createdAt", "updatedAt", "workspaceId", "name", "representation", "description"],
};

export interface Scope extends Outputs<ScopeArgs, Record<"name", string>> {}

/**
 * A scope that a workspace defines. The service can create scopes, but it can't change or delete them. If the workspace
 * has the scope already, with the same name and description, the resource adopts it; if they differ, the update fails.
 * Destroy removes the scope from state and leaves it in the service.
 *
 * @example
 * ```ts
 * import { Scope } from "pulumi-apikeys";
 *
 * new Scope("orders", { workspaceId: "ws_main", name: "Orders", representation: "orders" });
 * ```
 *
 * @see docs/scope.md
 */
export class Scope extends pulumi.CustomResource {
  /** Returns true if the value is a Scope, even one of another copy of this package. */
  static override readonly isInstance = isA<Scope>("Scope");

  /** When the scope was created, in the service's own format. Absent if the service does not return it. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the scope was last changed, as of its create or adoption. Absent if the service does not return it. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;

  /**
   * Creates a scope, or adopts the scope that the workspace has already. Destroy only removes it from state.
   *
   * @param name The resource's name, unique within the stack.
   * @param args The scope's inputs.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, declaring the same scope adopts it.
   */
  constructor(name: string, args: ScopeArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration(facts, name, args, opts));
    settleAbsent(this, facts);
  }

  /**
   * Reads a scope that this stack does not manage, at each preview and update. If the workspace has no such scope, reading
   * it fails. Destroy leaves the scope in the service.
   *
   * @param name The resource's name, unique within the stack.
   * @param id The scope's representation or its id; the output `id` is its id.
   * @param state The workspace that defines the scope.
   * @param opts Pulumi's resource options.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state: Pick<ScopeArgs, "workspaceId">,
    opts: pulumi.CustomResourceOptions = {},
  ): Scope {
    return new Scope(name, state as ScopeArgs, { ...opts, id });
  }
}
