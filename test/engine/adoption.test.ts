import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Host } from "../../tools/engine/project";
import { someOf } from "../all";
import { itInAll } from "../inAll";
import { errorsFor, expectQuiet, expectSilentUp, stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";
import { sent } from "./setExpectations";

const reading = `scopes: [{ representation: "orders", read: true }]`;
/** A set of 40 new keys and the adopted ones, and whatever else the program declares. */
const program = (adopted: string, others = "") => `
import * as pulumi from "@pulumi/pulumi";
import { ApiKey, ApiKeySet } from "pulumi-apikeys";

const customerId = "customer";
const entries = (count: number, prefix: string, entry: (place: number) => object) =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [prefix + place, entry(place)]));
const set = new ApiKeySet("set", {
  workspaceId: "ws_main",
  defaults: { customerId, ${reading} },
  keys: { ...entries(40, "own", () => ({})), ...${adopted} },
});
${others}
export const { ids } = set;
`;
const many = (count: number) =>
  `entries(${count}, "there", (place) => ({ existingId: "key_there" + place, name: "there" + place }))`;
const single = (name: string, existingId: string, more = "", options = "{}") => `
const ${name} = new ApiKey("${name}", { workspaceId: "ws_main", customerId, name: "ci", existingId: ${existingId}, ${reading}, ${more} }, ${options});
`;

const hosts = someOf<Host>(["dynamic", "plugin"], (host) => host === "plugin");

describe.each(hosts)("existing keys that are adopted by id in the %s host", (host) => {
  let scene: Scene;
  const live = (id: string) => scene.service.key(id)?.deleted === false;
  const declare = (text: string) => scene.declare(text);
  const up = async () => {
    scene.service.clearRequests();
    const outcome = await scene.stack.up();
    expect(outcome.ok, outcome.output).toBe(true);
    return outcome;
  };
  beforeAll(async () => {
    scene = await setScene(`adoption-${host}`, {
      host,
      program: program("{}"),
      variant: { delete: "marks" },
    });
    const of = {
      workspaceId: "ws_main",
      customerId: "customer",
      scopes: [{ representation: "orders", read: true }],
    };
    for (let place = 0; place < 60; place += 1) {
      scene.service.addKey({ ...of, id: `key_there${place}`, name: `there${place}` });
    }
    scene.service.addKey({ ...of, id: "key_ci", name: "ci", enabled: false });
    await up();
  });
  afterAll(() => scene?.close());

  it("K11 a set of 40 keys adopts 60 in one update with GETs alone, and the next preview is empty", async () => {
    await declare(program(many(60)));
    scene.service.clearRequests();
    const preview = await scene.stack.preview();
    expect(preview.output).toMatch(/60 to adopt, without a secret: "there0", "there1", .* and 40 more/);
    expect(sent(scene)).toEqual({});
    await up();
    expect(sent(scene)).toEqual({ readApiKey: 60 });
    await expectQuiet(scene);
  });

  itInAll(
    "K11 an ApiKey adopts a key and edits it to match the program; using its secret fails",
    async () => {
      const ci = single("ci", `"key_ci"`);
      await declare(program(many(60), ci));
      expect((await scene.stack.preview()).output).toContain(
        `Key "ci" in workspace ws_main: 1 existing key to adopt, without its secret: key_ci; nothing to create.`,
      );
      await up();
      expect(sent(scene)).toEqual({ readApiKey: 1, editApiKey: 1 });
      expect(scene.service.key("key_ci")).toMatchObject({ enabled: true });
      await expectQuiet(scene);
      await declare(program(many(60), `${ci}export const secret = ci.key;`));
      expect((await scene.stack.up()).error).toContain(
        `ApiKey "ci": state does not have its secret, because the key was adopted or imported`,
      );
      await declare(program(many(60), `${ci}export const secret = set.key("there1");`));
      expect((await scene.stack.up()).error).toContain(
        `ApiKeySet "set" has the key "there1", but not its secret, because the key was adopted without it`,
      );
    },
  );

  itInAll(
    "K11 a key stays if existingId is left out, or if only the engine replaces the resource",
    async () => {
      await declare(program(many(60), single("ci", "undefined")));
      await expectSilentUp(scene);
      for (const options of ["{}", "{ deleteBeforeReplace: true }"]) {
        await declare(program(many(60), single("ci", `"key_ci"`, "", options)));
        await expectSilentUp(scene);
        const { resources = [] } = await scene.stack.exportState();
        const { urn = "" } = resources.find((one) => one.urn.endsWith("::ci")) ?? {};
        const forced = await scene.stack.up({ args: ["--target-replace", urn] });
        expect(forced.ok, forced.output).toBe(true);
        expect(stepsFor(forced, "ci").map(({ op }) => op)).toContain("replace");
        expect(forced.output).toContain("(key_ci) stays in the service");
        expect(live("key_ci")).toBe(true);
        await expectQuiet(scene);
      }
    },
  );

  itInAll(
    "K11 a key is replaced by a new one with a secret if the program leaves existingId out and changes keepers",
    async () => {
      for (const options of ["{ deleteBeforeReplace: true }", "{}"]) {
        const keepers = `keepers: { time: "${options}" }`;
        await declare(program(many(60), single("ci", `"key_ci"`, keepers, options)));
        expect(errorsFor(await scene.stack.preview(), "ci")[0]).toContain(
          "keepers: can't change while existingId stays the same or is added",
        );
        const ci = single("ci", "undefined", keepers, options);
        await declare(program(many(60), `${ci}export const secret = ci.key;`));
        const replaced = await up();
        expect(stepsFor(replaced, "ci").map(({ op }) => op)).toContain("replace");
        expect(replaced.output).not.toContain("to adopt");
        expect(scene.service.keys({ deleted: false }).filter(({ name }) => name === "ci")).toHaveLength(1);
        expect(live("key_ci")).toBe(false);
        await expectSilentUp(scene);
        await expectQuiet(scene);
      }
    },
  );

  itInAll(
    "K11 a key stays if its resource is renamed without aliases, or it moves from an ApiKey to a set",
    async () => {
      const of = { workspaceId: "ws_main", customerId: "customer", id: "key_moving", name: "moving" };
      scene.service.addKey(of);
      await declare(program("{}", single("one", `"key_moving"`)));
      await up();
      await declare(program("{}", single("two", `"key_moving"`)));
      expect((await up()).output).toContain("(key_moving) stays in the service");
      await declare(program(`{ moved: { existingId: "key_moving" } }`));
      await up();
      expect(live("key_moving")).toBe(true);
      await expectQuiet(scene);
    },
  );

  itInAll(
    "K11 an id that no key has fails the update, and an id that is declared twice fails the preview",
    async () => {
      await declare(program("{}", single("nobody", `"key_nobody"`)));
      expect(errorsFor(await scene.stack.up(), "nobody")[0]).toMatch(
        /\(key_nobody\): the workspace has no such key, or the key was deleted/,
      );
      await declare(program(`{ a: { existingId: "key_a" }, b: { existingId: "key_a" } }`));
      expect(errorsFor(await scene.stack.preview(), "set")[0]).toContain(
        "keys.b.existingId: another entry has the same value",
      );
    },
  );

  itInAll("K11 destroy deletes the keys", async () => {
    expect((await scene.stack.destroy()).ok).toBe(true);
    expect(live("key_moving")).toBe(false);
  });
});
