import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PresetName, presets, type StandIn } from "../../standin";
import { execute } from "../../tools/engine/command";
import { checkout } from "../../tools/engine/folders";
import { page } from "../package/docsText";
import { section } from "../package/readmeText";
import { runApikeys } from "./apikeysCommand";
import { expectQuiet, expectSilentUp } from "./expectations";
import { type Scene, setScene } from "./scene";

const inMain = { workspaceId: "ws_main", customerId: "cus_1" };
const orders = { representation: "orders", read: true, update: true };

/** Keys with odd names, and with values that an adoption must not change. */
function addKeys(service: StandIn): readonly string[] {
  const all = [
    { name: "ci", scopes: [{ representation: "carts", del: true }, orders] },
    { name: "ci", enabled: false, customerId: "cus_2" },
    { name: "CI", prefix: "web", expiresAt: 1_900_000_000 },
    { name: `Müller & "Söhne"\n\u2028 \${x} \\`, scopes: [orders] },
    { name: "class", scopes: [{ representation: "a/b c", read: true }] },
    { name: "__proto__" },
    { name: " 2nd key " },
  ];
  return all.map((key) => service.addKey({ ...inMain, ...key }).id);
}

const writes = ({ requests }: StandIn) =>
  requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);

/** Each preset with one form and one host, so that every pair of form and host occurs several times. */
const cases = (Object.keys(presets) as PresetName[]).map((preset, place) => ({
  preset,
  form: place % 2 === 0 ? "set" : "keys",
  host: place % 4 < 2 ? ("dynamic" as const) : ("plugin" as const),
}));

describe.each(cases)(
  "K12 the keys of $preset, adopted as $form by the $host host",
  ({ preset, form, host }) => {
    let scene: Scene;
    let ids: readonly string[];

    beforeAll(async () => {
      scene = await setScene("adopted", { variant: preset, host });
      ids = addKeys(scene.service);
    });
    afterAll(() => scene?.close());

    it("are adopted without a change by the program that the command writes", async () => {
      const { service, stack } = scene;
      const named = "keyLists" in presets[preset] ? ids.flatMap((id) => ["--key-id", id]) : [];
      const written = await runApikeys(scene, "adopt", "--workspace", "ws_main", "--as", form, ...named);
      expect(written, written.output).toMatchObject({ code: 0 });
      await scene.declare(written.stdout);
      service.clearRequests();
      const before = service.keys();
      const up = await stack.up();
      expect(up, up.output).toMatchObject({
        ok: true,
        changes: { create: form === "set" ? 2 : ids.length + 1 },
      });
      const { keyIds } = await stack.outputs();
      expect(new Set(Object.values(keyIds?.value))).toEqual(new Set(ids));
      // If records leave out false and [], a PATCH ensures the declared values.
      const isTerse = "zeroValues" in presets[preset];
      expect(writes(service).filter((line) => !(isTerse && line.startsWith("PATCH ")))).toEqual([]);
      if (!isTerse) expect(service.keys()).toEqual(before);
      await expectQuiet(scene);
      await expectSilentUp(scene);
    });
  },
);

