import * as pulumi from "@pulumi/pulumi";
import { registration } from "./resource";

/** What {@link WorkspaceSettings} are declared with (interface, sections 2 and 4.8). At least one setting is needed. */
export interface WorkspaceSettingsArgs {
  /** The id of the workspace, which exists already. A change replaces the resource. */
  readonly workspaceId: pulumi.Input<string>;
  /** The prefix of new keys that have none of their own. Default: not managed. Changes in place. */
  readonly defaultKeyPrefix?: pulumi.Input<string | undefined>;
  /**
   * IP addresses and CIDR blocks from which keys may be used: a set, so order and spelling make no difference. An empty
   * list is a value. Default: not managed. Changes in place.
   */
  readonly defaultAllowedIPs?: pulumi.Input<readonly pulumi.Input<string>[] | undefined>;
  /** Requests a second for a key: a whole number. Default: not managed. Changes in place. */
  readonly defaultRateLimitPerSecond?: pulumi.Input<number | undefined>;
  /** The expiration of new keys: a whole number in the service's own unit. Default: not managed. Changes in place. */
  readonly defaultExpiration?: pulumi.Input<number | undefined>;
  /**
   * What destroying the resource does: "retain" leaves the settings as they are; "restore" puts back what held before
   * this resource managed them, for settings that had a value then and that nobody changed since. Default: "retain".
   */
  readonly onDestroy?: pulumi.Input<"retain" | "restore" | undefined>;
}

const computed = ["name", "teamId"] as const;

const declared = [
  "workspaceId",
  "defaultKeyPrefix",
  "defaultAllowedIPs",
  "defaultRateLimitPerSecond",
  "defaultExpiration",
  "onDestroy",
] as const satisfies readonly (keyof WorkspaceSettingsArgs)[];

/**
 * The defaults for keys of a workspace that exists already; one resource a workspace. Only declared settings are
 * managed; the others stay as they are. Its id is the workspace's.
 *
 * ```ts
 * new WorkspaceSettings("main", { workspaceId: "ws_main", defaultRateLimitPerSecond: 50 });
 * ```
 */
export class WorkspaceSettings extends pulumi.CustomResource {
  /** The workspace's name as of the last write. */
  declare readonly name: pulumi.Output<string | undefined>;
  /** The id of the team that the workspace belongs to, as of the last write. */
  declare readonly teamId: pulumi.Output<string | undefined>;

  declare readonly workspaceId: pulumi.Output<string>;
  declare readonly defaultKeyPrefix: pulumi.Output<string | undefined>;
  /** In canonical form: sorted, each address spelled one way. */
  declare readonly defaultAllowedIPs: pulumi.Output<string[] | undefined>;
  declare readonly defaultRateLimitPerSecond: pulumi.Output<number | undefined>;
  declare readonly defaultExpiration: pulumi.Output<number | undefined>;
  declare readonly onDestroy: pulumi.Output<"retain" | "restore">;

  /**
   * @param name The resource's name, unique within the stack.
   * @param args Which workspace, and what its defaults are to be.
   * @param opts Pulumi's resource options. `import` is refused: declaring the settings adopts the workspace.
   */
  constructor(name: string, args: WorkspaceSettingsArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(
      ...registration(
        "WorkspaceSettings",
        name,
        args,
        { outputs: [...computed, ...declared], secrets: [] },
        opts,
      ),
    );
  }
}
