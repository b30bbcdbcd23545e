import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Fault, type StandIn, startStandIn } from "../../standin";
import { failureOf } from "../unit/replying";
import { type Process, startProcess } from "./lifecycles";

/** A single answer that is wrong, late or about another object, and must not be trusted. */

let service: StandIn;
let process: Process;
const workspaceId = "ws_main";

beforeAll(async () => {
  service = await startStandIn();
});
beforeEach(() => {
  service.clearFaults();
  service.clearRequests();
  service.setVariant({});
  process = startProcess(service);
});
afterAll(() => service.close());

const answering = (body: unknown, status = 200): Fault => ({ kind: "status", status, body });

describe("a key", () => {
  const inputs = { workspaceId, customerId: "cus_1", name: "ci", scopes: [], enabled: true };
  const denial = answering({ error: "quota exceeded" });
  const keys = () => process.of("ApiKey");

  test("K6 is reported as perhaps not created if the answer to its create has an error in place of the key", async () => {
    service.inject({ endpoint: "createApiKey", fault: denial });
    await expect(keys().create(inputs)).rejects.toThrow(
      /"quota exceeded"\. It is not known whether the key was created; the key is not in state/,
    );
  });

  test("K6 is named even if the list shows it only 8 seconds after a lost answer", async () => {
    service.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
    service.inject({ endpoint: "listApiKeys", fault: answering({ apiKeys: [] }), times: 6 });
    const { message } = await failureOf(keys().create({ ...inputs, name: "late" }));
    const made = service.keys().find(({ name }) => name === "late");
    expect(message).toContain(`New in the workspace's list: ${made?.id} (created`);
  });

  test("K6 is searched for during 2 seconds only, after a search of 8 seconds has found nothing", async () => {
    const lists = async (name: string) => {
      service.clearRequests();
      service.inject({ endpoint: "createApiKey", fault: { kind: "resetBefore" } });
      await failureOf(keys().create({ ...inputs, name }));
      return service.requests.filter(({ method }) => method === "GET").length;
    };
    expect([await lists("lost1"), await lists("lost2")]).toEqual([7, 4]);
  });

  const scopes = [{ representation: "orders", read: true }];
  const always = Number.POSITIVE_INFINITY;

  test.each([200, 202, 204])(
    "R7 a DELETE that is answered with %i but not applied fails, even if a 202 shows the key as deleted",
    async (status) => {
      const { id, state } = await keys().create(inputs);
      const body = status === 204 ? "" : { apiKey: { ...inputs, id, deleted: status === 202 } };
      service.inject({ method: "DELETE", fault: { kind: "status", status, body } });
      await expect(keys().delete(id, state)).rejects.toThrow(
        /, but the key still exists\. It stays in state/,
      );
      expect(service.key(id)).toMatchObject({ deleted: false });
      await keys().delete(id, state);
      expect(service.key(id)).toBeUndefined();
    },
  );

  test("R4 a PATCH that is answered with 202 and the declared values but not applied fails", async () => {
    const { id, state } = await keys().create(inputs);
    const declared = { ...inputs, enabled: false, scopes };
    const body = { apiKey: { ...declared, id } };
    service.inject({ method: "PATCH", times: always, fault: { kind: "status", status: 202, body } });
    await expect(keys().update(id, state, declared)).rejects.toThrow(
      /scopes: the program has orders \(read\), the service still has no scopes; enabled: the program has false, the service still has true/,
    );
  });

  test("R4 a create that is answered with 202 but not applied fails, and keeps the secret in state", async () => {
    const body = { apiKey: { ...inputs, id: "key_never", key: "sk_never" } };
    service.inject({ method: "POST", fault: { kind: "status", status: 202, body } });
    await expect(keys().create(inputs)).rejects.toMatchObject({
      message: expect.stringContaining(
        "was created with id key_never, but could not be confirmed to match the program",
      ),
      kept: { id: "key_never", state: { key: "sk_never" } },
    });
  });
});

describe("a scope", () => {
  const inputs = { workspaceId, name: "Orders", representation: "Orders (all)" };
  const rewritten = { id: "sc_1", name: "Orders", representation: "orders-all" };
  const posts = () => service.requests.filter(({ method }) => method === "POST");
  const listing = (scopes: readonly unknown[], times = Number.POSITIVE_INFINITY) =>
    service.inject({ endpoint: "listScopes", fault: answering({ scopes }), times });
  beforeEach(() => {
    for (const { id } of service.scopes(workspaceId)) service.deleteScope(id);
  });

  test("S4 is created once if the service rewrites its representation, and a warning has the service's value", async () => {
    service.inject({ endpoint: "createScope", fault: answering({ scope: rewritten }) });
    const { id, state } = await process.of("Scope").create({ ...inputs, description: "All orders" });
    expect([id, state["representation"]]).toEqual(["sc_1", "Orders (all)"]);
    expect(process.warnings).toEqual([
      expect.stringContaining('(sc_1): unlike the program, the service has representation "orders-all".'),
    ]);
  });

  test("S4 fails to be created if the answer has an id that was listed before", async () => {
    listing([rewritten], 1);
    service.inject({ endpoint: "createScope", fault: answering({ scope: rewritten }) });
    await expect(process.of("Scope").create(inputs)).rejects.toThrow(/neither its answer nor its list shows/);
  });

  test("S4 is found, and not posted twice, if the list shows it only seconds after a lost answer", async () => {
    service.inject({ endpoint: "createScope", fault: { kind: "resetAfter" } });
    listing([], 6);
    const { id } = await process.of("Scope").create(inputs);
    expect(service.scopes(workspaceId)).toMatchObject([{ id }]);
    expect(posts()).toHaveLength(1);
  });

  test("S4 fails with both possible reasons if it exists but the truncated list does not show it", async () => {
    service.addScope(inputs);
    listing([]);
    await expect(process.of("Scope").create(inputs)).rejects.toThrow(
      /If the service refused it: another scope has this name, so declare another name; or the workspace has the scope without showing it in its list, so remove this resource: keys can refer to the scope without it\.$/,
    );
  });

  test("S2 causes a warning on refresh if its representation was edited in the service", async () => {
    const { id, state } = await process.of("Scope").create(inputs);
    service.editScope(id, { representation: "all" });
    await process.of("Scope").read(id, state);
    expect(process.warnings).toEqual([expect.stringContaining('the service has representation "all"')]);
  });
});
