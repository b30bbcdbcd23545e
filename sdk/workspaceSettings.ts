import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/workspaceSettings/properties";
import { isOfKind, type PropertiesOf, registration } from "./resource";

/** The inputs of {@link WorkspaceSettings} (interface, sections 2 and 4.8). Declare at least one setting. */
export interface WorkspaceSettingsArgs {
  /** The id of the workspace, which must exist already. Changing it replaces the resource. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The prefix of new keys that have none of their own. Default: not managed. Changing it updates the workspace in
   * place.
   */
  readonly defaultKeyPrefix?: pulumi.Input<string | undefined>;
  /**
   * IP addresses and CIDR blocks that keys may be used from. A set: order and spelling make no difference. An empty
   * list is a value. Default: not managed. Changing it updates the workspace in place.
   */
  readonly defaultAllowedIPs?: pulumi.Input<readonly pulumi.Input<string>[] | undefined>;
  /**
   * Requests per second for a key: a whole number. Default: not managed. Changing it updates the workspace in place.
   */
  readonly defaultRateLimitPerSecond?: pulumi.Input<number | undefined>;
  /**
   * The expiration of new keys: a whole number in the service's own unit. Default: not managed. Changing it updates the
   * workspace in place.
   */
  readonly defaultExpiration?: pulumi.Input<number | undefined>;
  /**
   * What destroy does. "retain" leaves the settings as they are. "restore" puts back the values from before this
   * resource managed the settings, for settings that had a value then and were not changed outside Pulumi since.
   * Default: "retain".
   */
  readonly onDestroy?: pulumi.Input<"retain" | "restore" | undefined>;
}

const insteadOfImport = "Declare the settings without it: the workspace exists already.";

const properties: PropertiesOf<Shape> = {
  name: "plain",
  teamId: "plain",
  workspaceId: "plain",
  defaultKeyPrefix: "plain",
  defaultAllowedIPs: "plain",
  defaultRateLimitPerSecond: "plain",
  defaultExpiration: "plain",
  onDestroy: "plain",
};

/**
 * The defaults that an existing workspace has for its keys. Declare one resource per workspace. Only declared settings
 * are managed; the others stay as they are. The resource's id is the workspace's id.
 *
 * ```ts
 * new WorkspaceSettings("main", { workspaceId: "ws_main", defaultRateLimitPerSecond: 50 });
 * ```
 */
export class WorkspaceSettings extends pulumi.CustomResource {
  /** Whether the value is a WorkspaceSettings, also one of another copy of this package. */
  static override isInstance(value: unknown): value is WorkspaceSettings {
    return isOfKind(value, "WorkspaceSettings");
  }

  /** The workspace's name, as of this stack's last write. */
  declare readonly name: pulumi.Output<string | undefined>;
  /** The id of the team that the workspace belongs to, as of this stack's last write. */
  declare readonly teamId: pulumi.Output<string | undefined>;

  declare readonly workspaceId: pulumi.Output<string>;
  declare readonly defaultKeyPrefix: pulumi.Output<string | undefined>;
  /** In canonical form: sorted, each address in one spelling. */
  declare readonly defaultAllowedIPs: pulumi.Output<string[] | undefined>;
  declare readonly defaultRateLimitPerSecond: pulumi.Output<number | undefined>;
  declare readonly defaultExpiration: pulumi.Output<number | undefined>;
  declare readonly onDestroy: pulumi.Output<"retain" | "restore">;

  /**
   * @param name The resource's name, unique within the stack.
   * @param args The workspace and its defaults.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, declare the settings.
   */
  constructor(name: string, args: WorkspaceSettingsArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration("WorkspaceSettings", name, args, { properties, insteadOfImport }, opts));
  }
}
