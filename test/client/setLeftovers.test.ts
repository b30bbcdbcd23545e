import { expect, type TestContext, test } from "vitest";
import { startStandIn } from "../service";
import { type Process, startProcess } from "./lifecycles";

/** Ten keys that somebody made before, and a set that declares one of their name and customer. */
async function leftBehind({ onTestFinished }: TestContext, existingKey?: string) {
  const standIn = await startStandIn();
  const process: Process = startProcess(standIn);
  onTestFinished(async () => {
    await process.close();
    await standIn.close();
  });
  const name = "a name that leaves little room for what else there is to tell of ten keys";
  const record = { workspaceId: "ws_main", name, customerId: "cus_1" };
  const ids = Array.from({ length: 10 }, () => standIn.addKey(record).id);
  const set = process.of("ApiKeySet");
  const keys = { a: { name, customerId: "cus_1", ...(existingKey === undefined ? {} : { existingKey }) } };
  const { inputs } = set.check({ workspaceId: "ws_main", keys }, undefined);
  return { standIn, process, set, inputs, ids };
}

test("a set that makes a key names each of ten that earlier runs may have left", async (context) => {
  const { process, set, inputs, ids } = await leftBehind(context);
  await set.create(inputs);
  expect(process.warnings).toHaveLength(1);
  expect(ids.filter((id) => !process.warnings[0]?.includes(id))).toEqual([]);
});

test("a set whose existingKey is refused names each of ten keys that may hold it", async (context) => {
  const { standIn, set, inputs, ids } = await leftBehind(context, "existing-value");
  standIn.inject({ endpoint: "migrateApiKey", fault: { kind: "status", status: 409 } });
  const failure: unknown = await set.create(inputs).catch((error: unknown) => error);
  expect(ids.filter((id) => !String(failure).includes(id))).toEqual([]);
});
