import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import * as http2 from "node:http2";
import * as https from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { explain } from "../../provider/core/errors";
import * as api from "./api";
import { callTo, errorOf, keyPath, newBilling, newKey } from "./calls";

const pem = readFileSync(join(__dirname, "localhost.pem"));
const tls = { key: pem, cert: pem };

/** Listens on a port, which this returns. */
async function portOf(server: Server): Promise<number> {
  server.listen(0, "localhost");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The words of the error of a GET of a key, and how its message ends for the user. */
async function errorAt(baseUrl: string) {
  const error = await errorOf(api.readApiKey(callTo(baseUrl), keyPath));
  const setup = { tokenAdvice: "", baseUrlSource: baseUrl };
  const { message } = explain(error, { setup }, { doing: "Reading", advice: "Check the token" });
  return { ...error, says: error.message, last: message.split("\n").at(-1) };
}

test("a server whose certificate is of a private authority is an error that names NODE_EXTRA_CA_CERTS", async () => {
  const port = await portOf(https.createServer(tls));
  const { verdict, says, last } = await errorAt(`https://localhost:${port}`);
  expect([verdict, last]).toEqual(["notSent", "State is unchanged."]);
  expect(says).toMatch(/\(DEPTH_ZERO_SELF_SIGNED_CERT\): .* set NODE_EXTRA_CA_CERTS to a file/);
});

test.each([
  ["with TLS", "https", () => http2.createSecureServer(tls)],
  ["without TLS", "http", () => http2.createServer()],
] as const)(
  "a server that speaks only HTTP/2, %s, is an error that names HTTP/1.1",
  async (_, scheme, open) => {
    const port = await portOf(open() as unknown as Server);
    // Its certificate would not matter: the handshake fails before.
    const { says, last } = await errorAt(`${scheme}://localhost:${port}`);
    expect(says).toMatch(/^the server does not answer in HTTP\/1\.1.*: enable that, or check the base URL$/);
    expect(last).toBe("State is unchanged.");
  },
);

test("a proxy that wants a login is an error that names it, and credits that it refuses were not granted", async () => {
  let requests = 0;
  const proxy = createServer((_, response) => {
    requests += 1;
    response.writeHead(407, { "proxy-authenticate": "Basic" }).end("<p>who are you?</p>");
  });
  proxy.on("connect", (_, socket) => void socket.end("HTTP/1.1 407 X\r\nproxy-authenticate: Basic\r\n\r\n"));
  const port = await portOf(proxy);
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY"]) vi.stubEnv(name, `http://localhost:${port}`);
  for (const name of ["http_proxy", "https_proxy", "no_proxy", "NO_PROXY"]) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const login = "HTTP_PROXY or HTTPS_PROXY needs the proxy's login: http://user:password@host:port";
  const connected = await errorAt("https://service.invalid");
  expect(connected).toMatchObject({ verdict: "notSent", last: "State is unchanged." });
  expect(connected.says).toBe(`the proxy answered 407: ${login}`);
  const passed = await errorAt("http://service.invalid");
  expect(passed).toMatchObject({ verdict: "refused", status: 407, last: "State is unchanged." });
  expect(passed.says).toBe(`the service answered 407 "${login}"`);
  requests = 0;
  const call = callTo("http://service.invalid");
  for (const write of [api.createBilling(call, newBilling), api.createApiKey(call, newKey)])
    expect((await errorOf(write)).verdict).toBe("refused");
  expect(requests).toBe(2);
});
