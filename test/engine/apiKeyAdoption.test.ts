import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeInAll } from "../inAll";
import { programWithKeys } from "./apiKeyProgram";
import { errorsFor, expectQuiet, expectSilentUp, stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";
import { programWithSet } from "./setProgram";

const type = "pulumi-nodejs:dynamic/apikeys:ApiKey";
const __provider = 'exports.handler=()=>require("pulumi-apikeys/dynamic").provider("ApiKey");';

/** The file for `pulumi import --file`: inputs and outputs are both what the program will declare. */
const importFile = (keys: readonly { name: string; id: string; declared: object }[]) =>
  JSON.stringify({
    resources: keys.map(({ name, id, declared }) => ({
      type,
      name,
      id,
      inputs: { __provider, ...declared },
      outputs: { __provider, ...declared },
    })),
  });

describe("an existing key that is imported", () => {
  let scene: Scene;
  let plain: string;
  let full: string;
  const plainArgs = (name: string) =>
    `{ ...base, name: "${name}", scopes: [{ representation: "orders", read: true }] }`;
  const declare = (name: string) =>
    scene.declare(
      programWithKeys(
        {
          plain: plainArgs(name),
          full: `{ ...base, prefix: "web", expiresAt: 1924991999, metadata: { team: "red" } }`,
        },
        { withSecrets: false },
      ),
    );

  beforeAll(async () => {
    scene = await setScene("adoption", { program: programWithKeys({}) });
    const base = { workspaceId: "ws_main", customerId: "customer" };
    const scopes = [{ representation: "orders", read: true }];
    plain = scene.service.addKey({ ...base, name: "theirs", scopes }).id;
    const fixed = { ...base, name: "full", prefix: "web", expiresAt: 1924991999 };
    full = scene.service.addKey({ ...fixed, metadata: { team: "red" } }).id;
    const file = importFile([
      { name: "plain", id: plain, declared: { ...base, name: "theirs" } },
      { name: "full", id: full, declared: { ...fixed, metadata: { team: "red" } } },
    ]);
    await scene.project.write("import.json", file);
  });
  afterAll(() => scene?.close());

  it("K8 `pulumi import --file` takes inputs and outputs as the program declares them, and sends no request", async () => {
    const imported = await scene.stack.import("import.json");
    expect(imported, imported.output).toMatchObject({ ok: true, changes: { import: 2 } });
    expect(imported.diagnostics).toEqual([]);
    expect(scene.service.requests).toEqual([]);
  });

  it("K8 the first refresh fills in the other values, and a program with these values shows no change", async () => {
    const refresh = await scene.stack.refresh();
    expect(stepsFor(refresh, "plain")).toMatchObject([
      { changed: { enabled: { new: true }, scopes: { new: [{ representation: "orders", read: true }] } } },
    ]);
    await declare("theirs");
    const preview = await scene.stack.preview({ expectNoChanges: true });
    expect(preview.ok, preview.output).toBe(true);
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  it("K8 it is then managed like any other key, without its secret", async () => {
    await declare("ours");
    const up = await scene.stack.up();
    expect(stepsFor(up, "plain")).toMatchObject([
      { op: "update", diffs: ["name"], changed: { name: { old: "theirs", new: "ours" } } },
    ]);
    expect(scene.service.key(plain)).toMatchObject({ name: "ours", deleted: false });
    const outputs = await scene.stack.outputs();
    expect(outputs).toMatchObject({ plainId: { value: plain }, fullId: { value: full } });
  });

  it("K8 a program that uses its secret fails with the way out, and never exports the string undefined", async () => {
    const program = programWithKeys({ plain: plainArgs("ours") }, { withSecrets: false });
    await scene.declare(`${program}export const header = pulumi.interpolate\`Bearer \${plain.key}\`;`);
    expect((await scene.stack.preview()).ok).toBe(true);
    const up = await scene.stack.up();
    // An inline program reports its error to the engine twice.
    expect([...new Set(up.error?.split("\n"))]).toEqual([
      'ApiKey "plain": state does not have its secret, because the key was adopted or imported, and the service shows a secret only once, when it creates the key. Use the value from where it is kept today, not the output key; or leave existingId out and change keepers, which creates a new key with its secret.',
    ]);
    expect((await scene.stack.outputs())["header"]).toBeUndefined();
    expect(scene.service.key(plain)).toMatchObject({ deleted: false });
  });

  it("K8 a refresh corrects inputs that were wrong in the import file, even if the key has not changed", async () => {
    const base = { __provider, workspaceId: "ws_main", customerId: "customer", enabled: true, scopes: [] };
    const { id, createdAt } = scene.service.addKey({ ...base, name: "true" });
    const outputs = { ...base, name: "true", createdAt };
    const resources = [{ type, name: "mistaken", id, inputs: { ...base, name: "mistaken" }, outputs }];
    await scene.project.write("import.json", JSON.stringify({ resources }));
    expect((await scene.stack.import("import.json")).ok).toBe(true);
    expect((await scene.stack.refresh()).ok).toBe(true);
    const { resources: held = [] } = await scene.stack.exportState();
    expect(held.find(({ urn }) => urn.endsWith("::mistaken"))?.inputs).toMatchObject({ name: "true" });
  });

  it("K8 the resource option import fails the preview, with one line that says what works", async () => {
    await scene.declare(programWithKeys({ plain: `base, { import: "${plain}" }` }));
    const preview = await scene.stack.preview();
    expect(preview.ok).toBe(false);
    // An inline program reports its error to the engine twice.
    const lines = new Set(preview.error?.split("\n"));
    expect([...lines]).toEqual([expect.stringContaining("pulumi import --file")]);
    expect(errorsFor(preview, "plain")).toEqual([]);
  });
});

describeInAll("a key that the service returns again when its value is migrated again", () => {
  const value = "sk_held_value_of_ours";
  const base = { workspaceId: "ws_main", customerId: "customer", name: "ours" };
  const taking = (name: string) =>
    programWithKeys({ [name]: `{ ...base, name: "ours", existingKey: "${value}" }` });
  let scene: Scene;
  const live = () => scene.service.keys().filter(({ deleted }) => !deleted);

  beforeAll(async () => {
    scene = await setScene("handed-again", {
      program: programWithKeys({}),
      dialect: { duplicateKey: "returned" },
    });
  });
  afterAll(() => scene?.close());

  it("K5 stays if it was imported without its value, and the program then declares the value", async () => {
    const { id } = scene.service.addKey({ ...base, key: value });
    await scene.project.write("import.json", importFile([{ name: "first", id, declared: base }]));
    expect((await scene.stack.import("import.json")).ok).toBe(true);
    await scene.declare(taking("first"));
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(live().map((key) => key.id)).toEqual([id]);
    expect(up.output).toContain(`(${id}) stays in the service, because another resource of this stack`);
    await expectQuiet(scene);
  });

  it("K5 stays if its resource is renamed without aliases", async () => {
    const [held] = live();
    await scene.declare(taking("second"));
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(live()).toEqual([held]);
    expect((await scene.stack.outputs())["secondId"]).toMatchObject({ value: held?.id });
    await expectQuiet(scene);
  });

  it.each([
    ["in other resources", "third", `{ ...base, workspaceId: "ws_none", name: "broken" }`, undefined],
    ["in the new resource", "fourth", undefined, "editApiKey"],
  ] as const)(
    "K5 stays if the update that renames its resource fails %s",
    async (_, name, other, endpoint) => {
      const [held] = live();
      const fault = { kind: "status", status: 403 } as const;
      if (endpoint !== undefined) scene.service.inject({ endpoint, fault });
      const renamed = `{ ...base, name: "ours", existingKey: "${value}", scopes: [{ representation: "${name}", read: true }] }`;
      await scene.declare(programWithKeys({ [name]: renamed, ...(other && { other }) }));
      expect((await scene.stack.up()).ok).toBe(false);
      await scene.declare(programWithKeys({ [name]: renamed }));
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(true);
      expect(up.output).toContain(
        `(${held?.id}) stays in the service, because another resource of this stack`,
      );
      expect(live().map(({ id }) => id)).toEqual([held?.id]);
      expect((await scene.stack.outputs())[`${name}Id`]).toMatchObject({ value: held?.id });
      await expectQuiet(scene);
    },
  );

  it("K5 stays if it moves to a set in the same update", async () => {
    const [held] = live();
    const entry = `{ customerId: "customer", name: "ours", existingKey: "${value}" }`;
    await scene.declare(programWithSet({ keys: { mine: entry } }));
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(up.output).toContain(`(${held?.id}) stays in the service, because another resource`);
    expect(live().map(({ id }) => id)).toEqual([held?.id]);
    expect((await scene.stack.outputs())["ids"]).toMatchObject({ value: { mine: held?.id } });
    await expectQuiet(scene);
  });

  it("K5 is deleted on destroy", async () => {
    expect((await scene.stack.destroy()).ok).toBe(true);
    expect(live()).toEqual([]);
  });
});
