import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocks, commandLines, isProgram } from "../package/readmeText";
import { execute } from "./command";
import { shellEnvironment } from "./environment";
import { checkout } from "./folders";
import { findPulumi } from "./pulumiCli";
import { type Scene, setScene } from "./scene";

const programs = blocks("ts").filter(isProgram);
const [first = ""] = programs;
const [preview] = blocks("text");
const commands = commandLines().filter((line) => line.startsWith("pulumi "));

describe("a newcomer who follows README.md", () => {
  let scene: Scene;

  /** Runs commands of README.md, in their order: each once, all of them in the end. */
  const left = [...commands];
  const follow = async (line: string, typed: readonly string[] = []) => {
    expect(left.splice(left.indexOf(line), 1)).toEqual([line]);
    const outcome = await scene.stack.run([...line.split(" ").slice(1), ...typed]);
    expect(outcome.ok, outcome.output).toBe(true);
    return outcome;
  };

  beforeAll(async () => {
    // The project of README.md; what is configured comes from the commands there.
    scene = await setScene("shop", { program: first, env: () => ({}) });
  });
  afterAll(() => scene?.close());

  it("configures the stack", async () => {
    await follow("pulumi config set apikeys:baseUrl https://api.example.com");
    await follow("pulumi config set --secret apikeys:accessToken", [scene.service.accessToken]);
    // There is no service at that address.
    await scene.stack.setConfig("apikeys:baseUrl", scene.service.url);
  });

  it("sees the preview that it shows", async () => {
    const { stdout } = await follow("pulumi preview --diff");
    const progress = /^@ .*\n/gm;
    expect(stdout.replace(progress, "").trimEnd()).toBe(preview?.trimEnd());
  });

  it("creates the key and reads its secret", async () => {
    expect(await scene.stack.up()).toMatchObject({ ok: true, changes: { create: 2 } });
    const [key] = scene.service.keys();
    const shown = await scene.stack.run(["stack", "output", "ciKey", "--show-secrets"]);
    expect(shown.stdout.trim()).toBe(key?.key);
  });

  it("takes a key over with the file shown, and the preview has nothing to change", async () => {
    const [file = ""] = blocks("json");
    const [{ id, inputs }] = JSON.parse(file).resources;
    const { workspaceId, customerId, name } = inputs;
    scene.service.addKey({ id, workspaceId, customerId, name });
    await scene.project.write("keys.json", file);
    await follow("pulumi import --file keys.json --protect=false --generate-code=false", ["--yes"]);
    const args = JSON.stringify({ workspaceId, customerId });
    await scene.declare(`${first}\nnew ApiKey("${name}", ${args});`);
    const refreshed = await follow("pulumi preview --refresh", ["--expect-no-changes"]);
    expect(refreshed.changes).toEqual({ same: 3 });
  });

  it("has run every command of it, but for those of the demo and the tests", () => {
    expect(left).toEqual([]);
  });
});

describe("the programs of README.md", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await setScene("programs", {
      config: () => ({ "programs:legacyKey": { value: "sk_legacy_value", secret: true } }),
    });
    scene.stack.setEnv("EMEA_ACCESS_TOKEN", scene.service.accessToken);
    scene.service.addKey({ id: "key_theirs", workspaceId: "ws_main", name: "theirs" });
  });
  afterAll(() => scene?.close());

  it.each(programs.map((program, place) => ({ program, place })))(
    "are previewed without an error: $place",
    async ({ program }) => {
      await scene.declare(program);
      const outcome = await scene.stack.preview();
      expect(outcome.ok, outcome.output).toBe(true);
      expect(outcome.steps.length).toBeGreaterThan(0);
    },
  );
});

describe("the test of README.md", () => {
  it("passes, on the CLI that is on PATH", async () => {
    const [test = ""] = blocks("ts").filter((text) => !isProgram(text));
    const scene = await setScene("readme-test");
    try {
      const { root } = await findPulumi();
      await scene.project.write("keys.test.ts", test);
      const run = await execute("node", ["--test"], {
        cwd: scene.project.dir,
        timeoutMs: 120_000,
        env: { ...shellEnvironment(checkout, [join(root, "bin")]), TMPDIR: scene.project.dir },
      });
      expect(run, run.output).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 1\b/) });
    } finally {
      await scene.close();
    }
  });
});
