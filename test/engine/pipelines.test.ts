import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programWithKeys } from "./programs";
import { type Scene, setScene } from "./scene";

describe("docs/pipelines.md", () => {
  let scene: Scene;
  const run = (command: string) => scene.stack.run(command.split(" ").slice(1));
  const key = () => scene.service.keys({ deleted: false })[0];
  const drift = () => run("pulumi preview --refresh --expect-no-changes");

  beforeAll(async () => {
    scene = await setScene("pipelines", { program: programWithKeys({ ci: "base" }) });
  });
  afterAll(() => scene?.close());

  it("its pipeline previews, then creates the keys", async () => {
    const preview = await run("pulumi preview --refresh --diff");
    expect(preview.ok, preview.output).toBe(true);
    expect(preview.stdout).toContain("+ pulumi-nodejs:dynamic/apikeys:ApiKey: (create)");
    const up = await run("pulumi up --refresh --yes");
    expect(up.ok, up.output).toBe(true);
    expect(key()?.name).toBe("ci");
  });

  it("its command for drift fails if something was changed outside Pulumi, and only then", async () => {
    const quiet = await drift();
    expect(quiet.ok, quiet.output).toBe(true);
    scene.service.editKey(key()?.id ?? "", { enabled: false });
    const found = await drift();
    expect(found.ok).toBe(false);
    expect(found.output).toContain("no changes were expected");
  });

  it("`ignoreChanges` lets another system own a field, also in an update of another field", async () => {
    await scene.declare(programWithKeys({ ci: `{ ...base, name: "ours" }, { ignoreChanges: ["enabled"] }` }));
    const up = await run("pulumi up --refresh --yes");
    expect(up.ok, up.output).toBe(true);
    expect(key()).toMatchObject({ name: "ours", enabled: false });
    const quiet = await drift();
    expect(quiet.ok, quiet.output).toBe(true);
  });
});
