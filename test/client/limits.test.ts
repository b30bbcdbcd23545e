import { describe, expect, it } from "vitest";
import { mostBytes } from "../../provider/client/wire";
import * as api from "./api";
import { callTo, errorOf, keyAnswer, keyPath, newBilling, newKey, wireServer } from "./calls";
import { answer } from "./wireServer";

const short = { connectMs: 2_000, headersMs: 500, exchangeMs: 3_000 };

describe("the size of an answer", () => {
  it("may be large, but has a limit", async () => {
    const apiKeys = Array.from({ length: 20_000 }, (_, n) => ({ id: `key_${n}`, name: "x".repeat(250) }));
    const server = await wireServer((_request, socket) => {
      if (server.requests.length === 1) return answer(200, { apiKeys });
      socket.write(`HTTP/1.1 200 X\r\ncontent-length: ${mostBytes + 1}\r\n\r\n`);
      for (let n = 0; n <= 64; n += 1) socket.write(" ".repeat(1_024 ** 2));
      return undefined;
    });
    const call = callTo(server.url);
    expect(await api.listApiKeys(call, keyPath)).toHaveLength(20_000);
    const { record, problem } = await api.deleteApiKey(call, keyPath);
    expect([record, problem]).toEqual([undefined, "the answer was cut off, or took too long"]);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it("is limited for headers too", async () => {
    const server = await wireServer(() => answer(200, keyAnswer, `x-long: ${"y".repeat(200_000)}`));
    const { verdict, message } = await errorOf(api.createApiKey(callTo(server.url), newKey));
    expect([verdict, message]).toEqual([
      "ambiguous",
      "the connection failed (UND_ERR_HEADERS_OVERFLOW) before the service answered",
    ]);
  });
});

describe("a time limit", () => {
  it("ends a request that the service does not answer", async () => {
    const server = await wireServer(() => undefined);
    const call = callTo(server.url, { timeOuts: short });
    const error = await errorOf(api.createApiKey(call, newKey));
    expect([error.verdict, error.status]).toEqual(["ambiguous", undefined]);
    expect(error.message).toBe("no answer came within 30 s after the request was sent");
    expect((await errorOf(api.createBilling(call, newBilling))).verdict).toBe("ambiguous");
    expect(server.requests).toHaveLength(2);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it("ends an answer that arrives too slowly, even if its bytes keep coming", async () => {
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
    expect(server.requests).toHaveLength(5);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it("ends an answer whose headers arrive too slowly", async () => {
    const server = await wireServer((_request, socket) => {
      socket.write("HTTP/1.1 200 X\r\n");
      const drip = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(drip));
      return undefined;
    });
    const error = await errorOf(api.createApiKey(callTo(server.url, { timeOuts: short }), newKey));
    expect(error.message).toBe("no answer came within 30 s after the request was sent");
  });

  it("ends an attempt to connect", async () => {
    // The server never answers the TLS handshake: the socket is connected, but not ready for a request.
    const mute = await wireServer(() => undefined);
    const timeOuts = { connectMs: 100, headersMs: 5_000, exchangeMs: 5_000 };
    const call = callTo(mute.url.replace("http:", "https:"), { timeOuts });
    const error = await errorOf(api.createBilling(call, newBilling));
    expect([error.verdict, error.message]).toEqual(["notSent", "could not connect within 5 s"]);
    expect(mute.requests).toHaveLength(0);
  });

  it("counts until the final answer, not until a 1xx", async () => {
    const server = await wireServer(() => `HTTP/1.1 103 Early\r\nlink: <x>\r\n\r\n${answer(200, keyAnswer)}`);
    expect((await api.readApiKey(callTo(server.url), keyPath)).id).toBe("k");
    const stuck = await wireServer(() => "HTTP/1.1 102 Processing\r\n\r\n");
    const error = await errorOf(api.createApiKey(callTo(stuck.url, { timeOuts: short }), newKey));
    expect(error.message).toBe("no answer came within 30 s after the request was sent");
  });
});

describe("a redirect", () => {
  it.each([301, 302, 307, 308])("(%i) is not followed", async (status) => {
    const target = await wireServer(() => answer(200, keyAnswer));
    const server = await wireServer(() => answer(status, "", `location: ${target.url}/in?token=1`));
    const error = await errorOf(api.createApiKey(callTo(server.url), newKey));
    expect([error.verdict, error.status]).toEqual([status === 302 ? "ambiguous" : "refused", status]);
    expect(error.message).toBe(`the service answered ${status} with a redirect, which is not followed`);
    expect(target.requests).toHaveLength(0);
    expect(server.requests).toHaveLength(1);
  });
});
