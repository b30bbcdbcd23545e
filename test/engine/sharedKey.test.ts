import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Variant } from "../../standin";
import { loadProgram } from "../../tools/engine/loadProgram";
import type { Outcome } from "../../tools/engine/outcome";
import { createProject, type Project } from "../../tools/engine/project";
import { createStack, type EngineStack } from "../../tools/engine/stack";
import { onlyLine, stepsFor } from "./expectations";
import { programWithKeys } from "./programs";
import { credentials, type Scene, setScene } from "./scene";

const expectOk = (outcome: Outcome) => expect(outcome.ok, outcome.output).toBe(true);

/** An adopted key has no secret, so a program that exports it fails. */
const withoutSecrets: typeof programWithKeys = (keys) =>
  programWithKeys(keys).replace(/^export const \w+Secret .*$/gm, "");

/** Two stacks with the same key, as docs/api-key.md describes: the scene's, and one of another project. */
interface Both {
  readonly scene: Scene;
  readonly other: EngineStack;
  readonly project: Project;
  declareInOther(program: string): Promise<void>;
  close(): Promise<void>;
}

async function setBoth(name: string, variant: Partial<Variant> = {}): Promise<Both> {
  const scene = await setScene(name, { variant, program: programWithKeys({}) });
  const project = await createProject(`${name}-other`);
  const declareInOther = (program: string) => project.write("index.ts", program);
  await declareInOther(programWithKeys({}));
  const other = await createStack(project, {
    program: loadProgram(project.dir),
    env: credentials(scene.service),
  });
  const close = async () => {
    await Promise.all([scene.close(), project.remove()]);
  };
  return { scene, other, project, declareInOther, close };
}

describe("a key that two stacks imported", () => {
  let both: Both;
  let id: string;
  const held = () => both.scene.service.key(id);
  const program = (args: string, withSecrets = false) =>
    withSecrets
      ? programWithKeys({ key: `{ ...base, ${args} }` })
      : withoutSecrets({ key: `{ ...base, ${args} }` });
  const ours = (args: string) => both.scene.declare(program(args));
  const theirs = (args: string) => both.declareInOther(program(args));

  beforeAll(async () => {
    both = await setBoth("shared");
    const { scene, other, project } = both;
    const declared = { workspaceId: "ws_main", customerId: "customer", name: "shared" };
    id = scene.service.addKey(declared).id;
    const __provider = 'exports.handler=()=>require("pulumi-apikeys/dynamic").provider("ApiKey");';
    const properties = { __provider, ...declared };
    const type = "pulumi-nodejs:dynamic/apikeys:ApiKey";
    const entry = { type, name: "key", id, inputs: properties, outputs: properties };
    for (const each of [scene.project, project]) {
      await each.write("import.json", JSON.stringify({ resources: [entry] }));
    }
    for (const stack of [scene.stack, other]) {
      expectOk(await stack.import("import.json", "--protect=false"));
      expectOk(await stack.refresh());
    }
    await ours('name: "shared"');
    await theirs('name: "shared"');
  });
  afterAll(() => both?.close());

  it("R3 shows a change by one stack as drift in the other, whose next update reverts it", async () => {
    await ours('name: "ours"');
    expectOk(await both.scene.stack.up());
    expect(held()).toMatchObject({ name: "ours" });
    const up = await both.other.up({ refresh: true });
    expectOk(up);
    expect(stepsFor(up, "key")).toMatchObject([
      { duringRefresh: true, changed: { name: { old: "shared", new: "ours" } } },
      { op: "update", changed: { name: { old: "ours", new: "shared" } } },
    ]);
    expect(held()).toMatchObject({ name: "shared" });
  });

  it("K1 loses the other stack's changes in an update without a refresh, which writes all three fields", async () => {
    await theirs('name: "shared", enabled: false');
    expectOk(await both.other.up());
    expect(held()).toMatchObject({ name: "shared", enabled: false });
    await ours('name: "ours", scopes: [{ representation: "orders", read: true }]');
    expectOk(await both.scene.stack.up());
    expect(held()).toMatchObject({ name: "ours", enabled: true, scopes: [{ read: true }] });
  });

  it("R6 is deleted for both stacks by one destroy, and the other stack's next change fails until `up --refresh`", async () => {
    expectOk(await both.scene.stack.destroy());
    expect(both.scene.service.keys()).toEqual([]);
    expectOk(await both.other.up({ expectNoChanges: true }));
    await theirs('name: "changed"');
    expect(onlyLine(await both.other.up(), "key")).toContain("pulumi up --refresh");
    await both.declareInOther(program('name: "changed"', true));
    expectOk(await both.other.up({ refresh: true }));
    const [made, ...more] = both.scene.service.keys();
    expect(more).toEqual([]);
    expect(made?.id).not.toBe(id);
    expect(await both.other.outputs()).toMatchObject({ keySecret: { value: made?.key, secret: true } });
  });
});

const value = "sk_of_both_stacks_0123456789";

