import { expect, test } from "vitest";
import { usualLimits } from "../../provider/client/send";
import { mostBytes } from "../../provider/client/wire";
import * as api from "./api";
import { answer, callTo, errorOf, keyAnswer, keyPath, newBilling, newKey, wireServer } from "./calls";

test("connections are kept and reused, even for the POST of a key", async () => {
  const server = await wireServer(() => answer(200, keyAnswer));
  const call = callTo(server.url);
  await api.readApiKey(call, keyPath);
  await api.createApiKey(call, newKey);
  await api.deleteApiKey(call, keyPath);
  expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
});

test("connections are opened for each POST of credits, and closed after it", async () => {
  const server = await wireServer(({ method }) =>
    answer(200, method === "POST" ? { billing: { id: "b" } } : keyAnswer),
  );
  const call = callTo(server.url);
  await api.readApiKey(call, keyPath);
  await api.createBilling(call, newBilling);
  await api.createBilling(call, newBilling);
  await api.readApiKey(call, keyPath);
  expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2, 3, 1]);
  await expect.poll(() => server.sockets.size).toBe(1);
});

test("connections are not reused after the service has closed them between two requests, and no call fails", async () => {
  const server = await wireServer(({ method }, socket) => {
    socket.end(answer(200, method === "POST" ? keyAnswer : { workspaces: [] }));
    return undefined;
  });
  const call = callTo(server.url);
  for (let n = 0; n < 20; n += 1) {
    await api.listWorkspaces(call);
    await expect.poll(() => server.sockets.size).toBe(0);
    expect((await api.createApiKey(call, newKey)).record?.id).toBe("k");
    await expect.poll(() => server.sockets.size).toBe(0);
  }
  expect(server.requests).toHaveLength(40);
});

const short = { connectMs: 2_000, headersMs: 500, exchangeMs: 3_000 };

test("an answer of 5 MB is read, and one above the limit is cut off", async () => {
  const apiKeys = Array.from({ length: 20_000 }, (_, n) => ({ id: `key_${n}`, name: "x".repeat(250) }));
  const server = await wireServer((_request, socket) => {
    if (server.requests.length === 1) return answer(200, { apiKeys });
    socket.write(`HTTP/1.1 200 X\r\ncontent-length: ${mostBytes + 1}\r\n\r\n`);
    for (let n = 0; n <= 64; n += 1) socket.write(" ".repeat(1_024 ** 2));
    return undefined;
  });
  const call = callTo(server.url);
  expect((await api.listApiKeys(call, keyPath)).all).toHaveLength(20_000);
  const { record, problem } = await api.deleteApiKey(call, keyPath);
  expect([record, problem]).toEqual([undefined, "the answer was cut off, or took too long"]);
  await expect.poll(() => server.sockets.size).toBe(0);
});

test("a request without an answer fails after a while", async () => {
  const server = await wireServer(() => undefined);
  const call = callTo(server.url, { timeOuts: short });
  const error = await errorOf(api.createApiKey(call, newKey));
  expect([error.verdict, error.status]).toEqual(["ambiguous", undefined]);
  expect(error.message).toBe("no answer came within 30 s after the request was sent");
  expect((await errorOf(api.createBilling(call, newBilling))).verdict).toBe("ambiguous");
  expect(server.requests).toHaveLength(2);
  await expect.poll(() => server.sockets.size).toBe(0);
});

test("an answer that arrives too slowly fails, even if its bytes keep coming", async () => {
  const server = await wireServer((_request, socket) => {
    socket.write("HTTP/1.1 200 X\r\ncontent-length: 100000\r\n\r\n");
    const drip = setInterval(() => socket.write(" "), 20);
    socket.on("close", () => clearInterval(drip));
    return undefined;
  });
  const call = callTo(server.url, { timeOuts: { exchangeMs: 700 } });
  const problem = "the answer was cut off, or took too long";
  expect(await api.createApiKey(call, newKey)).toMatchObject({ record: undefined, problem });
  const error = await errorOf(api.readApiKey(call, keyPath));
  expect([error.verdict, error.message]).toEqual(["ambiguous", `the service answered 200, but ${problem}`]);
  expect(server.requests).toHaveLength(1 + usualLimits.maxAttempts);
  await expect.poll(() => server.sockets.size).toBe(0);
});

test("an attempt to connect fails after a while", async () => {
  // The server never answers the TLS handshake: the socket is connected, but not ready for a request.
  const mute = await wireServer(() => undefined);
  const timeOuts = { connectMs: 100, headersMs: 5_000, exchangeMs: 5_000 };
  const call = callTo(mute.url.replace("http:", "https:"), { timeOuts });
  const error = await errorOf(api.createBilling(call, newBilling));
  expect([error.verdict, error.message]).toEqual(["notSent", "could not connect within 5 s"]);
  expect(mute.requests).toHaveLength(0);
});
