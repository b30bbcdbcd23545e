/** Checks of the demo that it does not print. */
import { type Claim, claim } from "./claims";
import type { Stage } from "./stage";

/** Checks that the program's output `shopKey` is the secret of the service, without showing it. */
export async function outputsHoldTheSecret({ stack, key }: Stage): Promise<Claim> {
  const { shopKey } = await stack.outputs();
  return claim(
    "the output shopKey is a Pulumi secret, and equals the key's secret in the service",
    { secret: true, theSame: true },
    { secret: shopKey?.secret, theSame: shopKey?.value !== undefined && shopKey.value === key("shop")?.key },
  );
}

/** How many of the secrets a text contains. */
export function said(secrets: Iterable<string>, text: string): number {
  return [...secrets].filter((secret) => text.includes(secret)).length;
}

/** All resources in state, with secrets in plain text. Compare the result, never print it. */
export async function resources({ stack }: Stage): Promise<readonly unknown[]> {
  const { resources = [] } = await stack.exportState({ showSecrets: true });
  return resources.map(({ urn, id, inputs, outputs }) => ({ urn, id, inputs, outputs }));
}