describe("`pulumi-apikeys adopt`", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await setScene("adopting");
    addKeys(scene.service);
  });
  afterAll(() => scene?.close());

  const adopt = async (...args: readonly string[]) => {
    const written = await runApikeys(scene, "adopt", "--workspace", "ws_main", ...args);
    expect(written, written.output).toMatchObject({ code: 0 });
    return written.stdout;
  };

  it("writes programs that compile under the strictest compiler options", async () => {
    const compilerOptions = {
      ...{ module: "node20", target: "es2022", strict: true, skipLibCheck: true, noEmit: true },
      ...{ noUnusedLocals: true, noUnusedParameters: true, isolatedModules: true, types: [] },
      ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    };
    await scene.project.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    await scene.project.write("keys.ts", await adopt());
    await scene.project.write("set.ts", await adopt("--as", "set"));
    await scene.project.write("none.ts", await adopt("--customer", "cus_none"));
    const tsc = join(checkout, "node_modules", "typescript", "bin", "tsc");
    const compiled = await execute(process.execPath, [tsc, "-p", scene.project.dir]);
    expect(compiled, compiled.output).toMatchObject({ code: 0 });
    await scene.declare(await readFile(join(scene.project.dir, "keys.ts"), "utf8"));
  });

  it("leaves out, with --except, the keys in the stack's exported state", async () => {
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    const { id } = scene.service.addKey({ ...inMain, name: "ci" });
    const exported = await scene.stack.run(["stack", "export", "--file", "state.json"]);
    expect(exported.ok, exported.output).toBe(true);
    const more = await adopt("--except", "state.json");
    await scene.project.write("more.ts", more);
    await scene.project.write(
      "index.ts",
      `export { keyIds } from "./keys";\nexport { keyIds as more } from "./more";\n`,
    );
    scene.service.clearRequests();
    const next = await scene.stack.up();
    expect(next, next.output).toMatchObject({ ok: true, changes: { create: 1 } });
    expect((await scene.stack.outputs())["more"]?.value).toEqual({ "ci-4": id });
    expect(writes(scene.service)).toEqual([]);
    await expectQuiet(scene);
  });
});

it("the steps of docs/adopting.md adopt 300 keys, and the page shows what they print", async () => {
  const scene = await setScene("many-adopted");
  const { service, project, stack } = scene;
  const steps = section("Adopting 300 keys", page("adopting.md"))
    .split("\n")
    .map((line) => line.trim());
  const [, ...args] =
    steps
      .find((line) => line.startsWith("$ npx "))
      ?.split(" ")
      .slice(1) ?? [];
  const [, added = ""] = /^\$ echo '(.*)' >> index.ts$/m.exec(steps.join("\n")) ?? [];
  const shown = steps.filter((line) => line.startsWith("pulumi-apikeys adopt: "));
  const [previewed = ""] = steps.filter((line) => line.includes("Keys of workspace "));
  try {
    const names = ["acme", ...Array.from({ length: 299 }, (_, place) => `customer-${place}`)];
    for (const name of names) service.addKey({ ...inMain, name, scopes: [orders] });
    const before = service.keys();
    const written = await runApikeys(scene, ...args.slice(1, args.indexOf(">")));
    expect(shown).toHaveLength(2);
    expect(written.stderr.trimEnd().split("\n")).toEqual(shown);
    await project.write("keys.ts", written.stdout);
    await scene.declare(`${added}\n`);
    const preview = await stack.run(["preview"]);
    expect(preview.changes).toEqual({ create: 2 });
    expect(preview.output).toContain(previewed.replace("…", ""));
    expect(previewed).not.toBe("");
    service.clearRequests();
    await project.write("keys.ts", written.stdout.replace(/\}\);(?=\s+export)/, "}, { protect: true });"));
    const up = await stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 2 } });
    expect(writes(service)).toEqual([]);
    expect(service.keys()).toEqual(before);
    await expectQuiet(scene);
    expect((await stack.run(["destroy", "--yes"])).ok).toBe(false);
    expect(service.keys()).toEqual(before);
  } finally {
    await scene.close();
  }
});

it("the file that `pulumi-apikeys adopt --import` writes imports all keys, in the plugin", async () => {
  const scene = await setScene("importing", { host: "plugin" });
  try {
    const ids = addKeys(scene.service);
    const file = await runApikeys(scene, "adopt", "--workspace", "ws_main", "--import");
    await scene.project.write("keys.json", file.stdout);
    await scene.declare("export {};");
    const imported = await scene.stack.import("keys.json", "--protect=false");
    expect(imported.ok, imported.output).toBe(true);
    const { resources = [] } = await scene.stack.exportState();
    const held = resources.filter(({ type }) => type === "apikeys:index:ApiKey").map(({ id }) => id);
    expect(new Set(held)).toEqual(new Set(ids));
    expect(writes(scene.service)).toEqual([]);
  } finally {
    await scene.close();
  }
});
