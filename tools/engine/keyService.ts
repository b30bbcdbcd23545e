import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Environment } from "./command";

/** What a stack's secrets are encrypted with: `--secrets-provider`, and the variables that it needs. */
export interface KeyService {
  readonly provider: string;
  readonly env: Environment;
}

let started: Promise<KeyService> | undefined;

/**
 * A key service for the stacks of this process, which the CLI uses like HashiCorp Vault. With a passphrase, each command
 * would first derive the stack's key from it, which takes at least 0.2 s of CPU time.
 */
export function keyService(): Promise<KeyService> {
  started ??= start();
  return started;
}

async function start(): Promise<KeyService> {
  const server = createServer(async (request, response) => {
    const { plaintext, ciphertext } = (await json(request)) as Record<string, string | undefined>;
    // The CLI sends only the stack's own key, and keeps the answer in the stack's config.
    response.end(JSON.stringify({ data: { ciphertext: plaintext, plaintext: ciphertext } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { provider: "hashivault://stacks", env: { VAULT_SERVER_URL: `http://127.0.0.1:${port}` } };
}
