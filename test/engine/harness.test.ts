import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadProgram } from "./program";
import { createProject, type Project } from "./project";
import { createStack, type EngineStack } from "./stack";

/** A program with one resource, whose remote object is a file beside it. */
const programWithBox = (size: number) => `
  import * as fs from "node:fs";
  import * as pulumi from "@pulumi/pulumi";
  const provider: pulumi.dynamic.ResourceProvider = {
    async create({ size }) {
      if (size === 13) throw new Error("13 is no size for a box");
      fs.writeFileSync("remote.json", JSON.stringify({ size }));
      return { id: "box-id", outs: { size, token: process.env.APIKEYS_ACCESS_TOKEN ?? "none" } };
    },
    async read(id, props) {
      if (!fs.existsSync("remote.json")) return {};
      const { size } = JSON.parse(fs.readFileSync("remote.json", "utf8"));
      return { id, props: { ...props, size }, inputs: { size } };
    },
    async update(id, { token }, { size }) {
      fs.writeFileSync("remote.json", JSON.stringify({ size }));
      return { outs: { size, token } };
    },
    async delete() {
      fs.rmSync("remote.json");
    },
  };
  class Box extends pulumi.dynamic.Resource {
    declare readonly token: pulumi.Output<string>;
    constructor(name: string, args: { size: number }) {
      super(provider, name, { ...args, token: undefined });
    }
  }
  const box = new Box("box", { size: ${size} });
  export const hidden = pulumi.secret("in the dark");
  export const hostToken = box.token;
  export const programToken = process.env["APIKEYS_ACCESS_TOKEN"] ?? "none";
  export const flavour = new pulumi.Config("box").get("flavour");
`;

