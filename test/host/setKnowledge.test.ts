import { describe, expect, test } from "vitest";
import { startHost } from "./host";
import { declared, live, stage, three } from "./setStage";

describe("a set and other keys of the same name and customer", () => {
  test("a key that this run has not seen in state gets a warning, and is left alone", async (context) => {
    const at = await stage(context);
    at.standIn.addKey({ id: "key_theirs", workspaceId: "ws_main", name: "b", customerId: "cus_1" });
    await at.set.create(await declared(at, three));
    const warnings = () => at.host.output.stderr.split("\n").filter((line) => line.startsWith("warning: "));
    await expect.poll(warnings).toHaveLength(1);
    expect(warnings()[0]).toMatch(
      /^warning: "b": Creating key "b" .* already has a key with this name and customer: key_theirs/,
    );
    expect(live(at)).toEqual(["a", "b", "b", "c"]);
  });

  test("the set's own keys, and those of an ApiKey or another set that this run has seen, get no warning", async (context) => {
    const at = await stage(context);
    const single = await at.key.check({ workspaceId: "ws_main", customerId: "cus_1", name: "b" });
    const key = await at.key.create(single.inputs);
    const inputs = await declared(at, { a: {} });
    const held = await at.set.create(inputs);
    // The next command sees them when it diffs them.
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
});
