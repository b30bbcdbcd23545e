import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { accessToken, type Fixture, failureOf, openFixture } from "./fixture";
import type { HostedResource, Properties, Resource } from "./host";
import { quickTimers } from "./quickTimers";

let fixture: Fixture;
let key: HostedResource;
let inputs: Properties;
let held: Resource;
beforeAll(async () => {
  fixture = await openFixture({ env: quickTimers() });
  key = fixture.key;
  ({ inputs } = await key.check({ workspaceId: "ws_main", customerId: "cus_1", name: "ci" }));
});
beforeEach(async () => {
  fixture.standIn.clearFaults();
  held = await key.create(inputs);
});
afterAll(async () => {
  const printed = await fixture.close();
  // The host would print a line for each failed read and delete. The engine shows the error itself.
  for (const line of printed.split("\n").filter((text) => text !== ""))
    expect(line).toMatch(/^(warning: \S|ApiKeySet "|its secret)/);
});

const changed = () => ({ ...inputs, name: "new" });
const operations: readonly [doing: RegExp, run: () => Promise<unknown>][] = [
  [/^Reading key \S+ in workspace ws_main: /, () => key.read(held)],
  [/^Updating key "new" in workspace ws_main \(\S+\): /, () => key.update(held, changed())],
  [/^Deleting key "ci" in workspace ws_main \(\S+\): /, () => key.delete(held)],
];

/** Each operation fails in one line that says this, and leaves the key and the state as they were. */
async function expectErrors(says: RegExp): Promise<void> {
  for (const [doing, run] of operations) {
    const { code, kept, message } = await failureOf(run());
    // Any other code means that the connection ended, and all other calls with it.
    expect([code, kept]).toEqual([2, undefined]);
    expect(message).toMatch(doing);
    expect(message).toMatch(says);
    expect(message).not.toContain(accessToken);
  }
  expect(fixture.standIn.key(held.id)).toMatchObject({ deleted: false, name: "ci" });
}

test("R6 a service that refuses, or is down, is an error of each operation in the dynamic host", async () => {
  const fault = { kind: "status", status: 403 } as const;
  fixture.standIn.inject({ fault, times: Number.POSITIVE_INFINITY });
  await expectErrors(/the service answered 403/);
  await fixture.standIn.stop();
  await expectErrors(/the connection was refused/).finally(() => fixture.standIn.start());
});

test("R6 R14 a wrong token is an error in the dynamic host that says where the token came from", async () => {
  fixture.standIn.rotateToken("acme", "token-of-later");
  await expectErrors(/answered 401.*environment variable APIKEYS_ACCESS_TOKEN/).finally(() =>
    fixture.standIn.rotateToken("acme", accessToken),
  );
});

test("R6 the token of another tenant, to which nothing exists, is an error in the dynamic host", async () => {
  fixture.standIn.setVariant({ otherTenant: "empty" });
  fixture.standIn.rotateToken("acme", "token-of-later");
  fixture.standIn.rotateToken("other", accessToken);
  await expectErrors(/The access token is the likely cause/);
  fixture.standIn.rotateToken("other", "token-of-other");
  fixture.standIn.rotateToken("acme", accessToken);
  fixture.standIn.setVariant({});
});

test("R6 R7 a key that was deleted outside Pulumi is gone for the dynamic host, and an update says so", async () => {
  fixture.standIn.deleteKey(held.id);
  expect(await key.read(held)).toEqual({ id: "", properties: {}, inputs: undefined });
  const failure = await failureOf(key.update(held, changed()));
  expect(failure.message).toMatch(/^Updating key .* deleted outside Pulumi\. .*`pulumi up --refresh`/);
  await key.delete(held);
});

test("R3 R5 a change made outside Pulumi is read into inputs by the dynamic host, and an update reverts it", async () => {
  fixture.standIn.editKey(held.id, { name: "theirs", enabled: false });
  const read = await key.read(held);
  expect(read.inputs).toEqual({ ...inputs, name: "theirs", enabled: false });
  const seen = { id: held.id, state: read.properties };
  expect((await key.diff(seen, inputs)).changes).toBe("unknown");
  await key.update(seen, inputs);
  expect(fixture.standIn.key(held.id)).toMatchObject({ name: "ci", enabled: true });
});

test("K6 a create that fails halfway in the dynamic host is in state with its reason, and is replaced", async () => {
  fixture.standIn.inject({ endpoint: "createApiKey", fault: { kind: "withoutKey" } });
  const { kept, details, message } = await failureOf(key.create(inputs));
  expect(message).toMatch(/did not return the secret/);
  expect(kept?.reasons).toEqual([details]);
  expect(kept?.properties).toMatchObject({ ...inputs, __keyLost: true });
  const lost = { id: kept?.id ?? "", state: kept?.properties ?? {} };
  expect(await key.diff(lost, inputs)).toEqual({ changes: "some", replaces: ["key"] });
});

test("K6 a create whose answer was lost is sent once by the dynamic host, and the error names the new key", async () => {
  const before = fixture.standIn.keys().map(({ id }) => id);
  fixture.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
  const { message, kept } = await failureOf(key.create({ ...inputs, name: "lost" }));
  const [made, ...others] = fixture.standIn.keys().filter(({ id }) => !before.includes(id));
  expect([others, kept]).toEqual([[], undefined]);
  expect(message).toContain(`${made?.id} (created ${made?.createdAt})`);
});

test("R8 R17 the dynamic host's check removes the resource's name, and names no property of a failure", async () => {
  const named = { ...inputs, __resourceName: "ci" };
  expect(await key.check(named)).toEqual({ inputs, failures: [] });
  expect(await key.check(named, inputs)).toEqual({ inputs, failures: [] });
  const { failures } = await key.check({ ...inputs, enabled: "sk_marker", unheardOf: 1 });
  expect(failures.map(({ property }) => property)).toEqual(["", ""]);
  expect(JSON.stringify(failures)).not.toContain("sk_marker");
});

test("a line about what an update would do begins with its resource, which Pulumi doesn't name", async () => {
  const sets = fixture.host.resource("ApiKeySet");
  const empty = { workspaceId: "ws_main", keys: {}, defaults: { customerId: "cus_1" } };
  const { inputs: before } = await sets.check({ ...empty, keys: { a: {} }, __resourceName: "one" });
  for (const name of ["one", "two"]) {
    const next = await sets.check({ ...empty, __resourceName: name }, before);
    await sets.diff(await sets.create(before), next.inputs);
  }
  const line = '1 to delete: "a".';
  await expect
    .poll(() => fixture.host.output.stderr)
    .toContain(`ApiKeySet "one": ${line}\nApiKeySet "two": ${line}\n`);
});
