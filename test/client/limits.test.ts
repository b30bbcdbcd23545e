import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../provider/client/clock";
import * as api from "./api";
import { callTo, errorOf, keyAnswer, keyPath, newBilling, newKey, wireServer } from "./calls";
import { answer } from "./wireServer";

const MiB = 1024 * 1024;
const short = { connectMs: 2_000, headersMs: 150, exchangeMs: 400 };

describe("the size of an answer", () => {
  it("may be exactly 4 MiB for one record", async () => {
    const body = JSON.stringify(keyAnswer);
    const server = await wireServer(() => answer(200, body + " ".repeat(4 * MiB - body.length)));
    expect((await api.readApiKey(callTo(server.url), keyPath)).id).toBe("k");
  });

  it.each<[string, string]>([
    ["with a Content-Length", `HTTP/1.1 200 X\r\ncontent-length: ${4 * MiB + 1}\r\n\r\n`],
    ["without a Content-Length", `HTTP/1.1 200 X\r\nconnection: close\r\n\r\n${" ".repeat(4 * MiB + 1)}`],
    [
      "in chunks",
      `HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n${`10000\r\n${" ".repeat(65_536)}\r\n`.repeat(65)}`,
    ],
  ])("(%s) is an error above 4 MiB, and the request is not repeated", async (_name, reply) => {
    const server = await wireServer(() => reply);
    const call = callTo(server.url);
    const error = await errorOf(api.readApiKey(call, keyPath));
    expect(error.message).toBe("the service answered 200, but the answer is larger than 4 MiB");
    expect([error.verdict, error.status]).toEqual(["invalidAnswer", 200]);
    const problem = "the answer is larger than 4 MiB";
    expect(await api.createApiKey(call, newKey)).toMatchObject({ record: undefined, problem });
    expect(server.requests).toHaveLength(2);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it("may be up to 64 MiB for a list", async () => {
    const apiKeys = Array.from({ length: 20_000 }, (_, n) => ({ id: `key_${n}`, name: "x".repeat(250) }));
    const server = await wireServer(({ n }) =>
      n === 1 ? answer(200, { apiKeys }) : `HTTP/1.1 200 X\r\ncontent-length: ${64 * MiB + 1}\r\n\r\n`,
    );
    const call = callTo(server.url);
    expect(await api.listApiKeys(call, keyPath)).toHaveLength(20_000);
    const error = await errorOf(api.listApiKeys(call, keyPath));
    expect(error.message).toBe("the service answered 200, but the answer is larger than 64 MiB");
    expect(server.requests).toHaveLength(2);
  });

  it("does not matter if it is an error, because only the status counts", async () => {
    const server = await wireServer(
      () => `HTTP/1.1 403 X\r\ncontent-length: ${99 * MiB}\r\n\r\n{"message":"no"}`,
    );
    const error = await errorOf(api.readApiKey(callTo(server.url), keyPath));
    expect([error.verdict, error.message]).toEqual(["refused", "the service answered 403"]);
  });

  it("is limited for headers too", async () => {
    const server = await wireServer(() => answer(200, keyAnswer, `x-long: ${"y".repeat(200_000)}`));
    const error = await errorOf(api.createApiKey(callTo(server.url), newKey));
    expect([error.verdict, error.message]).toEqual(["ambiguous", "the answer's headers are too large"]);
  });
});

describe("the size of a request", () => {
  const sized = (bytes: number) => {
    const empty = { ...newKey, metadata: { text: "" } };
    const text = "x".repeat(bytes - JSON.stringify(empty).length);
    return { ...newKey, metadata: { text } };
  };

  it("may be exactly 256 KiB for a request that creates something, and a larger one is not sent", async () => {
    const server = await wireServer(() => answer(200, keyAnswer));
    const call = callTo(server.url);
    expect((await api.createApiKey(call, sized(256 * 1024))).record?.id).toBe("k");
    const error = await errorOf(api.createApiKey(call, sized(256 * 1024 + 1)));
    expect([error.verdict, error.message]).toEqual(["notSent", "the request is larger than 256 KiB"]);
    const migrated = { ...sized(256 * 1024), key: "sk_1" };
    expect((await errorOf(api.migrateApiKey(call, migrated))).message).toBe(error.message);
    const description = "x".repeat(256 * 1024);
    const scope = { name: "Docs", representation: "docs", description };
    expect((await errorOf(api.createScope(call, keyPath, scope))).verdict).toBe("notSent");
    const billing = { ...newBilling, externalMeterId: description };
    expect((await errorOf(api.createBilling(call, billing))).verdict).toBe("notSent");
    expect(server.requests).toHaveLength(1);
  });

  it("is counted in bytes, not characters", async () => {
    const server = await wireServer(() => answer(200, keyAnswer));
    const body = { ...newKey, metadata: { text: "\u00fc".repeat(200_000) } };
    expect((await errorOf(api.createApiKey(callTo(server.url), body))).verdict).toBe("notSent");
  });

  it("may be larger for a PATCH that repeats what was read", async () => {
    const server = await wireServer(() => answer(200, keyAnswer));
    const scopes = Array.from({ length: 4_000 }, (_, n) => ({
      ...newKey.scopes[0],
      id: `scope_${n}`,
      representation: `r${n}`,
    }));
    await api.editApiKey(callTo(server.url), keyPath, { scopes } as never);
    expect(server.requests).toHaveLength(1);
  });
});

describe("an answer that is compressed, although the provider did not ask for it,", () => {
  const packing = { gzip: gzipSync, deflate: deflateSync, BR: brotliCompressSync };
  const server = (coding: string, body: Buffer) =>
    wireServer((_request, socket) => {
      const head = `HTTP/1.1 200 X\r\ncontent-encoding: ${coding}\r\ncontent-length: ${body.length}\r\n\r\n`;
      socket.write(Buffer.concat([Buffer.from(head), body]));
      return undefined;
    });

  it.each(Object.entries(packing))("by %s is read", async (coding, pack) => {
    const { url } = await server(coding, pack(JSON.stringify(keyAnswer)));
    expect((await api.readApiKey(callTo(url), keyPath)).id).toBe("k");
  });

  it("may not be larger than any other once it is decompressed", async () => {
    const body = gzipSync(JSON.stringify(keyAnswer).padEnd(4 * 1024 * 1024 + 1));
    const { url } = await server("gzip", body);
    const error = await errorOf(api.readApiKey(callTo(url), keyPath));
    expect(error.message).toBe("the service answered 200, but the answer is larger than 4 MiB");
  });

  it("is read as it is if it is not compressed, whatever its header says", async () => {
    const { url } = await server("gzip", Buffer.from(JSON.stringify(keyAnswer)));
    expect((await api.readApiKey(callTo(url), keyPath)).id).toBe("k");
  });

  it.each(["identity", "none", "UTF-8", ""])(
    "is accepted if its Content-Encoding is %j, which means no compression",
    async (coding) => {
      const server = await wireServer(() => answer(200, keyAnswer, `content-encoding: ${coding}`));
      expect((await api.readApiKey(callTo(server.url), keyPath)).id).toBe("k");
    },
  );
});

describe("a time limit", () => {
  it("ends a request that the service does not answer", async () => {
    const server = await wireServer(() => undefined);
    const call = callTo(server.url, { timeOuts: short });
    const error = await errorOf(api.createApiKey(call, newKey));
    expect([error.verdict, error.status]).toEqual(["ambiguous", undefined]);
    expect(error.message).toBe("no answer came within 0.15 s after the request was sent");
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
    const problem = "the answer was not complete within 0.7 s";
    expect(await api.createApiKey(call, newKey)).toMatchObject({ record: undefined, problem });
    const error = await errorOf(api.readApiKey(call, keyPath));
    expect([error.verdict, error.message]).toEqual([
      "invalidAnswer",
      `the service answered 200, but ${problem}`,
    ]);
    expect(server.requests).toHaveLength(5);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it("of 60 s is shared by all attempts of a call: the last one gets the rest", async () => {
    let now = 0;
    const server = await wireServer(({ n }) => {
      now += 58_800;
      return n === 1 ? answer(500) : undefined;
    });
    const clock: Clock = {
      now: () => now,
      wallNow: () => now,
      after: (_ms, run) => {
        setImmediate(run);
        return () => {};
      },
    };
    const error = await errorOf(api.readApiKey(callTo(server.url, { clock }), keyPath));
    expect(error.message).toBe("no answer came within 1.2 s");
    expect(server.requests).toHaveLength(2);
  });

  it("ends an answer whose headers arrive too slowly", async () => {
    const server = await wireServer((_request, socket) => {
      socket.write("HTTP/1.1 200 X\r\n");
      const drip = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(drip));
      return undefined;
    });
    const error = await errorOf(api.createApiKey(callTo(server.url, { timeOuts: short }), newKey));
    expect(error.message).toBe("no answer came within 0.15 s after the request was sent");
  });

  it("ends an attempt to connect", async () => {
    // The server never answers the TLS handshake: the socket is connected, but not ready for a request.
    const mute = await wireServer(() => undefined);
    const timeOuts = { connectMs: 100, headersMs: 5_000, exchangeMs: 5_000 };
    const call = callTo(mute.url.replace("http:", "https:"), { timeOuts });
    const error = await errorOf(api.createBilling(call, newBilling));
    expect([error.verdict, error.message]).toEqual(["notSent", "could not connect within 0.1 s"]);
    expect(mute.requests).toHaveLength(0);
  });

  it("counts until the final answer, not until a 1xx", async () => {
    const server = await wireServer(() => `HTTP/1.1 103 Early\r\nlink: <x>\r\n\r\n${answer(200, keyAnswer)}`);
    expect((await api.readApiKey(callTo(server.url), keyPath)).id).toBe("k");
    const stuck = await wireServer(() => "HTTP/1.1 102 Processing\r\n\r\n");
    const error = await errorOf(api.createApiKey(callTo(stuck.url, { timeOuts: short }), newKey));
    expect(error.message).toBe("no answer came within 0.15 s after the request was sent");
  });
});

describe("a redirect", () => {
  it.each([301, 302, 307, 308])("(%i) is not followed, and the error names its target", async (status) => {
    const target = await wireServer(() => answer(200, keyAnswer));
    const server = await wireServer(() => answer(status, "", `location: ${target.url}/in?token=1`));
    const error = await errorOf(api.createApiKey(callTo(server.url), newKey));
    expect([error.verdict, error.status]).toEqual([status === 302 ? "ambiguous" : "refused", status]);
    expect(error.message).toBe(
      `the service answered ${status} and redirected to ${target.url}/in; redirects are not followed`,
    );
    expect(target.requests).toHaveLength(0);
    expect(server.requests).toHaveLength(1);
  });
});
