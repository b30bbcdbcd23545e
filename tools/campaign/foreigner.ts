import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Another origin, to which a redirect may lead, and which nobody should ever visit. */
export interface Foreigner {
  urlFor(seed: number): string;
  visits(seed: number): number;
  close(): Promise<void>;
}

export async function openForeigner(): Promise<Foreigner> {
  const visits = new Map<string, number>();
  const server = createServer(({ url = "" }, response) => {
    const seed = url.split("/")[1] ?? "";
    visits.set(seed, (visits.get(seed) ?? 0) + 1);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    urlFor: (seed) => `http://127.0.0.1:${port}/${seed}/api/v1`,
    visits: (seed) => visits.get(String(seed)) ?? 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
