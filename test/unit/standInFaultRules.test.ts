import { describe, expect, it } from "vitest";
import type { Fault } from "../../standin";
import { newKey, open, send } from "./standInCaller";

describe("a fault rule of the stand-in", () => {
  const broken: Fault = { kind: "status", status: 503 };

  it("applies once by default, and only after as many requests as `after` says", async () => {
    const { standIn, get } = await open();
    const statuses = async (count: number) => {
      const seen: number[] = [];
      for (let n = 0; n < count; n += 1) seen.push((await get("/workspace")).status);
      return seen;
    };
    standIn.inject({ after: 1, fault: broken });
    expect(await statuses(3)).toEqual([200, 503, 200]);
    standIn.inject({ times: 2, fault: broken });
    expect(await statuses(3)).toEqual([503, 503, 200]);
    standIn.inject({ times: Number.POSITIVE_INFINITY, fault: broken });
    expect(await statuses(5)).toEqual([503, 503, 503, 503, 503]);
    standIn.clearFaults();
    expect(await statuses(1)).toEqual([200]);
  });

  it("applies only to the given endpoints, method and condition", async () => {
    const { standIn, get, post } = await open();
    standIn.inject({ endpoint: "createApiKey", fault: broken });
    standIn.inject({ endpoint: ["readWorkspace", "listScopes"], fault: broken });
    standIn.inject({ method: "POST", fault: { kind: "status", status: 502 } });
    standIn.inject({
      when: ({ path }) => path.endsWith("ws_second"),
      fault: { kind: "status", status: 500 },
    });
    expect((await get("/workspace")).status).toBe(200);
    expect((await get("/workspace/ws_main/scopes")).status).toBe(503);
    expect((await get("/workspace/ws_main")).status).toBe(200);
    expect((await get("/workspace/ws_second")).status).toBe(500);
    expect((await post("/api-key", newKey)).status).toBe(503);
    expect((await post("/api-key", newKey)).status).toBe(502);
    expect((await post("/api-key", newKey)).status).toBe(201);
  });

  it("counts requests that another rule applies to", async () => {
    const { standIn, get } = await open();
    standIn.inject({ fault: broken });
    standIn.inject({ after: 1, fault: { kind: "status", status: 502 } });
    expect((await get("/workspace")).status).toBe(503);
    expect((await get("/workspace")).status).toBe(502);
  });

  it("does not apply a request that the stand-in would have refused", async () => {
    const { standIn } = await open();
    standIn.inject({ fault: { kind: "resetAfter" } });
    await expect(send(standIn, "POST", "/api-key", { name: "x" })).rejects.toThrow();
    expect(standIn.requests[0]).toMatchObject({ carriedOut: false, fault: "resetAfter" });
  });
});
