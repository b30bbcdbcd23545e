import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAll, someOf } from "../all";
import { itInAll } from "../inAll";
import { expectQuiet, expectSilentUp, expectUnsaid } from "./expectations";
import { type Scene, setScene } from "./scene";

describe("examples/customers", () => {
  let scene: Scene;
  interface Row {
    readonly id: string;
    readonly name: string;
    readonly plan: string;
  }
  const plans = ["free", "pro", "enterprise"];
  const fifty = Array.from(
    { length: 50 },
    (_, n): Row => ({
      id: `cus_${n}`,
      name: `Customer ${n}`,
      plan: plans[n % plans.length] ?? "",
    }),
  );
  const writes = () =>
    scene.service.requests
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path.split("/api-key/")[0]}`);
  const write = (rows: readonly Row[]) =>
    scene.project.write(
      "customers.csv",
      ["id,name,plan", ...rows.map(({ id, name, plan }) => `${id},${name},${plan}`), ""].join("\n"),
    );
  const keyOf = (customer: string) => {
    const [found, ...others] = scene.service.keys().filter(({ customerId }) => customerId === customer);
    expect(others).toEqual([]);
    return found;
  };
  const may = (customer: string) =>
    keyOf(customer)?.scopes.map(({ representation, create, read, update, del }) =>
      [representation, create && "create", read && "read", update && "update", del && "del"]
        .filter((word) => word !== false)
        .join(" "),
    );
  const credits = () => scene.service.billings().map(({ totalCredits }) => totalCredits);
  const written = async () => JSON.parse(await readFile(join(scene.project.dir, "keys.json"), "utf8"));
  const expectedFile = () =>
    Object.fromEntries(
      scene.service.keys().map(({ id, customerId, maskedKey }) => [customerId, { keyId: id, maskedKey }]),
    );

  beforeAll(async () => {
    scene = await setScene("apikeys-customers", { example: "customers", byCli: isAll });
  });
  afterAll(() => scene?.close());

  it("creates a key for each of 50 customers with the scopes of the plan, and grants the plan's credits", async () => {
    await write(fifty);
    const preview = await scene.stack.preview();
    expect(preview, preview.output).toMatchObject({ ok: true, changes: { create: 35 } });
    await expect(written()).rejects.toThrow("ENOENT");
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 35 } });
    const keys = scene.service.keys();
    const names = keys.map(({ customerId, name }) => `${customerId} ${name}`);
    expect(names.toSorted()).toEqual(fifty.map(({ id, name }) => `${id} ${name}`).toSorted());
    expect(may("cus_0")).toEqual(["orders read"]);
    expect(may("cus_1")).toEqual(["orders create read update"]);
    expect(may("cus_2")?.toSorted()).toEqual(["orders create read update del", "reports read"]);
    expect(keyOf("cus_7")?.externalMeterId).toBe("meter-cus_7");
    expect(credits().filter((each) => each === "1000")).toHaveLength(17);
    expect(credits().filter((each) => each === "25000")).toHaveLength(16);
  });

  it("writes a file with each customer's key, and exports the secrets as a secret output", async () => {
    expect(await written()).toEqual(expectedFile());
    const secrets = Object.fromEntries(scene.service.keys().map(({ customerId, key }) => [customerId, key]));
    expect(await scene.stack.outputs()).toEqual({ secrets: { value: secrets, secret: true } });
    await expectUnsaid(scene, Object.values(secrets));
  });

  itInAll("then shows no change and sends no request, and a preview writes no file", async () => {
    await rm(join(scene.project.dir, "keys.json"));
    await expectQuiet(scene);
    await expect(written()).rejects.toThrow("ENOENT");
    await expectSilentUp(scene);
    expect(await written()).toEqual(expectedFile());
  });

  it("follows the CSV file: a changed plan edits the key in place, a new line adds a key, a removed line deletes one", async () => {
    const before = keyOf("cus_0");
    const changed = fifty
      .filter(({ id }) => id !== "cus_3")
      .map((row) => (row.id === "cus_0" ? { ...row, plan: "pro" } : row));
    await write([...changed, { id: "cus_50", name: "The last", plan: "free" }]);
    scene.service.clearRequests();
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 1, update: 1, same: 34 } });
    expect(writes()).toEqual(
      expect.arrayContaining([
        "POST /api/v1/customer-billing",
        "POST /api/v1/api-key",
        "PATCH /api/v1/workspace/ws_main",
        "DELETE /api/v1/workspace/ws_main",
      ]),
    );
    expect(writes()).toHaveLength(4);
    expect(may("cus_0")).toEqual(["orders create read update"]);
    expect([keyOf("cus_0")?.id, keyOf("cus_0")?.key]).toEqual([before?.id, before?.key]);
    expect([keyOf("cus_3"), keyOf("cus_50")?.name]).toEqual([undefined, "The last"]);
    expect(credits()).toHaveLength(34);
    expect(await written()).toEqual(expectedFile());
    await expectSilentUp(scene);
  });

  const wrong: readonly (readonly [string, string, string])[] = [
    ["an unknown plan", "cus_60,Sixty,gold", "the plan must be one of free, pro, enterprise"],
    [
      "a plan by the name of a method",
      "cus_60,Sixty,toString",
      "the plan must be one of free, pro, enterprise",
    ],
    ["a field too many", "cus_60,Sixty,Ltd,free", "must be id,name,plan"],
    ["no id", ",Sixty,free", "must be id,name,plan"],
    ["a customer twice", "cus_1,Again,pro", "cus_1 is listed twice"],
  ];
  it.each(someOf(wrong, ([what]) => what === "a field too many"))(
    "fails the preview of a line with %s, without a request",
    async (_, line, reason) => {
      const lines = fifty.slice(0, 2).map(({ id, name, plan }) => `${id},${name},${plan}`);
      await scene.project.write("customers.csv", ["id,name,plan", ...lines, line].join("\n"));
      scene.service.clearRequests();
      const preview = await scene.stack.preview();
      expect(preview.ok).toBe(false);
      expect(preview.output).toContain(`customers.csv, line 4: ${reason}`);
      expect(scene.service.requests).toEqual([]);
    },
  );

  it("fails for customers who leave a plan with credits, until the command in its comment unprotects them", async () => {
    await write(fifty.slice(0, 7).map((row) => (row.id === "cus_1" ? { ...row, plan: "enterprise" } : row)));
    const up = await scene.stack.up();
    expect(up.ok).toBe(false);
    expect(up.output).toContain("protect");
    const unprotect = await scene.stack.run(["state", "unprotect", "--all", "--yes"]);
    expect(unprotect.ok, unprotect.output).toBe(true);
    const next = await scene.stack.up();
    expect(next.ok, next.output).toBe(true);
    expect(scene.service.keys()).toHaveLength(7);
    expect(may("cus_1")).toEqual(may("cus_2"));
    expect(credits()).toHaveLength(35);
  });

  it("on destroy deletes the keys and leaves the credits", async () => {
    await scene.stack.run(["state", "unprotect", "--all", "--yes"]);
    const secrets = scene.service.keys().map(({ key }) => key);
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.keys()).toEqual([]);
    expect(credits()).toHaveLength(35);
    await expectUnsaid(scene, secrets);
  });
});
