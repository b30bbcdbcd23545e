import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { definitions } from "../../provider/resources";
import { page } from "../package/docsText";
import { blocks, commandLines, section } from "../package/readmeText";
import { type Scene, setScene } from "./scene";

const kebab = (kind: string) => kind.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
const names = [...Object.keys(definitions).map(kebab), "functions"];

describe("the programs of the pages of resources and functions", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await setScene("shop", {
      config: () => ({ "shop:legacyKey": { value: "sk_legacy_value", secret: true } }),
    });
    scene.service.addKey({ id: "key_theirs", workspaceId: "ws_main", name: "theirs" });
  });
  afterAll(() => scene?.close());

  it.each(names)("are previewed without an error: %s", async (name) => {
    const programs = blocks("ts", page(`${name}.md`));
    expect(programs).not.toEqual([]);
    for (const program of programs) {
      await scene.declare(program);
      const outcome = await scene.stack.preview();
      expect(outcome.ok, outcome.output).toBe(true);
      expect(outcome.steps.length).toBeGreaterThan(0);
    }
  });
});

describe("a key that is imported as the page of ApiKey shows", () => {
  let scene: Scene;
  const text = page("api-key.md");
  const [file = ""] = blocks("json", text);
  const [importing = "", previewing = ""] = commandLines(section("Keys that exist already", text));
  const follow = (line: string, ...more: readonly string[]) =>
    scene.stack.run([...line.split(" ").slice(1), ...more]);

  beforeAll(async () => {
    scene = await setScene("import", { program: "export {};" });
  });
  afterAll(() => scene?.close());

  it("is in state without a request, and the preview has nothing to change", async () => {
    const [{ id, inputs }] = JSON.parse(file).resources;
    const { workspaceId, customerId, name } = inputs;
    scene.service.addKey({ id, workspaceId, customerId, name });
    await scene.project.write("keys.json", file);
    const imported = await follow(importing, "--yes");
    expect(imported.ok, imported.output).toBe(true);
    expect(scene.service.requests).toEqual([]);
    const args = JSON.stringify({ workspaceId, customerId });
    await scene.declare(`import { ApiKey } from "pulumi-apikeys";\nnew ApiKey("${name}", ${args});`);
    const refreshed = await follow(previewing, "--expect-no-changes");
    expect(refreshed.ok, refreshed.output).toBe(true);
  });
});
