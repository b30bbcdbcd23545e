import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as api from "./api";
import { answer, callTo, errorOf, keyAnswer, keyPath, newKey, token, wireServer } from "./calls";

const client = join(__dirname, "../../provider/client");

/** Runs a program that uses the client in a new process, until it ends by itself. */
async function run(program: string, env: NodeJS.ProcessEnv = {}) {
  const code = `
    const api = require(${JSON.stringify(join(__dirname, "api.ts"))});
    const { openTransport } = require(${JSON.stringify(join(client, "send.ts"))});
    const loaded = () => Object.keys(require.cache).flatMap((name) => name.split("/undici/").slice(1));
    const callTo = (baseUrl) => ({ transport: openTransport(), credentials: { baseUrl, accessToken: ${JSON.stringify(token)} } });
    (async () => { ${program} })();`;
  const child = spawn(process.execPath, ["--import", "tsx", "--eval", code], {
    env: { ...process.env, HTTP_PROXY: "", HTTPS_PROXY: "", ...env },
    cwd: join(__dirname, "../.."),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const [status] = await once(child, "close");
  return { status, output, errors };
}

test("a process that uses the client ends by itself after its work, even if connections stay open and calls failed", async () => {
  const server = await wireServer(({ method, n }) =>
    n === 6
      ? answer(429, "", "retry-after: 9999")
      : answer(200, method === "POST" ? { billing: { id: "b" } } : keyAnswer, "keep-alive: timeout=600"),
  );
  const result = await run(`
    const call = callTo(${JSON.stringify(server.url)});
    const path = { workspaceId: "w", keyId: "k" };
    await Promise.all([1, 2, 3, 4].map(() => api.readApiKey(call, path)));
    await api.createBilling(call, {});
    for (const one of [call, call, callTo("http://127.0.0.1:1")]) {
      const error = await api.createApiKey(one, {}).catch((error) => error);
      process.stdout.write(error.verdict + " ");
    }`);
  expect(result).toEqual({ status: 0, output: "refused notSent notSent ", errors: "" });
  expect(server.requests).toHaveLength(6);
});

test("a process that uses the client loads only the agent of the HTTP library, with its first request, and writes debug lines to stderr", async () => {
  const server = await wireServer(() => answer(200, { workspaces: [] }));
  const result = await run(
    `
    const call = callTo(${JSON.stringify(server.url)});
    await api.readWorkspace(call, { workspaceId: "" }).catch(() => {});
    const before = loaded();
    await api.listWorkspaces(call);
    process.stdout.write(JSON.stringify([before, loaded()]));`,
    { APIKEYS_DEBUG: "1" },
  );
  const [before, after]: string[][] = JSON.parse(result.output);
  expect(before).toEqual([]);
  expect(after).toContain("lib/dispatcher/agent.js");
  expect(after).not.toContain("index.js");
  expect(result.errors).toMatch(/^apikeys: GET \/api\/v1\/workspace 200 attempt 1 \d+ ms\n$/);
});

const certificate = join(__dirname, "localhost.pem");
const calls = (url: string) => `
  const call = callTo(${JSON.stringify(url)});
  const path = { workspaceId: "w", keyId: "k" };
  for (const request of [() => api.readApiKey(call, path), () => api.createBilling(call, {})]) {
    const { verdict = "done" } = await request().catch((error) => error);
    process.stdout.write(verdict + " ");
  }`;

async function tlsServer() {
  const requests: string[] = [];
  const pem = readFileSync(certificate);
  const server = createSecureServer({ key: pem, cert: pem, allowHTTP1: true }, (request, response) => {
    requests.push(`${request.method} ${request.httpVersion}`);
    response.writeContinue();
    response.end(JSON.stringify({ ...keyAnswer, billing: { id: "b" } }));
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, requests };
}

test("a service with TLS gets every request over HTTP/1.1, credits too, although it offers HTTP/2, and may send 100 Continue", async () => {
  const { url, requests } = await tlsServer();
  const { output, errors } = await run(calls(url), { NODE_EXTRA_CA_CERTS: certificate });
  expect([output, errors]).toEqual(["done done ", ""]);
  expect(requests).toEqual(["GET 1.1", "POST 1.1"]);
});

test("a service with a certificate of an unknown authority gets nothing, and the calls fail as notSent", async () => {
  const { url, requests } = await tlsServer();
  const { output } = await run(calls(url), { NODE_EXTRA_CA_CERTS: "" });
  expect(output).toBe("notSent notSent ");
  expect(requests).toEqual([]);
});

test("APIKEYS_DEBUG=1 prints one line for each request: method, path without secrets, status or failure, attempt, milliseconds", async () => {
  const lines: string[] = [];
  const server = await wireServer(({ n }, socket) => {
    if (n === 1) return void socket.resetAndDestroy();
    if (n === 2) return answer(503);
    return n === 3 ? answer(200, keyAnswer) : answer(403, { message: "no" });
  });
  const call = callTo(`${server.url}/pre`, { log: (line) => lines.push(line) });
  await api.readApiKey(call, { workspaceId: "w/1", keyId: "k" });
  await errorOf(api.createApiKey(call, newKey));
  await errorOf(
    api.readApiKey({ ...call, secrets: ["ws_secret"] }, { ...keyPath, workspaceId: "ws_secret" }),
  );
  const target = "GET /pre/api/v1/workspace/w%2F1/api-key/k";
  expect(lines.map((line) => line.replace(/\d+ ms$/, "N ms"))).toEqual([
    `apikeys: ${target} failed (the connection was reset) attempt 1 N ms`,
    `apikeys: ${target} 503 attempt 2 N ms`,
    `apikeys: ${target} 200 attempt 3 N ms`,
    "apikeys: POST /pre/api/v1/api-key 403 attempt 1 N ms",
    "apikeys: GET /pre/api/v1/workspace/[secret]/api-key/k 403 attempt 1 N ms",
  ]);
});

test("a closed transport sends nothing more", async () => {
  const server = await wireServer(() => answer(200, keyAnswer));
  const call = callTo(server.url);
  await api.readApiKey(call, keyPath);
  await call.transport.close();
  for (const again of [api.readApiKey(call, keyPath), api.createBilling(call, {} as never)]) {
    expect((await errorOf(again)).message).toBe("nothing more was sent, because the client was closed");
  }
  expect(server.requests).toHaveLength(1);
});
