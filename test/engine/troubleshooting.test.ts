import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkout } from "../../tools/engine/folders";
import { blocks, commandLines } from "../package/readmeText";
import { onlyLine, stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";

const docs = (name: string) => readFileSync(join(checkout, "docs", name), "utf8");
const troubleshooting = docs("troubleshooting.md");
const [search = ""] = blocks("ts", troubleshooting);
const [showIds = "", deletion = "", clear = ""] = commandLines(troubleshooting).map((line) =>
  line.replace(/^pulumi /, ""),
);
const program = `
import { ApiKey } from "pulumi-apikeys";
new ApiKey("ci", { workspaceId: "ws_main", customerId: "customer-1" });
`;

describe("a key that is not in state, found and removed as docs/troubleshooting.md says", () => {
  let scene: Scene;
  let orphan: string;

  beforeAll(async () => {
    scene = await setScene("orphan", { program });
    scene.service.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
    expect(onlyLine(await scene.stack.up(), "ci")).toContain("It is not known whether the key was created");
    orphan = scene.service.keys()[0]?.id ?? "";
    await scene.declare(`${program}${search}`);
    // The program lists keys before it creates its own, so only the second update lists that one.
    for (const up of [await scene.stack.up(), await scene.stack.up()]) expect(up.ok, up.output).toBe(true);
  });
  afterAll(() => scene?.close());

  it("is among the keys that the page's program lists, and not among those in state", async () => {
    const keys = scene.service.keys();
    expect(keys).toHaveLength(2);
    const { candidates } = await scene.stack.outputs();
    expect(candidates?.value).toEqual(
      keys.map(({ id, createdAt, maskedKey }) => ({ id, createdAt, maskedKey })),
    );
    const shown = await scene.stack.run(showIds.split(" "));
    expect(shown.ok, shown.output).toBe(true);
    expect(keys.filter(({ id }) => !shown.stdout.includes(`ID: ${id}`)).map(({ id }) => id)).toEqual([
      orphan,
    ]);
  });

  it("is deleted by the page's request", async () => {
    const { url, accessToken } = scene.service;
    scene.service.addKey({ id: "key_1", workspaceId: "ws_main", name: "left behind" });
    const [, method = "", header = "", address = ""] =
      /^curl -X (\w+) -H "(.+)" "(.+)"$/.exec(deletion) ?? [];
    const [name = "", value = ""] = header.replace("$APIKEYS_ACCESS_TOKEN", accessToken).split(": ");
    const answer = await fetch(address.replace("$APIKEYS_BASE_URL", url), {
      method,
      headers: { [name]: value },
    });
    expect(answer.status).toBe(200);
    expect(scene.service.key("key_1")).toBeUndefined();
  });

  it("is deleted by the next update after an import under a name that the program doesn't declare", async () => {
    const [file = ""] = blocks("json", docs("api-key.md"));
    await scene.project.write("keys.json", file.replace("key_reports", orphan));
    const imported = await scene.stack.import("keys.json", "--protect=false");
    expect(imported.ok, imported.output).toBe(true);
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(stepsFor(up, "reports").map(({ op }) => op)).toEqual(["delete"]);
    expect(scene.service.keys().map(({ name }) => name)).toEqual(["ci"]);
    expect(scene.service.keys().map(({ id }) => id)).not.toContain(orphan);
  });
});

describe("the pending operation that an interrupted create leaves in state", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await setScene("interrupted", { program });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterAll(() => scene?.close());

  it("gets a warning in the next update, and is removed as docs/troubleshooting.md says, with reads alone", async () => {
    // `pulumi stack import` would drop the pending operation.
    const file = join(".pulumi-state", ".pulumi", "stacks", scene.project.name, `${scene.stack.name}.json`);
    const state = JSON.parse(readFileSync(join(scene.project.dir, file), "utf8"));
    const { latest } = state.checkpoint;
    const key = latest.resources.find(({ type }: { type: string }) => type.endsWith(":ApiKey"));
    const { id: _, outputs: __, ...begun } = key;
    latest.pending_operations = [{ resource: { ...begun, urn: `${key.urn}-interrupted` }, type: "creating" }];
    await scene.project.write(file, JSON.stringify(state));

    const up = await scene.stack.up();
    expect(up.output).toMatch(/pending/i);
    expect((await scene.stack.exportState()).pending_operations).toHaveLength(1);

    scene.service.clearRequests();
    const cleared = await scene.stack.run([...clear.split(" "), "--yes"]);
    expect(cleared.ok, cleared.output).toBe(true);
    expect((await scene.stack.exportState()).pending_operations ?? []).toEqual([]);
    expect(new Set(scene.service.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });
});
