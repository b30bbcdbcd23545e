/** The same as floor.ts without computed outputs: what state costs that holds nothing but what was declared. */
import * as pulumi from "@pulumi/pulumi";
import type { DeclaredKey } from "../keys";

class Declared extends pulumi.CustomResource {
  constructor(key: DeclaredKey) {
    const __provider = 'exports.handler=()=>require("pulumi-nothing/dynamic").provider("NoOuts");';
    super("pulumi-nodejs:dynamic/apikeys:ApiKey", key.name, { ...key, __provider });
  }
}

export function declare(keys: readonly DeclaredKey[]): void {
  for (const key of keys) new Declared(key);
}
