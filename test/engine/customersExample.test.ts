import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { expectSilentUp, expectUnsaid } from "./expectations";
import { createFixture, type Fixture } from "./fixture";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
}
const plans = ["free", "pro", "enterprise"];
const fifty = Array.from(
  { length: 50 },
  (_, n): Row => ({ id: `cus_${n}`, name: `Customer ${n}`, plan: plans[n % plans.length] ?? "" }),
);
const lines = (rows: readonly Row[]) => rows.map(({ id, name, plan }) => `${id},${name},${plan}`);
const write = ({ project }: Fixture, rows: readonly string[]) =>
  project.write("customers.csv", ["id,name,plan", ...rows, ""].join("\n"));
const customers = () => createFixture("apikeys-customers", { example: "customers" });

it("E1 B3 examples/customers follows its CSV file: keys and credits for each customer, and a file of the keys without their secrets", async () => {
  const fixture = await customers();
  const { service, stack, project } = fixture;
  const writes = () =>
    service.requests
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path.split("/api-key/")[0]}`);
  const keyOf = (customer: string) => {
    const [found, ...others] = service.keys().filter(({ customerId }) => customerId === customer);
    expect(others).toEqual([]);
    return found;
  };
  const may = (customer: string) =>
    keyOf(customer)?.scopes.map(({ representation, create, read, update, del }) =>
      [representation, create && "create", read && "read", update && "update", del && "del"]
        .filter((word) => word !== false)
        .join(" "),
    );
  const credits = () => service.billings().map(({ totalCredits }) => totalCredits);
  const written = async () => JSON.parse(await readFile(join(project.dir, "keys.json"), "utf8"));
  const expectWritten = async () =>
    expect(await written()).toEqual(
      Object.fromEntries(
        service.keys().map(({ id, customerId, maskedKey }) => [customerId, { keyId: id, maskedKey }]),
      ),
    );

  await write(fixture, lines(fifty));
  const preview = await stack.preview();
  expect(preview, preview.output).toMatchObject({ ok: true, changes: { create: 35 } });
  await expect(written()).rejects.toThrow("ENOENT");
  const created = await stack.up();
  expect(created, created.output).toMatchObject({ ok: true, changes: { create: 35 } });
  const names = service.keys().map(({ customerId, name }) => `${customerId} ${name}`);
  expect(names.toSorted()).toEqual(fifty.map(({ id, name }) => `${id} ${name}`).toSorted());
  expect(may("cus_0")).toEqual(["orders read"]);
  expect(may("cus_1")).toEqual(["orders create read update"]);
  expect(may("cus_2")?.toSorted()).toEqual(["orders create read update del", "reports read"]);
  expect(keyOf("cus_7")?.externalMeterId).toBe("meter-cus_7");
  expect(credits().filter((each) => each === "1000")).toHaveLength(17);
  expect(credits().filter((each) => each === "25000")).toHaveLength(16);
  await expectWritten();
  const secrets = Object.fromEntries(service.keys().map(({ customerId, key }) => [customerId, key]));
  expect(await stack.outputs()).toEqual({ secrets: { value: secrets, secret: true } });
  await expectUnsaid(fixture, Object.values(secrets));

  // A changed plan edits the key in place, a new line adds a key, a removed line deletes one.
  const before = keyOf("cus_0");
  const changed = fifty
    .filter(({ id }) => id !== "cus_3")
    .map((row) => (row.id === "cus_0" ? { ...row, plan: "pro" } : row));
  await write(fixture, lines([...changed, { id: "cus_50", name: "The last", plan: "free" }]));
  service.clearRequests();
  const up = await stack.up();
  expect(up, up.output).toMatchObject({ ok: true, changes: { create: 1, update: 1, same: 34 } });
  expect(writes().toSorted()).toEqual([
    "DELETE /api/v1/workspace/ws_main",
    "PATCH /api/v1/workspace/ws_main",
    "POST /api/v1/api-key",
    "POST /api/v1/customer-billing",
  ]);
  expect(may("cus_0")).toEqual(["orders create read update"]);
  expect([keyOf("cus_0")?.id, keyOf("cus_0")?.key]).toEqual([before?.id, before?.key]);
  expect([keyOf("cus_3"), keyOf("cus_50")?.name]).toEqual([undefined, "The last"]);
  expect(credits()).toHaveLength(34);
  await expectWritten();
  await expectSilentUp(fixture);

  // Customers who leave a plan with credits fail, until the command in the program's comment unprotects them.
  const few = fifty.slice(0, 7).map((row) => (row.id === "cus_1" ? { ...row, plan: "enterprise" } : row));
  await write(fixture, lines(few));
  const refused = await stack.up();
  expect(refused.ok).toBe(false);
  expect(refused.output).toContain("protect");
  const unprotect = () => stack.run(["state", "unprotect", "--all", "--yes"]);
  await unprotect();
  const next = await stack.up();
  expect(next.ok, next.output).toBe(true);
  expect(service.keys()).toHaveLength(7);
  expect(may("cus_1")).toEqual(may("cus_2"));
  expect(credits()).toHaveLength(35);

  await unprotect();
  const destroy = await stack.destroy();
  expect(destroy.ok, destroy.output).toBe(true);
  expect(service.keys()).toEqual([]);
  expect(credits()).toHaveLength(35);
});
