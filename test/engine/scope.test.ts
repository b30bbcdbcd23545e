import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fault } from "../../standin";
import { describeInAll } from "../inAll";
import { errorsFor, expectQuiet, expectSilentUp, onlyLine, stepsFor } from "./expectations";
import { programOf } from "./kindProgram";
import { type Scene, setScene } from "./scene";

const program = programOf("Scope");
const orders = (name: string, description: string, representation = "orders") =>
  `{ ...base, name: "${name}", description: "${description}", representation: "${representation}" }`;

describe("a scope that the workspace already has", () => {
  let scene: Scene;
  let id: string;
  const posts = () => scene.service.requests.filter(({ method }) => method !== "GET");
  const declare = (text: string) => scene.declare(program({ orders: text }));

  beforeAll(async () => {
    scene = await setScene("scope-adopted", { program: program({ orders: orders("Orders", "Every one") }) });
    const there = { representation: "orders", name: "Orders", description: "All orders" };
    id = scene.service.addScope({ workspaceId: "ws_main", ...there }).id;
  });
  afterAll(() => scene?.close());

  it("S1 fails the update if its values differ, and the error has the service's values", async () => {
    const preview = await scene.stack.preview();
    expect(preview.ok, preview.output).toBe(true);
    expect(scene.service.requests).toEqual([]);
    const line = onlyLine(await scene.stack.up(), "orders");
    expect(line).toContain(`the workspace already has it (${id}), with description "All orders"`);
    expect(line).toContain("Declare these values, or another representation");
    expect(posts()).toEqual([]);
    expect(JSON.stringify(await scene.stack.exportState())).not.toContain("apikeys:Scope");
  });

  it("S1 is adopted without a POST if its values differ only in case and white space", async () => {
    await declare(orders("orders ", "ALL orders"));
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 1 } });
    expect(await scene.stack.outputs()).toMatchObject({ ordersId: { value: id } });
    expect(posts()).toEqual([]);
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  it("S2 fails the preview if name or description changes, with the way out", async () => {
    await declare(orders("New orders", "New ones"));
    scene.service.clearRequests();
    for (const command of ["preview", "up"] as const) {
      const lines = errorsFor(await scene.stack[command](), "orders");
      expect(lines).toHaveLength(2);
      ["name", "description"].forEach((field, place) => {
        expect(lines[place]).toContain(`${field}: can't change, because the service has no call that edits`);
        expect(lines[place]).toContain("declare another representation, which creates another scope");
      });
    }
    expect(scene.service.requests).toEqual([]);
  });

  it("S2 is replaced if the representation changes, and a warning says that the old scope stays", async () => {
    await declare(orders("New orders", "New ones", "new-orders"));
    const preview = await scene.stack.preview();
    const shown = stepsFor(preview, "orders").find(({ op }) => op === "replace");
    expect(shown, preview.output).toMatchObject({ replacedFor: ["representation"] });
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { replace: 1 } });
    expect(posts()).toHaveLength(1);
    expect(up.stdout).toContain(`warning: Scope "orders" in workspace ws_main (${id}) stays in the service`);
    const stored = scene.service.scopes("ws_main").map(({ representation }) => representation);
    expect(stored).toEqual(["orders", "new-orders"]);
    await expectQuiet(scene);
  });

  it("S3 is destroyed without a request, with a warning that it stays, and is adopted if declared again", async () => {
    const made = scene.service.scopes("ws_main")[1]?.id;
    scene.service.clearRequests();
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(destroy.stdout).toContain(
      `warning: Scope "new-orders" in workspace ws_main (${made}) stays in the service, which has no call to delete a scope`,
    );
    expect(scene.service.requests).toEqual([]);
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(await scene.stack.outputs()).toMatchObject({ ordersId: { value: made } });
    expect(posts()).toEqual([]);
  });
});