describe("a stack on the real engine", () => {
  let project: Project;
  let stack: EngineStack;
  const remote = () => join(project.dir, "remote.json");

  beforeAll(async () => {
    project = await createProject("harness", { withPackage: false });
    await project.write("index.ts", programWithBox(1));
    const env = { APIKEYS_ACCESS_TOKEN: "token-of-the-test" };
    stack = await createStack(project, {
      program: loadProgram(project.dir),
      config: { "box:flavour": "plain" },
      env,
    });
  });
  afterAll(() => project.remove());

  it("creates, and returns what a user sees", async () => {
    const up = await stack.up();
    expect(up).toMatchObject({ ok: true, error: undefined, changes: { create: 2 } });
    expect(up.steps).toMatchObject([{ op: "create", name: "box", failed: false, new: { id: "box-id" } }]);
    expect(up.stdout).toContain("+ 2 created");
    expect(up.output).not.toContain("\u001b[");
    expect(JSON.parse(await readFile(remote(), "utf8"))).toEqual({ size: 1 });
  });

  it("gives program and host the environment and the config of the stack", async () => {
    expect(await stack.outputs()).toEqual({
      hidden: { value: "in the dark", secret: true },
      hostToken: { value: "token-of-the-test", secret: false },
      programToken: { value: "token-of-the-test", secret: false },
      flavour: { value: "plain", secret: false },
    });
    expect(process.env["APIKEYS_ACCESS_TOKEN"]).toBeUndefined();
  });

  it("has nothing to change the second time", async () => {
    const up = await stack.up({ expectNoChanges: true });
    expect(up).toMatchObject({ ok: true, changes: { same: 2 } });
    expect(up.steps).toMatchObject([{ op: "same", changed: {} }]);
  });

  it("returns an unexpected change as a failed outcome, not as an exception", async () => {
    await project.write("index.ts", programWithBox(2));
    const preview = await stack.preview({ expectNoChanges: true });
    expect(preview.ok).toBe(false);
    expect(preview.output).toContain("no changes were expected");
  });

  it("previews a changed program with the property that changes", async () => {
    const preview = await stack.preview();
    expect(preview).toMatchObject({ ok: true, changes: { update: 1, same: 1 } });
    expect(preview.steps).toMatchObject([
      { op: "update", diffs: ["size"], changed: { size: { old: 1, new: 2 } }, duringRefresh: false },
    ]);
    expect(JSON.parse(await readFile(remote(), "utf8"))).toEqual({ size: 1 });
  });

  it("shows drift in refresh and in preview --refresh", async () => {
    await project.write("index.ts", programWithBox(1));
    await writeFile(remote(), JSON.stringify({ size: 7 }));
    const preview = await stack.previewRefresh();
    expect(preview.steps).toMatchObject([
      { duringRefresh: true, changed: { size: { old: 1, new: 7 } } },
      { op: "update", duringRefresh: false, changed: { size: { old: 7, new: 1 } } },
    ]);
    const refresh = await stack.refresh();
    expect(refresh.steps).toMatchObject([
      { op: "update", duringRefresh: true, changed: { size: { old: 1, new: 7 } } },
    ]);
  });

  it("refreshes with the program if asked to, and takes further arguments", async () => {
    const refresh = await stack.refresh({ runProgram: true });
    expect(refresh).toMatchObject({ ok: true, changes: { same: 2 } });
    const up = await stack.up({ args: ["--message", "with a message"] });
    expect(up).toMatchObject({ ok: true, changes: { update: 1, same: 1 } });
    const history = await stack.run(["stack", "history", "--json"]);
    expect(history.stdout).toContain("with a message");
  });

  it("imports a resource from a file, with its inputs and outputs", async () => {
    const box = (await stack.exportState()).resources?.find(({ id }) => id === "box-id");
    const { size, __provider } = box?.outputs ?? {};
    const entry = {
      type: box?.type,
      name: "second",
      id: "second-id",
      inputs: { __provider, size },
      outputs: { __provider, size },
    };
    await project.write("import.json", JSON.stringify({ resources: [entry] }));
    const imported = await stack.import("import.json", "--protect=false");
    expect(imported, imported.output).toMatchObject({ ok: true });
    const ids = (await stack.exportState()).resources?.map(({ id }) => id);
    expect(ids).toContain("second-id");
    const { urn } = (await stack.exportState()).resources?.find(({ id }) => id === "second-id") ?? {};
    expect(await stack.run(["state", "delete", urn ?? "", "--yes"])).toMatchObject({ ok: true });
  });

  it("runs any command line, with the program and the engine's events", async () => {
    await project.write("index.ts", programWithBox(3));
    const preview = await stack.run(["preview", "--diff"]);
    expect(preview).toMatchObject({ ok: true, changes: { update: 1, same: 1 }, steps: [{ op: "update" }] });
    expect(preview.stdout).toContain("size: 1 => 3");
    expect(await stack.run(["up"])).toMatchObject({ ok: false, error: expect.stringContaining("--yes") });
    expect(await stack.run(["nonsense"])).toMatchObject({
      ok: false,
      stderr: expect.stringContaining("nonsense"),
    });
  });

  it("shows the secrets in state only if asked to", async () => {
    expect(JSON.stringify(await stack.exportState())).not.toContain("in the dark");
    expect(JSON.stringify(await stack.exportState({ showSecrets: true }))).toContain("in the dark");
  });

  it("uses changed variables and config from then on", async () => {
    stack.setEnv("APIKEYS_ACCESS_TOKEN", undefined);
    await stack.setConfig("box:flavour", { value: "sweet", secret: true });
    await stack.up();
    expect(await stack.outputs()).toMatchObject({
      programToken: { value: "none" },
      flavour: { value: "sweet" },
    });
  });

  it("destroys", async () => {
    const destroy = await stack.destroy();
    expect(destroy).toMatchObject({ ok: true, changes: { delete: 2 } });
    await expect(readFile(remote())).rejects.toThrow("ENOENT");
  });

  it("returns a failing create as an outcome with the provider's message", async () => {
    await project.write("index.ts", programWithBox(13));
    const up = await stack.up();
    expect(up).toMatchObject({ ok: false, steps: [{ op: "create", failed: true }] });
    expect(up.error).toContain("13 is no size for a box");
    expect(up.stdout).toContain("**creating failed**");
    await rm(remote(), { force: true });
  });

  it("can be interrupted while its host is at work", async () => {
    const waiting =
      'for (fs.writeFileSync("begun", ""); !fs.existsSync("go");) await new Promise(setImmediate);';
    await project.write(
      "index.ts",
      programWithBox(1).replace("if (size === 13)", `${waiting} if (size === 13)`),
    );
    let pid = 0;
    const running = stack.up({ onStart: (started) => (pid = started) });
    await expect.poll(() => existsSync(join(project.dir, "begun")), { timeout: 20_000 }).toBe(true);
    process.kill(pid, "SIGINT");
    await project.write("go", "");
    const up = await running;
    expect(up).toMatchObject({ ok: false, error: expect.stringContaining("canceled") });
  });
});
