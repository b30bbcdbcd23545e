import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Fault } from "../../standin";
import { errorsFor, expectQuiet } from "./expectations";
import { type Scene, setScene } from "./scene";

const program = `
  import { ApiKey, ApiKeySet } from "pulumi-apikeys";
  const workspaceId = "ws_main";
  new ApiKey("ci", { workspaceId, customerId: "internal" });
  new ApiKeySet("set", { workspaceId, keys: { a: { customerId: "acme" }, b: { customerId: "bolt" } } });
`;

describe("answers which say that keys are gone", () => {
  let scene: Scene;
  const always = Number.POSITIVE_INFINITY;
  const status = (status: number, body?: unknown): Fault => ({ kind: "status", status, body });
  const resources = async () => {
    const { resources: all = [] } = await scene.stack.exportState({ showSecrets: true });
    // The engine keeps them in the order in which the last update came to them.
    const ordered = all.toSorted((a, b) => (a.urn < b.urn ? -1 : 1));
    return ordered.map(({ urn, id, outputs }) => ({ urn, id, outputs }));
  };
  const live = () => scene.service.keys({ deleted: false }).map(({ name }) => name);

  beforeAll(async () => {
    scene = await setScene("gone", { program });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterEach(() => scene.service.clearFaults());
  afterAll(() => scene?.close());

  it("R6 one GET of a key with 410, as a gateway may answer: the refresh finds the key all the same", async () => {
    const before = await resources();
    scene.service.inject({ endpoint: "readApiKey", fault: status(410) });
    const refresh = await scene.stack.refresh({ expectNoChanges: true });
    expect(refresh.ok, refresh.output).toBe(true);
    expect(await resources()).toEqual(before);
  });

  it("R6 each GET of a key with 410, as a retired path answers: the refresh fails, and state stays", async () => {
    const before = await resources();
    scene.service.inject({ endpoint: "readApiKey", times: always, fault: status(410) });
    const refresh = await scene.stack.refresh();
    expect(errorsFor(refresh, "ci").join("\n")).toMatch(
      /410.* but its workspace lists it\. State is unchanged/,
    );
    expect(await resources()).toEqual(before);
    scene.service.clearFaults();
    await expectQuiet(scene);
  });

  it("R6 a key that was just created, and that the service shows a little later, stays; one that was deleted goes", async () => {
    const before = await resources();
    scene.service.setDialect({ newKeys: "later", laterMs: 3_600_000 });
    await scene.declare(`${program}new ApiKey("late", { workspaceId, customerId: "internal" });`);
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    const created = await resources();
    const [{ id } = { id: "" }] = scene.service.keys().filter(({ name }) => name === "late");
    const isHidden = ({ path }: { readonly path: string }) => path.endsWith(`/${id}`);
    const show = () => scene.service.editKey(id, {});
    const soon = (request: { readonly path: string }) => {
      if (isHidden(request)) setTimeout(show, 1_000);
      return false;
    };
    scene.service.inject({ endpoint: "readApiKey", when: soon, fault: status(500) });
    scene.service.clearRequests();
    const again = await scene.stack.up({ refresh: true });
    expect(again.ok, again.output).toBe(true);
    expect(await resources()).toEqual(created);
    const asked = scene.service.requests.filter(isHidden).map((request) => request.status);
    expect(asked).toEqual([404, 200]);
    expect(scene.service.requests.filter(({ method }) => method !== "GET")).toEqual([]);

    scene.service.clearFaults();
    scene.service.setDialect({});
    await scene.declare(program);
    scene.service.deleteKey(id);
    const refresh = await scene.stack.refresh();
    expect(refresh.ok, refresh.output).toBe(true);
    expect(await resources()).toEqual(before);
  });

  it("R7 DELETE with 410 or 204, but not carried out: destroy fails, and the keys stay in state", async () => {
    const before = await resources();
    const [ci] = scene.service.keys().filter(({ name }) => name === "ci");
    const isCi = ({ path }: { readonly path: string }) => path.endsWith(`/${ci?.id}`);
    const deletes = { method: "DELETE", times: always };
    scene.service.inject({ ...deletes, when: isCi, fault: status(410) });
    scene.service.inject({ ...deletes, when: (request) => !isCi(request), fault: status(204, "") });
    const destroy = await scene.stack.destroy();
    expect(errorsFor(destroy, "ci").join("\n")).toMatch(
      /410.*It stays in state\. Check that the access token/,
    );
    expect(errorsFor(destroy, "set").join("\n")).toMatch(
      /but the key still exists\. It stays in state\. Run the/,
    );
    expect(await resources()).toEqual(before);
    expect(live()).toHaveLength(3);
  });

  it("R6 a list that is refused says nothing: what was deleted elsewhere is dropped only on the user's word", async () => {
    const before = await resources();
    for (const { id, name } of scene.service.keys()) if (name !== "b") scene.service.deleteKey(id);
    scene.service.inject({ endpoint: "listApiKeys", times: always, fault: status(403) });
    const refresh = await scene.stack.refresh();
    expect(errorsFor(refresh, "ci").join("\n")).toMatch(
      /list of keys can't be read to confirm.*APIKEYS_NO_KEY_LIST/,
    );
    expect(await resources()).toEqual(before);

    scene.stack.setEnv("APIKEYS_NO_KEY_LIST", "true");
    const trusting = await scene.stack.refresh();
    expect(trusting.ok, trusting.output).toBe(true);
    scene.stack.setEnv("APIKEYS_NO_KEY_LIST", undefined);
    const after = await resources();
    expect(after.map(({ urn }) => urn.split("::").at(-1))).not.toContain("ci");
    expect(after.find(({ urn }) => urn.endsWith("::set"))?.outputs).toMatchObject({
      ids: { b: expect.any(String) },
    });
  });

  it("R7 a DELETE whose answer was lost, and that is refused when it is sent again, ends in one destroy", async () => {
    scene.service.inject({ method: "DELETE", fault: { kind: "resetAfter" } });
    scene.service.inject({ method: "DELETE", fault: status(409) });
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(live()).toEqual([]);
    expect(await resources()).toEqual([]);
  });
});
