/** What the demo looks at without showing it. */
import { type Claim, claim } from "./claims";
import type { Stage } from "./stage";

/** The program's output `shopKey` is what the service made; only that it is, not what it is. */
export async function outputsHoldTheSecret({ stack, key }: Stage): Promise<Claim> {
  const { shopKey } = await stack.outputs();
  return claim(
    "the output shopKey is a secret, and the one that the service made",
    { secret: true, theSame: true },
    { secret: shopKey?.secret, theSame: shopKey?.value !== undefined && shopKey.value === key("shop")?.key },
  );
}

/** How many of the secrets stand in a text. */
export function said(secrets: Iterable<string>, text: string): number {
  return [...secrets].filter((secret) => text.includes(secret)).length;
}

/** All that state holds of the resources, secrets in plain text: to be compared, never to be printed. */
export async function resources({ stack }: Stage): Promise<readonly unknown[]> {
  const { resources = [] } = await stack.exportState({ showSecrets: true });
  return resources.map(({ urn, id, inputs, outputs }) => ({ urn, id, inputs, outputs }));
}
