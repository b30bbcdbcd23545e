import { describe, expect, it } from "vitest";
import * as api from "./api";
import { callTo, keyAnswer, keyPath, newBilling, newKey, wireServer } from "./calls";
import { answer } from "./wireServer";

describe("connections", () => {
  it("are kept and reused, even for the POST of a key", async () => {
    const server = await wireServer(() => answer(200, keyAnswer));
    const call = callTo(server.url);
    await api.readApiKey(call, keyPath);
    await api.createApiKey(call, newKey);
    await api.deleteApiKey(call, keyPath);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });

  it("are opened for each POST of credits, and closed after it", async () => {
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

  it("are not blocked by 31 slow requests: others overtake them", async () => {
    let release = () => {};
    const server = await wireServer(({ path }, socket) => {
      if (!path.endsWith("slow")) return answer(200, keyAnswer);
      const before = release;
      release = () => {
        before();
        socket.write(answer(200, { apiKey: { id: "slow" } }));
      };
      return undefined;
    });
    const call = callTo(server.url);
    let answered = 0;
    const slow = Array.from({ length: 31 }, async () => {
      await api.readApiKey(call, { workspaceId: "ws_main", keyId: "slow" });
      answered += 1;
    });
    for (let n = 0; n < 200; n += 1) await api.readApiKey(call, keyPath);
    expect(answered).toBe(0);
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBe(32);
    release();
    await Promise.all(slow);
  });

  it("are not reused after the service has closed them between two requests, and no call fails", async () => {
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
});
