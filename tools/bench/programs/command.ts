/** @pulumi/command with curl, as its documentation shows it: one command each to create, update and delete. */
import { createRequire } from "node:module";
import type * as pulumi from "@pulumi/pulumi";
import type { Program } from "../keys";

interface CommandArgs {
  readonly create: string;
  readonly update: string;
  readonly delete: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly triggers?: readonly unknown[];
}
interface CommandModule {
  readonly local: {
    readonly Command: new (
      name: string,
      args: CommandArgs,
      opts: pulumi.CustomResourceOptions,
    ) => pulumi.CustomResource;
  };
}

const curl = `curl --fail --silent --show-error -H "Authorization: Bearer $APIKEYS_ACCESS_TOKEN" -H "Content-Type: application/json"`;
const keys = `"$APIKEYS_BASE_URL/api/v1/workspace/$WORKSPACE/api-key`;
// The id of the key is in what create printed, which the plugin hands to the later commands.
const id = `$(printf %s "$PULUMI_COMMAND_STDOUT" | sed 's/.*"id":"\\(key_[^"]*\\)".*/\\1/')`;

export const single: Program = ({ keys: declared }) => {
  const { local } = createRequire(__filename)("@pulumi/command") as CommandModule;
  for (const { scopes, ...key } of declared) {
    const all = scopes.map((scope) => ({ create: false, update: false, del: false, ...scope }));
    new local.Command(
      key.name,
      {
        create: `${curl} -X POST "$APIKEYS_BASE_URL/api/v1/api-key" -d "$BODY"`,
        // What it prints becomes the output, and the next command's PULUMI_COMMAND_STDOUT: the key must stay in it.
        update: `${curl} -X PATCH ${keys}/${id}" -d "$CHANGE" > /dev/null && printf %s "$PULUMI_COMMAND_STDOUT"`,
        delete: `${curl} -X DELETE ${keys}/${id}"`,
        environment: {
          WORKSPACE: key.workspaceId,
          BODY: JSON.stringify({ ...key, scopes: all }),
          CHANGE: JSON.stringify({ name: key.name, enabled: key.enabled, scopes: all }),
        },
      },
      { additionalSecretOutputs: ["stdout"] },
    );
  }
};