describe.each([
  ["refuses a value that it already has", 409],
  ["returns the record that has the value", "returned"],
  ["creates a second record with the value", "created"],
] as const)("the same existingKey in two stacks, on a service that %s", (_words, duplicateKey) => {
  let both: Both;
  const keys = () => both.scene.service.keys();

  beforeAll(async () => {
    both = await setBoth("existing", { duplicateKey });
    const program = programWithKeys({ key: `{ ...base, existingKey: process.env["APIKEYS_EXISTING"] }` });
    for (const stack of [both.scene.stack, both.other]) stack.setEnv("APIKEYS_EXISTING", value);
    await both.scene.declare(program);
    await both.declareInOther(program);
    expectOk(await both.scene.stack.up());
  });
  afterAll(() => both?.close());

  it(`K5 ${duplicateKey === 409 ? "fails the second stack's update, and the first stack's key stays" : "lets both updates succeed"}`, async () => {
    const up = await both.other.up();
    if (duplicateKey === 409) expect(onlyLine(up, "key")).toContain("the service answered 409");
    else expectOk(up);
    expect(keys()).toHaveLength(duplicateKey === "created" ? 2 : 1);
    expect(keys().map(({ key }) => key)).toEqual(keys().map(() => value));
    expectOk(await both.scene.stack.previewRefresh({ expectNoChanges: true }));
  });

  it(`K10 ${duplicateKey === "returned" ? "is deleted for both by one stack's destroy" : "stays in the first stack after the second stack's destroy"}`, async () => {
    const { id } = keys()[0] ?? {};
    expectOk(await both.other.destroy());
    expect(keys().map((key) => key.id)).toEqual(duplicateKey === "returned" ? [] : [id]);
    // With `up --refresh`, the first stack migrates the value again.
    expectOk(await both.scene.stack.up({ refresh: true }));
    expect(keys().map(({ key }) => key)).toEqual([value]);
  });
});

describe("the same existingKey twice in one program", () => {
  let scene: Scene;
  const single = `{ ...base, existingKey: process.env["APIKEYS_EXISTING"] }`;
  const set = `
import { ApiKeySet } from "pulumi-apikeys";
new ApiKeySet("set", { workspaceId: "ws_main", keys: { beta: { customerId: "cus_1", existingKey: process.env["APIKEYS_EXISTING"] } } });
`;
  beforeAll(async () => {
    scene = await setScene("given-twice", { program: programWithKeys({ first: single }) });
    scene.stack.setEnv("APIKEYS_EXISTING", value);
  });
  afterAll(() => scene?.close());

  it("K5 R17 fails the update before it is sent, and names the other resource", async () => {
    expectOk(await scene.stack.up());
    await scene.declare(`${programWithKeys({ first: single, second: single })}${set}`);
    const up = await scene.stack.up();
    expect(up.ok).toBe(false);
    expect(up.output).toMatch(/existingKey: the resource \w+ declares the same value/);
    expect(scene.service.keys()).toHaveLength(1);
  });
});

describe("a key that was imported both as an ApiKey and in a set", () => {
  let scene: Scene;
  const declared = { workspaceId: "ws_main", customerId: "customer", name: "shared" };
  const single = withoutSecrets({ single: '{ ...base, name: "shared" }' });
  const set = (keys: string) => `
import { ApiKeySet } from "pulumi-apikeys";
new ApiKeySet("set", { workspaceId: "ws_main", defaults: { customerId: "customer" }, keys: ${keys} });
`;
  const both = "{ shared: {}, other: {} }";
  const live = () => scene.service.keys({ deleted: false }).map(({ id }) => id);
  const left = (outcome: Outcome) =>
    outcome.stdout.match(
      /\(key_\w+\) stays in the service, because another resource of this stack manages the same key/g,
    );

  beforeAll(async () => {
    scene = await setScene("imported-twice", { program: single });
  });
  afterAll(() => scene?.close());

  /** Both resources have key_shared, and the set also has key_other. */
  async function imported(): Promise<void> {
    for (const name of ["shared", "other"]) {
      scene.service.addKey({ ...declared, id: `key_${name}`, name });
    }
    const keyOf = (kind: string) =>
      `exports.handler=()=>require("pulumi-apikeys/dynamic").provider("${kind}");`;
    const type = (kind: string) => `pulumi-nodejs:dynamic/apikeys:${kind}`;
    const key = { __provider: keyOf("ApiKey"), ...declared };
    const inputs = {
      __provider: keyOf("ApiKeySet"),
      workspaceId: "ws_main",
      defaults: { customerId: "customer" },
      keys: { shared: {}, other: {} },
    };
    const ids = { shared: "key_shared", other: "key_other" };
    const resources = [
      { type: type("ApiKey"), name: "single", id: "key_shared", inputs: key, outputs: key },
      { type: type("ApiKeySet"), name: "set", id: "keys-set", inputs, outputs: { ...inputs, ids } },
    ];
    await scene.project.write("import.json", JSON.stringify({ resources }));
    expectOk(await scene.stack.import("import.json", "--protect=false"));
    expectOk(await scene.stack.refresh());
    await scene.declare(`${single}${set(both)}`);
    expectOk(await scene.stack.up());
    expect(live()).toEqual(["key_shared", "key_other"]);
  }

  it("K5 stays with the set if the ApiKey is removed, with a warning", async () => {
    await imported();
    await scene.declare(`export {};${set(both)}`);
    const up = await scene.stack.up();
    expectOk(up);
    expect(live()).toEqual(["key_shared", "key_other"]);
    expect(new Set(left(up)).size).toBe(1);
  });

  it("K10 is deleted with the last of them", async () => {
    expectOk(await scene.stack.destroy());
    expect(live()).toEqual([]);
  });

  it("K5 stays with the ApiKey if the set's entry is removed", async () => {
    await imported();
    await scene.declare(`${single}${set("{ other: {} }")}`);
    const up = await scene.stack.up();
    expectOk(up);
    expect(live()).toEqual(["key_shared", "key_other"]);
    expect(new Set(left(up)).size).toBe(1);
    await scene.declare(`export {};${set("{ other: {} }")}`);
    expectOk(await scene.stack.up());
    expect(live()).toEqual(["key_other"]);
  });
});
