import { describe, expect, test } from "vitest";
import { HostFailure, startHost } from "./host";
import { declared, live, stage, three } from "./setStage";

describe("what a set knows of other keys", () => {
  test("keys of the same name and customer that no state of the run holds are told, and left alone", async (context) => {
    const at = await stage(context);
    at.standIn.addKey({ id: "key_theirs", workspaceId: "ws_main", name: "b", customerId: "cus_1" });
    await at.set.create(await declared(at, three));
    const told = () => at.host.output.stderr.split("\n").filter((line) => line.startsWith("warning: "));
    await expect.poll(told).toHaveLength(1);
    expect(told()[0]).toMatch(
      /^warning: "b": Creating key "b" .* already has a key with this name and customer: key_theirs/,
    );
    expect(live(at)).toEqual(["a", "b", "b", "c"]);
  });

  test("those of its own, of another set and of an ApiKey that the same command has met are not", async (context) => {
    const at = await stage(context);
    const single = await at.key.check({ workspaceId: "ws_main", customerId: "cus_1", name: "b" });
    const key = await at.key.create(single.inputs);
    const inputs = await declared(at, { a: {} });
    const held = await at.set.create(inputs);
    // Another command meets them as it compares them.
    const next = await startHost({
      APIKEYS_BASE_URL: at.standIn.url,
      APIKEYS_ACCESS_TOKEN: at.standIn.accessToken,
    });
    await next.configure({});
    const [keys, set] = [next.resource("ApiKey"), next.resource("ApiKeySet")];
    await keys.diff(key, single.inputs);
    await set.diff(held, inputs);
    const replaced = await set.update(held, await declared(at, { a: { prefix: "new" } }, inputs));
    await set.create(await declared(at, three));
    await set.delete(replaced);
    expect(await next.stop()).toBe("");
    expect(live(at)).toEqual(["a", "b", "b", "c"]);
  });

  test("a key that it has still to delete, and that has been imported as an ApiKey, is left to that", async (context) => {
    const at = await stage(context);
    const inputs = await declared(at, three);
    const held = await at.set.create(inputs);
    const { b: _, ...others } = three;
    const next = await declared(at, others, inputs);
    at.standIn.inject({ endpoint: "deleteApiKey", fault: { kind: "status", status: 403 } });
    const failure: unknown = await at.set.update(held, next).catch((error: unknown) => error);
    const kept = failure instanceof HostFailure ? failure.kept : undefined;
    const { id } = at.standIn.keys().find(({ name }) => name === "b") ?? { id: "" };
    expect(kept?.properties["ids"]).toHaveProperty("b", id);
    const imported = { workspaceId: "ws_main", customerId: "cus_1", name: "b" };
    await at.key.read({ id, state: imported });
    const after = await at.set.update({ id: held.id, state: kept?.properties ?? {} }, next);
    expect(after.state["ids"]).not.toHaveProperty("b");
    expect(live(at)).toEqual(["a", "b", "c"]);
    await at.key.delete({ id, state: imported });
    expect(live(at)).toEqual(["a", "c"]);
  });
});
