import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { accessToken, openScene, type Scene } from "./fixture";
import type { Held, HostedResource, Properties } from "./host";
import { failureOf } from "./outcomes";
import { quickTimers } from "./quickTimers";

const always = { times: Number.POSITIVE_INFINITY };

let scene: Scene;
let key: HostedResource;
let inputs: Properties;
let held: Held;
beforeAll(async () => {
  scene = await openScene({ env: quickTimers() });
  key = scene.key;
  ({ inputs } = await key.check({ workspaceId: "ws_main", customerId: "cus_1", name: "ci" }));
});
beforeEach(async () => {
  scene.standIn.clearFaults();
  held = await key.create(inputs);
});
afterAll(async () => {
  const printed = await scene.close();
  // The host prints the errors of read and delete, and would print their stacks too.
  for (const line of printed.split("\n").filter((text) => text !== ""))
    expect(line).toMatch(/^((pulumi-apikeys|warning): \S|Waiting for |Key "ci" )/);
  expect(printed).not.toMatch(/\.[jt]s:\d+/);
  // The engine shows the message itself.
  expect(printed).not.toContain("the service answered");
});

const changed = () => ({ ...inputs, name: "new" });
const operations: readonly [name: string, doing: RegExp, run: () => Promise<unknown>][] = [
  ["read", /^Reading key \S+ in workspace ws_main: /, () => key.read(held)],
  ["update", /^Updating key "new" in workspace ws_main \(\S+\): /, () => key.update(held, changed())],
  ["delete", /^Deleting key "ci" in workspace ws_main \(\S+\): /, () => key.delete(held)],
];

/** Each operation fails in one line that says this, and leaves the key and the state as they were. */
async function expectErrors(says: RegExp): Promise<void> {
  for (const [, doing, run] of operations) {
    const { code, kept, message } = await failureOf(run());
    // Any other code means that the connection ended, and all other calls with it.
    expect([code, kept]).toEqual([2, undefined]);
    expect(message).toMatch(doing);
    expect(message).toMatch(says);
    expect(message).not.toContain(accessToken);
  }
  expect(scene.standIn.key(held.id)).toMatchObject({ deleted: false, name: "ci" });
}

test.each([400, 403, 409, 500])(
  "R6 an answer of %s is an error of each operation in the dynamic host, and the key stays in state",
  async (status) => {
    scene.standIn.inject({ fault: { kind: "status", status }, ...always });
    await expectErrors(new RegExp(`the service answered ${status}`));
  },
);

test("R6 R14 a wrong token is an error in the dynamic host that says where the token came from", async () => {
  scene.standIn.rotateToken("acme", "another");
  await expectErrors(/answered 401.*environment variable APIKEYS_ACCESS_TOKEN/).finally(() =>
    scene.standIn.rotateToken("acme", accessToken),
  );
});

test.each([403, 404, "empty"] as const)(
  "R6 the token of another tenant is an error in the dynamic host (a foreign workspace is answered with %s)",
  async (otherTenant) => {
    scene.standIn.setVariant({ otherTenant });
    scene.standIn.rotateToken("acme", "another");
    const name = `not ${otherTenant}`;
    scene.standIn.addTenant({ name, accessToken, workspaces: [] });
    try {
      await expectErrors(otherTenant === 403 ? /403/ : /The access token is the likely cause/);
    } finally {
      scene.standIn.rotateToken(name, `token of ${name}`);
      scene.standIn.rotateToken("acme", accessToken);
      scene.standIn.setVariant({});
    }
  },
);

test("R6 a service that is down is an error of each operation in the dynamic host", async () => {
  await scene.standIn.stop();
  await expectErrors(/the connection was refused/).finally(() => scene.standIn.start());
});

test("R6 R7 a key that was deleted outside Pulumi is gone for the dynamic host, and an update says so", async () => {
  scene.standIn.deleteKey(held.id);
  expect(await key.read(held)).toEqual({ id: "", properties: {}, inputs: undefined });
  const failure = await failureOf(key.update(held, changed()));
  expect(failure.message).toMatch(/^Updating key .* deleted outside Pulumi\. .*`pulumi up --refresh`/);
  await key.delete(held);
});

test("R3 R5 a change made outside Pulumi is read into inputs by the dynamic host, and an update reverts it", async () => {
  scene.standIn.editKey(held.id, { name: "theirs", enabled: false });
  const read = await key.read(held);
  expect(read.inputs).toEqual({ ...inputs, name: "theirs", enabled: false });
  const seen = { id: held.id, state: read.properties };
  expect((await key.diff(seen, inputs)).changes).toBe("unknown");
  await key.update(seen, inputs);
  expect(scene.standIn.key(held.id)).toMatchObject({ name: "ci", enabled: true });
});

test("a create that the service refuses leaves nothing, and the dynamic host's error says so", async () => {
  const failure = await failureOf(key.create({ ...inputs, workspaceId: "ws_nobody" }));
  expect(failure.kept).toBeUndefined();
  expect(failure.message).toMatch(
    /^Creating key "ci" in workspace ws_nobody: .*404.*\. Nothing was created\. Check /,
  );
});

test("K6 a create that fails halfway in the dynamic host is in state with its reason, and is replaced", async () => {
  scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "withoutKey" } });
  const { kept, message } = await failureOf(key.create(inputs));
  expect(message).toMatch(/did not return the secret/);
  expect(kept?.reasons).toEqual([message]);
  expect(kept?.properties).toMatchObject({ ...inputs, __keyLost: true });
  const lost = { id: kept?.id ?? "", state: kept?.properties ?? {} };
  expect(await key.diff(lost, inputs)).toEqual({ changes: "some", replaces: ["key"] });
});

test("K6 a create whose answer was lost is sent once by the dynamic host, and the error names the new key", async () => {
  const before = scene.standIn.keys().map(({ id }) => id);
  scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
  const { message, kept } = await failureOf(key.create({ ...inputs, name: "lost" }));
  const [made, ...others] = scene.standIn.keys().filter(({ id }) => !before.includes(id));
  expect([others, kept]).toEqual([[], undefined]);
  expect(message).toContain(`${made?.id} (created ${made?.createdAt})`);
});

test("an update or a delete whose answer was lost is sent again by the dynamic host", async () => {
  scene.standIn.inject({ endpoint: "editApiKey", fault: { kind: "resetAfter" } });
  expect(await key.update(held, changed())).toMatchObject({ state: { name: "new" } });
  scene.standIn.inject({ endpoint: "deleteApiKey", fault: { kind: "resetAfter" } });
  await key.delete(held);
  expect(scene.standIn.key(held.id)).toBeUndefined();
});
