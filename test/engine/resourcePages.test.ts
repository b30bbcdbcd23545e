import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { definitions } from "../../provider/resources";
import { describeInAll } from "../inAll";
import { page } from "../package/docsText";
import { blocks, commandLines, section } from "../package/readmeText";
import { stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";

const kebab = (kind: string) => kind.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
const names = [...Object.keys(definitions).map(kebab), "functions"];

describeInAll("the programs on the pages of resources and functions", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await setScene("shop", {
      config: () => ({ "shop:legacyKey": { value: "sk_legacy_value", secret: true } }),
    });
    scene.service.addKey({ id: "key_theirs", workspaceId: "ws_main", name: "theirs" });
    scene.service.addScope({ workspaceId: "ws_main", representation: "refunds" });
  });
  afterAll(() => scene?.close());

  it.each(names)("can be previewed without an error: %s", async (name) => {
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

describe("keys that are imported as their pages show", () => {
  let scene: Scene;
  const text = page("api-key.md");
  const [importing = "", previewing = ""] = commandLines(section("Keys that exist already", text));
  const follow = (line: string, ...more: readonly string[]) =>
    scene.stack.run([...line.split(" ").slice(1), ...more]);
  /** Imports the file of a page as the page of ApiKey says. */
  const take = async (file: string) => {
    scene.service.clearRequests();
    await scene.project.write("keys.json", file);
    const imported = await follow(importing, "--yes");
    expect(imported.ok, imported.output).toBe(true);
    expect(scene.service.requests).toEqual([]);
  };

  beforeAll(async () => {
    scene = await setScene("import", { program: "export {};" });
  });
  afterAll(() => scene?.close());

  it("K8 an ApiKey is in state without a request, and the preview shows no change", async () => {
    const [file = ""] = blocks("json", text);
    const [{ id, inputs }] = JSON.parse(file).resources;
    const { workspaceId, customerId, name } = inputs;
    scene.service.addKey({ id, workspaceId, customerId, name });
    await take(file);
    const args = JSON.stringify({ workspaceId, customerId });
    await scene.declare(`import { ApiKey } from "pulumi-apikeys";\nnew ApiKey("${name}", ${args});`);
    const refreshed = await follow(previewing, "--expect-no-changes");
    expect(refreshed.ok, refreshed.output).toBe(true);
  });
});

describeInAll("a key that moves as the page of ApiKeySet says", () => {
  let scene: Scene;
  const imports = 'import { ApiKey, ApiKeySet } from "pulumi-apikeys";';
  const workspaceId = '"ws_main"';
  const keyNamed = (name: string) => scene.service.keys().find((key) => key.name === name);
  const update = async (program: string) => {
    await scene.declare(`${imports}\n${program}`);
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    return up;
  };

  beforeAll(async () => {
    scene = await setScene("move");
    const keys = '{ acme: { customerId: "cus_1" }, beta: { customerId: "cus_2" } }';
    await update(`new ApiKeySet("set", { workspaceId: ${workspaceId}, keys: ${keys} });`);
  });
  afterAll(() => scene?.close());

  it("moves from a set that releases it to an ApiKey, and then leaves the stack with the ApiKey", async () => {
    const before = keyNamed("acme");
    const args = `{ workspaceId: ${workspaceId}, customerId: "cus_1", scopes: [], existingId: "${before?.id}" }`;
    const rest = `{ workspaceId: ${workspaceId}, keys: { beta: { customerId: "cus_2" } } }`;
    await update(
      `new ApiKey("acme", ${args}, { retainOnDelete: true });
       new ApiKeySet("set", { workspaceId: ${workspaceId}, keys: { acme: { customerId: "cus_1", release: true }, beta: { customerId: "cus_2" } } });`,
    );
    expect(keyNamed("acme")).toEqual(before);

    const left = await update(`new ApiKeySet("set", ${rest});`);
    expect(stepsFor(left, "acme").map(({ op }) => op)).toEqual(["delete"]);
    expect(keyNamed("acme")).toEqual(before);
  });

  it("moves from an ApiKey to a set in one update", async () => {
    const before = keyNamed("beta");
    const rest = (more: string) =>
      `new ApiKeySet("set", { workspaceId: ${workspaceId}, keys: { ${more} } });`;
    await update(
      `${rest('beta: { customerId: "cus_2" }')}\nnew ApiKey("single", { workspaceId: ${workspaceId}, customerId: "cus_3" });`,
    );
    const single = keyNamed("single");
    await update(
      rest(
        `beta: { customerId: "cus_2" }, single: { customerId: "cus_3", scopes: [], existingId: "${single?.id}" }`,
      ),
    );
    expect(keyNamed("single")).toEqual(single);
    expect(keyNamed("beta")).toEqual(before);
  });
});
