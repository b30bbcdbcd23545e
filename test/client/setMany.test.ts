import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StandIn, startStandIn } from "../../standin";
import { startProcess } from "./lifecycles";

const count = 200;

/** How many requests each endpoint has had since they were last cleared. */
function requests({ requests: all }: StandIn): Readonly<Record<string, number>> {
  const by = Object.groupBy(all, ({ endpoint }) => endpoint ?? "none");
  return Object.fromEntries(Object.entries(by).map(([endpoint, some = []]) => [endpoint, some.length]));
}

describe(`a set of ${count} keys`, () => {
  let service: StandIn;
  let id: string;
  let state: Readonly<Record<string, unknown>>;
  let inputs: Readonly<Record<string, unknown>>;
  const keys = Object.fromEntries(
    Array.from({ length: count }, (_, place) => {
      const customerId = `cus_${100_000 + place}`;
      return [`customer-${place}`, { customerId, scopes: [{ representation: "orders", read: true }] }];
    }),
  );

  /** Runs this in a new process, as each command does. */
  async function asking<T>(
    act: (set: ReturnType<ReturnType<typeof startProcess>["of"]>) => Promise<T>,
  ): Promise<T> {
    service.clearRequests();
    const process = startProcess(service);
    try {
      return await act(process.of("ApiKeySet"));
    } finally {
      await process.close();
    }
  }

  beforeAll(async () => {
    service = await startStandIn();
    await asking(async (set) => {
      inputs = set.check({ workspaceId: "ws_main", keys }, undefined).inputs;
      ({ id, state } = await set.create(inputs));
    });
  });
  afterAll(() => service.close());

  test("takes one request per key to create, and one list", () => {
    expect(requests(service)).toEqual({ createApiKey: count, listApiKeys: 1 });
    expect(service.keys()).toHaveLength(count);
  });

  test("takes at most 600 bytes of state per key, for inputs and outputs", () => {
    expect(JSON.stringify({ inputs, outputs: state }).length / count).toBeLessThan(600);
  });

  test("is refreshed with one GET of a key and one list", async () => {
    const read = await asking((set) => set.read(id, state));
    expect(read).toEqual({ id, state });
    expect(requests(service)).toEqual({ readApiKey: 1, listApiKeys: 1 });
  });

  test("takes one GET and one PATCH to change one key, and no request if nothing changes", async () => {
    await asking(async (set) => {
      const changed = { ...keys, "customer-7": { ...keys["customer-7"], name: "seventh" } };
      const next = set.check({ ...inputs, keys: changed }, inputs).inputs;
      expect(set.diff(id, state, inputs)).toMatchObject({ changes: false, replaces: [] });
      expect(set.diff(id, state, next)).toMatchObject({ changes: undefined, replaces: [] });
      expect(service.requests).toEqual([]);
      const after = await set.update(id, state, next);
      expect(requests(service)).toEqual({ readApiKey: 1, editApiKey: 1 });
      expect(after["ids"]).toEqual(state["ids"]);
      expect(set.diff(id, after, next)).toMatchObject({ changes: false, replaces: [] });
      state = after;
      inputs = next;
    });
  });
});
