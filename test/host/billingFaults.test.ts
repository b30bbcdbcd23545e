import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Fault } from "../../standin";
import type { Held, HostedResource, Properties } from "./host";
import { failureOf } from "./outcomes";
import { asking, warned } from "./plot";
import { quickTimers } from "./quickTimers";
import { accessToken, openScene, type Scene } from "./scene";

let least = { workspaceId: "ws_main", totalCredits: "100", grant: "" };

describe("a CustomerBilling whose request fails", () => {
  let scene: Scene;
  let billing: HostedResource;
  let inputs: Properties;
  beforeAll(async () => {
    scene = await openScene({ env: quickTimers() });
    billing = scene.host.resource("CustomerBilling");
  });
  beforeEach(async () => {
    scene.standIn.setVariant({});
    scene.standIn.clearFaults();
    scene.standIn.clearRequests();
    // A grant of its own for each test: their common process never repeats a create that failed halfway.
    least = { ...least, grant: randomUUID() };
    ({ inputs } = await billing.check(least));
  });
  afterAll(() => scene.close());

  const granted = () => scene.standIn.requests.filter(({ carriedOut }) => carriedOut);

  const faults: readonly { readonly fault: Fault; readonly grants: number }[] = [
    { fault: { kind: "resetBefore" }, grants: 0 },
    { fault: { kind: "resetAfter" }, grants: 1 },
    { fault: { kind: "errorAfter" }, grants: 1 },
    { fault: { kind: "errorAfter", status: 408 }, grants: 1 },
    { fault: { kind: "errorAfter", status: 409 }, grants: 1 },
    { fault: { kind: "errorAfter", status: 499 }, grants: 1 },
    { fault: { kind: "status", status: 409 }, grants: 0 },
    { fault: { kind: "status", status: 500 }, grants: 0 },
    { fault: { kind: "status", status: 503, headers: { "retry-after": "0" } }, grants: 0 },
    { fault: { kind: "truncated" }, grants: 1 },
    { fault: { kind: "garbled" }, grants: 1 },
    { fault: { kind: "emptyBody" }, grants: 1 },
    { fault: { kind: "emptyBody", status: 204 }, grants: 1 },
    { fault: { kind: "hang" }, grants: 0 },
    { fault: { kind: "hang", carriedOut: true }, grants: 1 },
    { fault: { kind: "html" }, grants: 0 },
    { fault: { kind: "redirect", to: "/elsewhere", status: 302 }, grants: 0 },
    { fault: { kind: "redirect", to: "/elsewhere", status: 303 }, grants: 0 },
  ];
  test.each(faults)(
    "B3 a lost answer is recorded as uncertain, and no later operation sends a request: $fault",
    async ({ fault, grants }) => {
      scene.standIn.inject({ endpoint: "createBilling", fault, times: Number.POSITIVE_INFINITY });
      const held = await asking(scene, ["createBilling"], uncertain);
      await asking(scene, [], () => staysOpen(held));
      expect(granted()).toHaveLength(grants);
      scene.standIn.clearFaults();
      await asking(scene, [], () => staysOpen(held));
    },
  );

  async function uncertain(): Promise<Held> {
    const { kept, message } = await failureOf(billing.create(inputs));
    expect(message).toMatch(
      /^Granting 100 credits in workspace ws_main: .*(request was sent|accepted the request) at 2\d{3}-\S+Z, .*set billingId.*set grant to another value to grant them/,
    );
    expect(kept?.reasons).toEqual([message]);
    const state = kept?.properties ?? {};
    expect(state).toMatchObject(inputs);
    return { id: kept?.id ?? "", state };
  }

  /** Repeated refreshes and updates leave it uncertain. */
  async function staysOpen(held: Held): Promise<void> {
    for (let up = 0; up < 3; up += 1) {
      const read = await billing.read(held);
      const { __failed, ...asked } = held.state;
      expect(__failed).toBe(true);
      expect(read).toEqual({ id: held.id, properties: asked, inputs });
      const seen = { id: read.id, state: read.properties };
      const checked = await billing.check(least, inputs);
      expect(checked).toEqual({ inputs, failures: [] });
      expect(await billing.diff(seen, inputs)).toEqual({ changes: "some", replaces: [] });
      const { message, kept } = await failureOf(billing.update(seen, inputs));
      expect(message).toMatch(/still not known whether .*\. Check in the service\. .*billingId.*grant/);
      expect(kept).toBeUndefined();
    }
  }

  test.each([400, 401, 402, 403, 404, 422, 429])(
    "B3 an answer of %s grants nothing, leaves nothing in state, and is not retried",
    async (status) => {
      const before = scene.standIn.billings().length;
      const fault = { kind: "status", status, headers: { "retry-after": "0" } } as const;
      scene.standIn.inject({ endpoint: "createBilling", fault, times: Number.POSITIVE_INFINITY });
      const { message, kept } = await failureOf(billing.create(inputs));
      expect(message).toContain(`answered ${status}`);
      expect(message).toContain("Nothing was granted");
      expect(kept).toBeUndefined();
      expect(scene.standIn.requests).toHaveLength(1);
      expect(scene.standIn.billings()).toHaveLength(before);
    },
  );

  test("B3 each grant uses a connection of its own", async () => {
    for (const grant of ["1", "2", "3"]) await billing.create({ ...inputs, grant });
    const connections = scene.standIn.requests.map(({ connection }) => connection);
    expect(new Set(connections).size).toBe(3);
  });

  test("B3 a request that was never sent is sent by the next update", async () => {
    await scene.standIn.stop();
    const { message, kept } = await failureOf(billing.create(inputs));
    await scene.standIn.start();
    expect(message).toMatch(
      /the connection was refused.*Nothing was granted: no part of the request was sent/,
    );
    expect(kept).toBeUndefined();
    await billing.create(inputs);
    expect(granted()).toHaveLength(1);
  });

  test("B3 a new value of grant replaces an uncertain grant, with one request", async () => {
    scene.standIn.inject({ endpoint: "createBilling", fault: { kind: "resetBefore" } });
    const held = await uncertain();
    const { inputs: next, failures } = await billing.check({ ...least, grant: "again" }, inputs);
    expect(failures).toEqual([]);
    const { replaces } = await billing.diff(held, next);
    expect(replaces).toEqual(["grant"]);
    await asking(scene, ["createBilling"], () => billing.create(next));
    await warned(
      scene,
      /^warning: The credits of a grant whose answer was lost in workspace ws_main, if they were granted, stay/m,
      () => asking(scene, [], () => billing.delete(held)),
    );
    expect(granted()).toHaveLength(1);
  });

  test("B3 a create that an error hook repeats sends nothing, and fails with the same state", async () => {
    scene.standIn.inject({ endpoint: "createBilling", fault: { kind: "resetAfter" } });
    const held = await uncertain();
    await asking(scene, [], async () => expect(await uncertain()).toEqual(held));
  });

  test("B3 two equal grants created at the same time are two records", async () => {
    const before = scene.standIn.billings().length;
    const both = await Promise.all([billing.create(inputs), billing.create(inputs)]);
    expect(new Set(both.map(({ id }) => id)).size).toBe(2);
    expect(scene.standIn.billings()).toHaveLength(before + 2);
  });

  test("B4 refresh, diff and destroy send no request, even with a wrong token", async () => {
    const held = await billing.create(inputs);
    scene.standIn.rotateToken("acme", "another");
    try {
      await asking(scene, [], async () => {
        expect(await billing.read(held)).toEqual({ id: held.id, properties: held.state, inputs: undefined });
        expect(await billing.diff(held, inputs)).toEqual({ changes: "none", replaces: [] });
        await billing.delete(held);
      });
    } finally {
      scene.standIn.rotateToken("acme", accessToken);
    }
  });
});
