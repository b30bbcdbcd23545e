import * as pulumi from "@pulumi/pulumi";
import { type Host, prefixes } from "./types";

/** State holds packages too, so they can never change. */
const packages: Readonly<Record<Host, string>> = { dynamic: "pulumi-nodejs", plugin: "apikeys" };

/** The host that stack config chooses for all resources of the program. */
export function chosenHost(): Host {
  const host = new pulumi.Config("apikeys").get("host") ?? "dynamic";
  if (host === "dynamic" || host === "plugin") return host;
  throw new pulumi.RunError(
    `Stack config apikeys:host is ${JSON.stringify(host)}. Set it to "plugin", or to "dynamic", which is the default.`,
  );
}

/** The type of a kind's resources, and options with the other host's type as an alias, so that a stack can move. */
export function asResource<Options extends pulumi.ResourceOptions>(
  kind: string,
  opts: Options,
): [type: string, opts: Options] {
  const [host, former] = chosenAndFormer();
  return [prefixes[host] + kind, moving(opts, prefixes[host] + kind, prefixes[former] + kind)];
}

/** The same for an explicit Provider, with its package instead of the type. */
export function asProvider(opts: pulumi.ResourceOptions): [pkg: string, opts: pulumi.ResourceOptions] {
  const [host, former] = chosenAndFormer();
  const [own, other] = [host, former].map((of) => `pulumi:providers:${packages[of]}`) as [string, string];
  return [packages[host], moving(opts, own, other)];
}

function chosenAndFormer(): [host: Host, former: Host] {
  return chosenHost() === "plugin" ? ["plugin", "dynamic"] : ["dynamic", "plugin"];
}

/** A resource may be renamed in the update that moves it, so each alias is also given with the other type. */
function moving<Options extends pulumi.ResourceOptions>(opts: Options, own: string, type: string): Options {
  const given = opts.aliases ?? [];
  const moved = given.map((alias) =>
    pulumi
      .output(alias)
      .apply((known) => (typeof known === "string" ? known.replaceAll(own, type) : { type, ...known })),
  );
  return { ...opts, aliases: [...given, { type }, ...moved] };
}
