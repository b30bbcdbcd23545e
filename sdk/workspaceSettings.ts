import * as pulumi from "@pulumi/pulumi";
import { type Facts, isA, type Outputs, registration, settleAbsent } from "./resource";

/** The inputs of {@link WorkspaceSettings}. A setting that you remove stays as it is, and destroy no longer restores it. */
export interface WorkspaceSettingsArgs {
  /** The id of the workspace, which must exist already. Changing it replaces the resource. */
  readonly workspaceId: pulumi.Input<string>;
  /** The prefix of new keys that set none. Default: not managed. Changing it updates the workspace in place. */
  readonly defaultKeyPrefix?: pulumi.Input<string | undefined>;
  /**
   * The IP addresses and CIDR blocks that keys may be used from, as a set: their order and spelling make no difference.
   * An empty list is a value. Default: not managed. It is changed in place.
   */
  readonly defaultAllowedIPs?: pulumi.Input<readonly pulumi.Input<string>[] | undefined>;
  /** How many requests per second a key may send: a whole number. Default: not managed. It is changed in place. */
  readonly defaultRateLimitPerSecond?: pulumi.Input<number | undefined>;
  /** The expiration of new keys in the service's own unit: a whole number. Default: not managed. It is changed in place. */
  readonly defaultExpiration?: pulumi.Input<number | undefined>;
  /**
   * The effect of destroy on the settings. "retain" leaves them as they are. "restore" puts back the values from before
   * this resource managed them, for each setting that had a value then. Default: "retain". Changing it changes no
   * setting. If a value can't be confirmed as restored, destroy fails and state keeps the resource.
   */
  readonly onDestroy?: pulumi.Input<"retain" | "restore" | undefined>;
}

const facts: Facts = {
  kind: "WorkspaceSettings",
  properties: [
    "name",
    "teamId",
    "workspaceId",
    "defaultKeyPrefix",
    "defaultAllowedIPs",
    "defaultRateLimitPerSecond",
    "defaultExpiration",
    "onDestroy",
  ],
};

interface SettingValues {
  readonly defaultAllowedIPs: string[] | undefined;
  readonly onDestroy: "retain" | "restore";
}
export interface WorkspaceSettings extends Outputs<WorkspaceSettingsArgs, SettingValues> {}

/**
 * The defaults that an existing workspace has for its keys. Only the settings that you declare are managed. Declare one
 * resource for each workspace: a second one in the same program fails the preview. The resource's id is the workspace's
 * id. Destroy leaves the settings as they are, unless `onDestroy` is "restore".
 *
 * @example
 * ```ts
 * import { WorkspaceSettings } from "pulumi-apikeys";
 *
 * new WorkspaceSettings("main", { workspaceId: "ws_main", defaultRateLimitPerSecond: 50 });
 * ```
 *
 * @see docs/workspace-settings.md
 */
export class WorkspaceSettings extends pulumi.CustomResource {
  /** Returns true if the value is a WorkspaceSettings, even one of another copy of this package. */
  static override readonly isInstance = isA<WorkspaceSettings>("WorkspaceSettings");

  /** The workspace's name, as of the create or the last refresh. Absent if the service does not return it. */
  declare readonly name: pulumi.Output<string | undefined>;
  /** The id of the workspace's team, as of the create or the last refresh. Absent if the service does not return it. */
  declare readonly teamId: pulumi.Output<string | undefined>;

  /**
   * Manages the settings that you declare. Destroy leaves them as they are, unless `onDestroy` is "restore".
   *
   * @param name The resource's name, unique within the stack.
   * @param args The workspace and its defaults.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, declare the settings.
   */
  constructor(name: string, args: WorkspaceSettingsArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration(facts, name, args, opts));
    settleAbsent(this, facts);
  }

  /**
   * Reads the settings of a workspace that this stack does not manage, at each preview and update. The result has all
   * settings that have a value. If the workspace can't be read, the preview fails. Destroy leaves the settings as they are.
   *
   * @param name The resource's name, unique within the stack.
   * @param id The workspace's id.
   * @param opts Pulumi's resource options.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts: pulumi.CustomResourceOptions = {},
  ): WorkspaceSettings {
    return new WorkspaceSettings(name, {} as WorkspaceSettingsArgs, { ...opts, id });
  }
}
