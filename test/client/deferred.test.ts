/** A 202 says that the service may still carry out a write, or not. */
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { type StandIn, startStandIn } from "../../standin";
import { startProcess } from "./lifecycles";

let service: StandIn;
beforeEach(async () => {
  service = await startStandIn();
});
const inputs = { workspaceId: "ws_main", customerId: "cus_1", name: "ci", scopes: [], enabled: true };
function keys() {
  const process = startProcess(service);
  onTestFinished(async () => {
    await process.close();
    await service.close();
  });
  return process.of("ApiKey");
}

test.each([200, 202, 204])(
  "R7 a DELETE that is answered with %i but not applied fails, even if a 202 shows the key as deleted",
  async (status) => {
    const subject = keys();
    const { id, state } = await subject.create(inputs);
    const body = status === 204 ? "" : { apiKey: { ...inputs, id, deleted: status === 202 } };
    service.inject({ endpoint: "deleteApiKey", fault: { kind: "status", status, body } });
    await expect(subject.delete(id, state)).rejects.toThrow(/, but the key still exists\. It stays in state/);
    expect(service.key(id)).toMatchObject({ deleted: false });
    await subject.delete(id, state);
    expect(service.key(id)).toBeUndefined();
  },
);

test("R4 a PATCH that is answered with 202 and the declared values but not applied fails", async () => {
  const subject = keys();
  const { id, state } = await subject.create(inputs);
  const declared = { ...inputs, enabled: false };
  const fault = { kind: "status", status: 202, body: { apiKey: { ...declared, id } } } as const;
  service.inject({ endpoint: "editApiKey", times: Number.POSITIVE_INFINITY, fault });
  await expect(subject.update(id, state, declared)).rejects.toThrow(
    /enabled: should be false, the service has true/,
  );
});

test("R4 a create that is answered with 202 but not applied fails, and keeps the secret in state", async () => {
  const body = { apiKey: { ...inputs, id: "key_never", key: "sk_never" } };
  service.inject({ endpoint: "createApiKey", fault: { kind: "status", status: 202, body } });
  await expect(keys().create(inputs)).rejects.toMatchObject({
    message: expect.stringMatching(/^Creating key .*\(key_never\): /),
    kept: { id: "key_never", state: { key: "sk_never" } },
  });
});
