import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type StandIn, startStandIn } from "../service";
import { type Process, startProcess } from "./lifecycles";

let service: StandIn;
let process: Process;
const inputs = { workspaceId: "ws_main", customerId: "c", name: "ci", scopes: [], enabled: true };

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
  "R7 a DELETE that is answered with %i and the key as deleted, but not carried out, fails where a look is due",
  async (status) => {
    const { id, state } = await process.of("ApiKey").create(inputs);
    const body = status === 204 ? "" : { apiKey: { ...inputs, id, deleted: status === 202 } };
    service.inject({ method: "DELETE", fault: { kind: "status", status, body } });
    await expect(process.of("ApiKey").delete(id, state)).rejects.toThrow(
      /accepted the deletion, but the key is still there\. It stays in state/,
    );
    expect(service.key(id)).toMatchObject({ deleted: false });
    await process.of("ApiKey").delete(id, state);
    expect(service.key(id)).toBeUndefined();
  },
);
