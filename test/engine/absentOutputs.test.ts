import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Host } from "../../tools/engine/project";
import { someOf } from "../all";
import { type Scene, setScene } from "./scene";

const program = `import * as pulumi from "@pulumi/pulumi";
import { ApiKey, ApiKeySet, CustomerBilling, RotatingApiKey, Scope, WorkspaceSettings } from "pulumi-apikeys";

const base = { workspaceId: "ws_main", customerId: "customer" };
const ci = new RotatingApiKey("ci", { ...base, rotateEvery: "90d" });
const plain = new ApiKey("plain", base);
const set = new ApiKeySet("set", { workspaceId: "ws_main", keys: {} });
const scope = new Scope("scope", { workspaceId: "ws_main", name: "Bills", representation: "bills" });
const settings = new WorkspaceSettings("settings", { workspaceId: "ws_main", defaultExpiration: 5 });
const billing = new CustomerBilling("billing", { workspaceId: "ws_main", billingId: "bill_1" });
const theirs = Scope.get("theirs", "orders", { workspaceId: "ws_main" });
const absent = pulumi.all([
  ...[ci.previousKey, ci.previousKeyId, ci.retiresAt, plain.effectiveExpiresAt, plain.prefix, set.defaults],
  ...[scope.description, settings.defaultKeyPrefix, billing.createdAt, billing.totalCredits, theirs.description],
]);
new ApiKey("dependent", { ...base, name: absent.apply((all) => "after " + all.filter(Boolean).length) });

export const retiresAt = ci.retiresAt;
const inCloud = pulumi.runtime.serializeFunction(() => [plain.maskedKey.get(), plain.prefix.get()]);
export const uploaded = inCloud.then(({ text }) => text);
`;

const hosts = someOf<Host>(["dynamic", "plugin"], (host) => host === "dynamic");

describe.each(hosts)("outputs that a resource doesn't have, in the %s host", (host) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene(`absent-${host}`, { program, host });
    scene.service.addScope({ workspaceId: "ws_main", representation: "orders" });
  });
  afterAll(() => scene?.close());

  it("R12 show no change in the preview of a resource that uses them", async () => {
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    const preview = await scene.stack.preview({ expectNoChanges: true });
    expect(preview.ok, preview.output).toBe(true);
    expect(preview.output).not.toContain("[unknown]");
  });

  it("R12 are plain values in a serialized function that runs elsewhere", async () => {
    const { uploaded } = await scene.stack.outputs();
    const [masked] = scene.service.keys().filter(({ name }) => name === "plain");
    const exported: { handler?: () => unknown } = {};
    new Function("exports", String(uploaded?.value))(exported);
    expect(exported.handler?.()).toEqual([masked?.maskedKey, undefined]);
  });
});
