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

describe("answers that seem to say that keys are gone", () => {
  let scene: Scene;
  const always = Number.POSITIVE_INFINITY;
  const status = (status: number, body?: unknown): Fault => ({ kind: "status", status, body });
  const resources = async () => {
    const { resources: all = [] } = await scene.stack.exportState({ showSecrets: true });
    // The engine keeps them in the order of the last update.
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

  it("R6 one 410 to a GET of a key, as from a gateway: the refresh finds the key all the same", async () => {
    const before = await resources();
    scene.service.inject({ endpoint: "readApiKey", fault: status(410) });
    const refresh = await scene.stack.refresh({ expectNoChanges: true });
    expect(refresh.ok, refresh.output).toBe(true);
    expect(await resources()).toEqual(before);
  });

  it("R6 a 410 to every GET of a key, as from a retired path: the refresh fails, and state stays", async () => {
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

  it("R6 a 404 for a key that the service shows only later: it stays in state, and leaves it once it is deleted", async () => {
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

  it("R7 a 410 or 204 to a DELETE that is not applied: destroy fails, and the keys stay in state", async () => {
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

  it("R6 a refused list: keys deleted outside Pulumi leave state only with APIKEYS_NO_KEY_LIST", async () => {
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

  it("R7 a lost answer to DELETE, then a 409 to its repetition: one destroy succeeds", async () => {
    scene.service.inject({ method: "DELETE", fault: { kind: "resetAfter" } });
    scene.service.inject({ method: "DELETE", fault: status(409) });
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(live()).toEqual([]);
    expect(await resources()).toEqual([]);
  });
});
