import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StandIn, startStandIn } from "../../standin";
import { type Held, type Process, readResult, startProcess } from "./lifecycles";

describe("a refresh of many keys", () => {
  const count = 40;
  let service: StandIn;
  let held: readonly Held[];
  beforeAll(async () => {
    service = await startStandIn();
    const process = startProcess(service);
    const names = Array.from({ length: count }, (_, place) => `key ${place}`);
    const made = names.map((name) =>
      process.of("ApiKey").create(
        process.of("ApiKey").check(
          {
            workspaceId: "ws_main",
            customerId: "cus_1",
            name,
            scopes: [{ representation: "orders", read: true }],
          },
          undefined,
        ).inputs,
      ),
    );
    held = (await Promise.all(made)).map(({ id, state }) => ({ kind: "ApiKey", id, state }));
    await process.close();
  });
  afterAll(() => service.close());

  async function requestsOf(act: (process: Process) => Promise<unknown>) {
    service.clearRequests();
    const process = startProcess(service);
    await act(process);
    await process.close();
    return Object.fromEntries(
      Object.entries(Object.groupBy(service.requests, ({ endpoint }) => endpoint ?? "none")).map(
        ([endpoint, requests = []]) => [endpoint, requests.length],
      ),
    );
  }
  const readAll = (process: Process) => Promise.all(held.map((one) => readResult(process, one)));

  test("R6 treats no key as gone if the service answers everything with 404 for a moment", async () => {
    service.inject({ after: 1, times: 4, fault: { kind: "status", status: 404 } });
    const process = startProcess(service);
    const some = await Promise.all(held.slice(0, 3).map((one) => readResult(process, one)));
    await process.close();
    service.clearFaults();
    expect(some.filter((one) => one === "gone")).toEqual([]);
  });

  /** A key that no list confirms, because its name in state differs. */
  const unconfirmed = (one: Held): Held => ({ ...one, state: { ...one.state, name: "before" } });
  const answered = (status: number, body?: object) => ({ kind: "status", status, body }) as const;
  test.each([
    ["and so is the list", undefined, answered(404)],
    ["and the list is empty from then on", undefined, answered(200, { apiKeys: [] })],
    ["and the list never had the key", answered(200, { apiKeys: [] }), undefined],
    ["and keys can't be listed", answered(403), undefined],
  ])(
    "R6 does not trust an earlier read of the workspace if everything is a 404 since then, %s",
    async (_, before, then) => {
      const [lost, alive] = held as [Held, Held];
      const always = { times: Number.POSITIVE_INFINITY };
      if (before !== undefined) service.inject({ endpoint: "listApiKeys", ...always, fault: before });
      service.inject({ when: ({ path }) => path.endsWith(lost.id), ...always, fault: answered(404) });
      const process = startProcess(service);
      await readResult(process, lost);
      if (then !== undefined) service.inject({ endpoint: "listApiKeys", ...always, fault: then });
      service.inject({ when: ({ endpoint }) => endpoint !== "listApiKeys", ...always, fault: answered(404) });
      const result = await readResult(process, unconfirmed(alive));
      await process.close();
      service.clearFaults();
      expect(result).toContain("State is unchanged");
    },
  );

  test("R6 treats no key as gone if an earlier list had it and the list can no longer be read", async () => {
    const [lost, alive] = held as [Held, Held];
    const always = { times: Number.POSITIVE_INFINITY };
    service.inject({ when: ({ path }) => path.endsWith(lost.id), ...always, fault: answered(404) });
    const process = startProcess(service);
    await readResult(process, lost);
    service.inject({ endpoint: ["readApiKey", "listApiKeys"], ...always, fault: answered(404) });
    const result = await readResult(process, unconfirmed(alive));
    await process.close();
    service.clearFaults();
    expect(result).toContain("State is unchanged");
  });

  test("R6 confirms that keys are gone with one list and shared reads of the workspace", async () => {
    for (const { id } of held.slice(30)) service.deleteKey(id);
    const { readApiKey, readWorkspace, listApiKeys, ...others } = await requestsOf(readAll);
    expect({ readApiKey, others }).toEqual({ readApiKey: 1 + 2 * 10, others: {} });
    expect(listApiKeys).toBeLessThanOrEqual(2);
    // A read serves the keys whose 404 came before it, and not all keys are read at once.
    expect(readWorkspace).toBeLessThanOrEqual(4);
  });

  test("K8 uses one list for imported keys too", async () => {
    const imported = held
      .slice(0, 10)
      .map(({ kind, id, state: { key: _, ...state } }) => ({ kind, id, state }));
    const read = (process: Process) => Promise.all(imported.map((one) => readResult(process, one)));
    expect(await requestsOf(read)).toEqual({ readApiKey: 1, listApiKeys: 1 });
  });
});
