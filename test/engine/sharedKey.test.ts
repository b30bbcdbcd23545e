import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
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

describe.each(["dynamic", "plugin"] as const)(
  "a key that two resources are to have, in the host %s",
  (host) => {
    let scene: Scene;
    const live = () => scene.service.keys({ deleted: false }).map(({ id }) => id);
    const entry = '{ customerId: "cus_1" }';
    const key = (name: string, more = "", options = "{}") =>
      `new ApiKey("${name}", { workspaceId: "ws_main", customerId: "cus_1", scopes: [], name: "key", ${more} }, ${options});`;
    const set = (keys: string) => `new ApiKeySet("set", { workspaceId: "ws_main", keys: { ${keys} } });`;
    const rotating = (more = "") =>
      `new RotatingApiKey("rotating", { workspaceId: "ws_main", customerId: "cus_1", rotateEvery: "90d", ${more} });`;
    const declare = (...statements: readonly string[]) =>
      scene.declare(
        `import { ApiKey, ApiKeySet, RotatingApiKey } from "pulumi-apikeys";\n${statements.join("\n")}`,
      );
    const up = async (...statements: readonly string[]) => {
      await declare(...statements);
      const outcome = await scene.stack.up();
      expectOk(outcome);
      return outcome;
    };
    const adopting = (id: string | undefined) => key("b", `existingId: "${id}"`);
    const held = async (name: string) => {
      const { resources = [] } = await scene.stack.exportState({ showSecrets: true });
      return resources.find(({ urn }) => urn.endsWith(`::${name}`));
    };

    beforeAll(async () => {
      scene = await setScene("owners", { program: "", host });
    });
    afterEach(async () => {
      await scene.stack.destroy();
      for (const id of live()) scene.service.deleteKey(id);
    });
    afterAll(() => scene?.close());

    it.each([
      ["an ApiKey", key("a"), key("a")],
      ["an entry", set(`a: ${entry}`), set("")],
      ["a rotating key", rotating(), rotating("keepers: { n: '1' }")],
    ])(
      "K11 R17 fails the preview if the program adopts the key of %s, in any order",
      async (_words, first, next) => {
        await up(first);
        const before = live();
        for (const statements of [
          [next, adopting(before[0])],
          [adopting(before[0]), next],
        ]) {
          await declare(...statements);
          scene.service.clearRequests();
          const preview = await scene.stack.preview();
          expect(preview.ok).toBe(false);
          expect(preview.output).toMatch(
            /the resource \w+ has or adopts .*but two resources can't manage one key/,
          );
          expect(scene.service.requests).toEqual([]);
        }
        expect(live()).toEqual(before);
      },
    );

    it("K11 keeps a key whose resource was released by retainOnDelete, or is removed in the update that adopts it", async () => {
      for (const options of ["{ retainOnDelete: true }", "{}"]) {
        await up(key("a", "", options));
        const before = live();
        const moved = await up(adopting(before[0]));
        expect(stepsFor(moved, "a")).toMatchObject([{ op: "delete" }]);
        expect(moved.output.includes("stays in the service")).toBe(options === "{}");
        expect(live()).toEqual(before);
        await up("export {};");
        expect(live()).toEqual([]);
      }
    });

    it("K11 keeps a key in the service and in state if its adoption fails while its resource is removed", async () => {
      await up(key("a"));
      const before = live();
      await declare(key("b", `existingId: "${before[0]}"`).replace("cus_1", "cus_2"));
      const failed = await scene.stack.up({ args: ["--continue-on-error"] });
      expect(failed.ok).toBe(false);
      expect(failed.output).toContain("is not deleted, because the resource b declares its id as existingId");
      expect(live()).toEqual(before);
      expect((await held("a"))?.outputs).toHaveProperty("key");
      await up(adopting(before[0]));
      expect(live()).toEqual(before);
    });

    it("E2 hands over the key of an entry with release: true in the same update, and previews say so", async () => {
      await up(set(`a: ${entry}, b: ${entry}`));
      const { a: first, b: second } = ((await held("set"))?.outputs?.["ids"] ?? {}) as Record<string, string>;
      const released = [set(`a: { ...${entry}, release: true }, b: ${entry}`), adopting(first)];
      await declare(...released);
      const preview = await scene.stack.preview();
      expect(preview.output).toContain('1 to release and leave in the service: "a"');
      expectOk(await scene.stack.up());
      expect((await held("set"))?.outputs?.["ids"]).toEqual({ b: second });
      expectOk(await scene.stack.preview({ expectNoChanges: true }));
      expectOk(await scene.stack.previewRefresh({ expectNoChanges: true }));
      await up(set(`b: ${entry}`), adopting(first));
      expect(new Set(live())).toEqual(new Set([first, second]));
      await up(set(`b: ${entry}`));
      expect(live()).toEqual([second]);
    });

    it("K11 tells of a key that was imported again, and keeps it when one of the two resources is removed", async () => {
      await up(key("a"));
      const before = live();
      const type = host === "plugin" ? "apikeys:index:ApiKey" : "pulumi-nodejs:dynamic/apikeys:ApiKey";
      const __provider = 'exports.handler=()=>require("pulumi-apikeys/dynamic").provider("ApiKey");';
      const properties = { __provider, workspaceId: "ws_main", customerId: "cus_1", name: "key" };
      const id = host === "plugin" ? `ws_main/${before[0]}` : before[0];
      const resource = {
        type,
        name: "b",
        id,
        ...(host === "dynamic" && { inputs: properties, outputs: properties }),
      };
      await scene.project.write("import.json", JSON.stringify({ resources: [resource] }));
      expectOk(await scene.stack.import("import.json", "--protect=false"));
      await declare(key("a"), key("b"));
      expect((await scene.stack.preview()).output).toMatch(
        /it has key \w+, which the resource [ab] has or adopts too/,
      );
      const removed = await up(key("a"));
      expect(stepsFor(removed, "b")).toMatchObject([{ op: "delete" }]);
      expect(removed.output).toContain(
        "stays in the service, because the resource a has or adopts the same key",
      );
      expect(live()).toEqual(before);
    });
  },
);