describeInAll("a scope that is deleted outside Pulumi, or that the token can't see", () => {
  let scene: Scene;
  const tenants = [
    { name: "acme", accessToken: "token-of-acme", workspaces: [{ id: "ws_main" }] },
    { name: "globex", accessToken: "token-of-globex", workspaces: [{ id: "ws_theirs" }] },
  ];
  const state = async () => {
    const { resources = [] } = await scene.stack.exportState({ showSecrets: true });
    return resources.map(({ urn, id, inputs, outputs }) => ({ urn, id, inputs, outputs }));
  };
  beforeAll(async () => {
    scene = await setScene("scope-gone", { tenants, program: program({ held: orders("Held", "") }) });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterAll(() => scene?.close());

  it("R6 stays in state with another tenant's token, although its list is empty", async () => {
    scene.service.setDialect({ otherTenant: "empty" });
    scene.stack.setEnv("APIKEYS_ACCESS_TOKEN", "token-of-globex");
    const before = await state();
    const line = onlyLine(await scene.stack.refresh(), "held");
    expect(line).toContain("The access token is the likely cause");
    expect(line).toContain("APIKEYS_ACCESS_TOKEN");
    expect(await state()).toEqual(before);
    scene.stack.setEnv("APIKEYS_ACCESS_TOKEN", "token-of-acme");
  });

  it("S3 stays in state with a warning, and is created again after `pulumi state delete`", async () => {
    const id = scene.service.scopes("ws_main")[0]?.id ?? "";
    scene.service.deleteScope(id);
    const refresh = await scene.stack.up({ refresh: true });
    expect(refresh.ok, refresh.output).toBe(true);
    expect(refresh.output).toContain(
      "the service does not list it, but the list may be truncated, so it stays in state",
    );
    const held = (await state()).find((one) => one.id === id);
    const removed = await scene.stack.run(["state", "delete", held?.urn ?? "", "--yes"]);
    expect(removed.ok, removed.output).toBe(true);
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 1 } });
    expect(scene.service.scopes("ws_main")).toMatchObject([{ representation: "orders", name: "Held" }]);
    await expectSilentUp(scene);
  });
});

/** Ways in which the answer to a POST is lost although the scope is created. */
const losses: Readonly<Record<string, Fault>> = {
  reset: { kind: "resetAfter" },
  error: { kind: "errorAfter" },
  cut: { kind: "truncated" },
  empty: { kind: "emptyBody" },
};

describe("a scope whose POST gets no usable answer", () => {
  let scene: Scene;
  const names = Object.keys(losses);
  const declared = (name: string) => `{ ...base, name: "${name}", representation: "scope-${name}" }`;
  const inject = (name: string, fault: Fault) =>
    scene.service.inject({
      endpoint: "createScope",
      when: ({ body }) => JSON.stringify(body).includes(`"scope-${name}"`),
      fault,
    });
  const posts = () => scene.service.requests.filter(({ endpoint }) => endpoint === "createScope");
  const stored = () =>
    scene.service
      .scopes("ws_main")
      .map(({ representation }) => representation)
      .sort();

  beforeAll(async () => {
    // A second POST would create a second scope.
    scene = await setScene("scope-lost", {
      dialect: { duplicateScope: "created" },
      program: program(Object.fromEntries(names.map((name) => [name, declared(name)]))),
    });
  });
  afterAll(() => scene?.close());

  it("S4 is found in the list and not posted twice, after a reset, an error, a truncated and an empty answer", async () => {
    for (const [name, fault] of Object.entries(losses)) inject(name, fault);
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(posts()).toHaveLength(names.length);
    expect(stored()).toEqual(names.map((name) => `scope-${name}`).sort());
    const ids = scene.service.scopes("ws_main").map(({ name, id }) => [`${name}Id`, { value: id }]);
    expect(await scene.stack.outputs()).toMatchObject(Object.fromEntries(ids));
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  it("S4 fails the update if the list doesn't show it, and the next update creates it once", async () => {
    await scene.declare(program({ unsure: declared("unsure") }));
    inject("unsure", { kind: "resetBefore" });
    scene.service.clearRequests();
    const line = onlyLine(await scene.stack.up(), "unsure");
    expect(line).toContain(
      "It is not known whether the scope was created. Run `pulumi up` again, which looks for it before creating one",
    );
    expect(posts()).toHaveLength(1);
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(stored().filter((name) => name === "scope-unsure")).toHaveLength(1);
  });
});
