import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type StandIn, startStandIn } from "../../standin";
import { type Process, startProcess } from "./lifecycles";

let service: StandIn;
let process: Process;
const inputs = { workspaceId: "ws_main", customerId: "c", name: "ci", scopes: [], enabled: true };
const scopes = [{ representation: "orders", read: true }];
const always = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  service = await startStandIn();
});
beforeEach(() => {
  service.clearFaults();
  service.clearRequests();
  process = startProcess(service);
});
afterAll(() => service.close());

test.each([200, 202, 204])(
  "R7 a DELETE that is answered with %i but not applied fails, even if a 202 shows the key as deleted",
  async (status) => {
    const { id, state } = await process.of("ApiKey").create(inputs);
    const body = status === 204 ? "" : { apiKey: { ...inputs, id, deleted: status === 202 } };
    service.inject({ method: "DELETE", fault: { kind: "status", status, body } });
    await expect(process.of("ApiKey").delete(id, state)).rejects.toThrow(
      /, but the key still exists\. It stays in state/,
    );
    expect(service.key(id)).toMatchObject({ deleted: false });
    await process.of("ApiKey").delete(id, state);
    expect(service.key(id)).toBeUndefined();
  },
);

test("R4 a PATCH that is answered with 202 and the declared values but not applied fails", async () => {
  const { id, state } = await process.of("ApiKey").create(inputs);
  const declared = { ...inputs, enabled: false, scopes };
  const body = { apiKey: { ...declared, id } };
  service.inject({ method: "PATCH", times: always, fault: { kind: "status", status: 202, body } });
  await expect(process.of("ApiKey").update(id, state, declared)).rejects.toThrow(
    /enabled: the program has false, the service still has true; scopes: the program has orders \(read\), the service still has no scopes/,
  );
});

test("R4 a create that is answered with 202 but not applied fails, and keeps the secret in state", async () => {
  const body = { apiKey: { ...inputs, id: "key_never", key: "sk_never" } };
  service.inject({ method: "POST", fault: { kind: "status", status: 202, body } });
  await expect(process.of("ApiKey").create(inputs)).rejects.toMatchObject({
    message: expect.stringContaining(
      "was created with id key_never, but could not be confirmed to match the program",
    ),
    kept: { id: "key_never", state: { key: "sk_never" } },
  });
});
