import { expect, type TestContext, test } from "vitest";
import { startStandIn } from "../../standin";
import { type Process, startProcess } from "./lifecycles";

/** Existing keys outside the stack, and a set that declares one with their name and customer. */
async function leftBehind({ onTestFinished }: TestContext, count: number) {
  const standIn = await startStandIn();
  const process: Process = startProcess(standIn);
  onTestFinished(async () => {
    await process.close();
    await standIn.close();
  });
  const name = "a name that leaves little room for other text in a warning about ten keys";
  const record = { workspaceId: "ws_main", name, customerId: "cus_1" };
  const ids = Array.from({ length: count }, () => standIn.addKey(record).id);
  const set = process.of("ApiKeySet");
  const keys = { a: { name, customerId: "cus_1" } };
  const { inputs } = set.check({ workspaceId: "ws_main", keys }, undefined);
  return { standIn, process, set, inputs, ids };
}

test("a create of a set warns about each of ten keys that earlier runs may have left behind", async (context) => {
  const { process, set, inputs, ids } = await leftBehind(context, 10);
  await set.create(inputs);
  expect(process.warnings).toHaveLength(1);
  expect(ids.filter((id) => !process.warnings[0]?.includes(id))).toEqual([]);
  expect(process.warnings[0]).toContain("manages one, or this update replaces it, do nothing");
});

test("an update of a set warns about the key that a killed update left, even if the key in state was deleted", async (context) => {
  const { standIn, set, inputs } = await leftBehind(context, 0);
  const { id, state } = await set.create(inputs);
  const killed = startProcess(standIn);
  const next = (version: string) => {
    const entry = { ...(inputs["keys"] as { readonly a: object }).a, keepers: { version } };
    return { ...inputs, keys: { a: entry } };
  };
  await killed.of("ApiKeySet").update(id, state, set.check(next("2"), inputs).inputs);
  await killed.close();
  const left = standIn.keys().at(-1)?.id ?? "";
  const again = startProcess(standIn);
  const declared = again.of("ApiKeySet").check(next("3"), inputs).inputs;
  again.of("ApiKeySet").diff(id, state, declared);
  await again.of("ApiKeySet").update(id, state, declared);
  await again.close();
  expect(again.warnings.filter((line) => line.includes(left))).toHaveLength(1);
});

test("a create of a key warns about the key that a killed create left, even if the key in state was deleted", async ({
  onTestFinished,
}) => {
  const standIn = await startStandIn();
  onTestFinished(() => standIn.close());
  const declared = (version: string) => ({
    ...{ workspaceId: "ws_main", name: "ci", customerId: "cus_1" },
    ...{ scopes: [{ representation: "users", read: true }], keepers: { version } },
  });
  const made = startProcess(standIn);
  const { inputs } = made.of("ApiKey").check(declared("1"), undefined);
  const { id, state } = await made.of("ApiKey").create(inputs);
  await made.close();
  standIn.deleteKey(id);
  const killed = startProcess(standIn);
  const left = await killed.of("ApiKey").create(killed.of("ApiKey").check(declared("2"), inputs).inputs);
  await killed.close();
  const again = startProcess(standIn);
  const next = again.of("ApiKey").check(declared("2"), inputs).inputs;
  again.of("ApiKey").diff(id, state, next);
  await again.of("ApiKey").create(next);
  await again.close();
  expect(again.warnings.filter((line) => line.includes(left.id))).toHaveLength(1);
});
