import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Host } from "../../tools/engine/project";
import { isAll } from "../all";
import { errorsFor, expectQuiet, expectSilentUp, expectUnsaid, stepsFor } from "./expectations";
import { createFixture, type Fixture, runApikeys } from "./fixture";

const customerId = "customer";
const scopes = [{ representation: "orders", read: true }];

const program = (resources: string) => `
import { Config } from "@pulumi/pulumi";
import { ApiKey, ApiKeySet, RotatingApiKey } from "pulumi-apikeys";

const base = { workspaceId: "ws_main", customerId: "${customerId}", scopes: ${JSON.stringify(scopes)} };
const set = (keys: object) => new ApiKeySet("set", { workspaceId: "ws_main", defaults: { customerId: base.customerId, scopes: base.scopes }, keys });
${resources}
`;

const live = ({ service }: Fixture) => service.keys({ deleted: false }).map((key) => key.id);
const writes = ({ service }: Fixture) =>
  service.requests.flatMap(({ method, endpoint }) => (method === "GET" ? [] : [endpoint]));

async function update(fixture: Fixture, resources: string) {
  await fixture.declare(program(resources));
  fixture.service.clearRequests();
  const up = await fixture.stack.up();
  expect(up.ok, up.output).toBe(true);
  return up;
}

/** The names of the resources that have a key in state. */
async function holdersOf({ stack }: Fixture, id: string) {
  const { resources = [] } = await stack.exportState();
  return resources.flatMap(({ urn, id: own, outputs }) =>
    own === id || JSON.stringify([outputs]).includes(`"${id}"`) ? [urn.split("::").at(-1)] : [],
  );
}

it("K11 existing keys are adopted without a POST, stay if only the engine replaces them, and are deleted by destroy", async () => {
  const fixture = await createFixture("adopted", { host: "plugin" });
  const ids = ["key_ci", "key_one", "key_two"];
  for (const id of ids)
    fixture.service.addKey({ workspaceId: "ws_main", customerId, id, name: id.slice(4), scopes });
  fixture.service.editKey("key_ci", { enabled: false });
  const adopting = (options = "{}") => `
    const ci = new ApiKey("ci", { ...base, existingId: "key_ci" }, ${options});
    const keys = set({ own: {}, one: { existingId: "key_one" }, two: { existingId: "key_two" } });`;
  await fixture.declare(program(adopting()));
  const preview = await fixture.stack.preview();
  for (const said of [
    'ApiKey "ci": 1 existing key to adopt, without its secret: key_ci; nothing to create.',
    '2 to adopt, without a secret: "one", "two"',
  ])
    expect(preview.output).toContain(said);
  await update(fixture, adopting());
  expect(writes(fixture).toSorted()).toEqual(["createApiKey", "editApiKey"]);
  expect(fixture.service.key("key_ci")).toMatchObject({ enabled: true });
  await expectQuiet(fixture);
  for (const options of ["{}", "{ deleteBeforeReplace: true }"]) {
    await fixture.declare(program(adopting(options)));
    await expectSilentUp(fixture);
    const { resources = [] } = await fixture.stack.exportState();
    const { urn = "" } = resources.find((one) => one.urn.endsWith("::ci")) ?? {};
    const forced = await fixture.stack.up({ args: ["--target-replace", urn] });
    expect(forced.ok, forced.output).toBe(true);
    expect(stepsFor(forced, "ci").map(({ op }) => op)).toContain("replace");
    expect(forced.output).toContain("(key_ci) stays in the service");
    await expectQuiet(fixture);
  }
  expect(live(fixture)).toEqual(expect.arrayContaining(ids));
  expect((await fixture.stack.destroy()).ok).toBe(true);
  expect(live(fixture)).toEqual([]);
});

it.each<Host>(isAll ? ["dynamic", "plugin"] : ["plugin"])(
  "R17 K11 E2 a key has one owner, and moves to another one that adopts it, in the %s host",
  async (host) => {
    const fixture = await createFixture(`owner-${host}`, { host, program: program("") });
    await update(fixture, `new ApiKey("a", base);`);
    const [id = ""] = live(fixture);
    const state = async () => [live(fixture), await holdersOf(fixture, id)];
    const adopting = (name: string, more = "") =>
      `new ApiKey("${name}", { ...base, ${more} name: "a", existingId: "${id}" });`;

    await fixture.declare(program(`new ApiKey("a", base); ${adopting("b")}`));
    const preview = await fixture.stack.preview();
    expect(preview.ok).toBe(false);
    expect(preview.output).toMatch(
      /the resource [ab] has or (adopts|declares) the same key|has or adopts too/,
    );

    // A former owner keeps its key, and the secret, if the adoption fails.
    await fixture.declare(program(adopting("b", 'customerId: "another",')));
    const failed = await fixture.stack.up({ args: ["--continue-on-error"] });
    expect(failed.ok).toBe(false);
    expect(await state()).toEqual([[id], ["a"]]);

    await update(fixture, `new ApiKey("a", base, { retainOnDelete: true });`);
    await update(fixture, adopting("b"));
    expect(await state()).toEqual([[id], ["b"]]);
    await expectQuiet(fixture);

    // From an ApiKey to an entry of a set, which another resource can have once the set releases it.
    await update(fixture, `set({ one: { name: "a", existingId: "${id}" } });`);
    await fixture.declare(program(`set({}); ${adopting("keep")}`));
    const unreleased = await fixture.stack.preview();
    expect(errorsFor(unreleased, "set").concat(errorsFor(unreleased, "keep")).join()).toMatch(
      /has or (adopts|declares)/,
    );
    const released = `set({ one: { name: "a", release: true } }); ${adopting("keep")}`;
    await fixture.declare(program(released));
    expect((await fixture.stack.preview()).output).toContain('1 to release and leave in the service: "one"');
    await update(fixture, released);
    expect(await state()).toEqual([[id], ["keep"]]);
    await expectQuiet(fixture);

    const rotating = `new RotatingApiKey("rotating", { ...base, name: "a", existingId: "${id}", rotateEvery: "90d" });`;
    await update(fixture, rotating);
    expect(await state()).toEqual([[id], ["rotating"]]);
    await expectQuiet(fixture);
  },
);

it.each<Host>(["dynamic", "plugin"])(
  "K8 a program that uses a secret that state will not have fails in the preview, in the %s host",
  async (host) => {
    const fixture = await createFixture(`no-secret-${host}`, { host });
    for (const id of ["key_ci", "key_one", "key_rotating"])
      fixture.service.addKey({ workspaceId: "ws_main", customerId, id, name: id.slice(4), scopes });
    const adopting = (more = "") => `
      const ci = new ApiKey("ci", { ...base, ${more} existingId: "key_ci" });
      const rotating = new RotatingApiKey("rotating", { ...base, ${more} existingId: "key_rotating", rotateEvery: "90d" });
      const keys = set({ own: {${more}}, one: { existingId: "key_one" } });
      export const own = keys.key("own");`;
    const said = {
      "ci.key": 'APIKEYS1006: ApiKey "ci": state does not have its secret.',
      "rotating.key": 'APIKEYS1006: RotatingApiKey "rotating": state does not have its secret.',
      'keys.key("one")': 'APIKEYS1006: ApiKeySet "set", key "one": state does not have its secret.',
    };
    /** The secrets whose use by these resources fails the preview, of those from this one on. */
    const failing = async (resources: string, first = 0) => {
      const failed: string[] = [];
      for (const [secret, line] of Object.entries(said).slice(first)) {
        await fixture.declare(program(`${resources}\nexport const secret = ${secret};`));
        const preview = await fixture.stack.preview();
        if (!preview.ok) failed.push(secret);
        if (!preview.ok) expect(preview.error).toContain(line);
      }
      return failed;
    };
    const all = Object.keys(said);
    expect(await failing(adopting())).toEqual(all);
    await update(fixture, adopting());
    expect(await failing(adopting(), 1)).toEqual(all.slice(1));
    // The preview of an update of a dynamic resource does not know what state has.
    expect(await failing(adopting("enabled: false,"), 1)).toEqual(host === "plugin" ? all.slice(1) : []);
    await fixture.declare(program(adopting("enabled: false,")));
    const { ok, output } = await fixture.stack.preview();
    expect(ok, output).toBe(true);
  },
);

it.each<Host>(["dynamic", "plugin"])(
  "K11 a protected ApiKey moves into a set with its secret, and no request changes it, in the %s host",
  async (host) => {
    const fixture = await createFixture(`moved-${host}`, { host });
    const { stack, project, service } = fixture;
    await update(fixture, `export const a = new ApiKey("a", base, { protect: true }).key;`);
    const [id = ""] = live(fixture);
    const secret = service.key(id)?.key ?? "";
    await stack.setConfig(`${project.name}:aKey`, { value: secret, secret: true });
    await update(fixture, `new ApiKey("a", base, { protect: false, retainOnDelete: true });`);

    const moved = (value: string) =>
      `export const a = set({ a: { existingId: "${id}"${value} } })${value && '.key("a")'};`;
    const given = `, existingKey: new Config().requireSecret("aKey")`;
    await fixture.declare(program(moved(given)));
    expect((await stack.preview()).output).toContain('1 to adopt, with the given secret: "a"');
    await update(fixture, moved(given));
    expect([writes(fixture), live(fixture)]).toEqual([[], [id]]);
    expect(await stack.outputs()).toEqual({ a: { value: secret, secret: true } });
    await expectQuiet(fixture);
    await expectUnsaid(fixture, [secret]);

    // A key that was adopted without its secret gets it later, in place.
    if (host === "dynamic" && !isAll) return;
    await update(fixture, `set({ a: { release: true } });`);
    await update(fixture, moved(""));
    const later = await update(fixture, moved(given));
    expect(stepsFor(later, "set").map(({ op }) => op)).toEqual(["update"]);
    expect([writes(fixture), live(fixture)]).toEqual([[], [id]]);
    expect(await stack.outputs()).toEqual({ a: { value: secret, secret: true } });
    await expectQuiet(fixture);

    // From then on, state has the secret.
    await stack.setConfig(`${project.name}:aKey`, undefined);
    await fixture.declare(program(`export const a = set({ a: {} }).key("a");`));
    await expectSilentUp(fixture);
    expect(await stack.outputs()).toEqual({ a: { value: secret, secret: true } });
  },
);

it("K12 the program that adopt --values writes adopts keys with their secrets from stack config", async () => {
  const fixture = await createFixture("given");
  const { project, service, stack } = fixture;
  for (const id of ["key_a", "key_b", "key_bare"])
    service.addKey({ workspaceId: "ws_main", customerId, id, name: id.slice(4), scopes });
  const secrets = Object.fromEntries(["key_a", "key_b"].map((id) => [id, service.key(id)?.key]));
  const [given, passed] = [join(project.dir, "secrets.json"), join(project.dir, "existingKeys.json")];
  await project.write("secrets.json", JSON.stringify(secrets));
  const written = await runApikeys(fixture, "adopt", "--workspace=ws_main", "--as=set", "--values", given);
  expect(written.code, written.stderr).toBe(0);
  await stack.setConfig(`${project.name}:existingKeys`, {
    value: await readFile(passed, "utf8"),
    secret: true,
  });
  await Promise.all([given, passed].map((file) => rm(file)));
  await fixture.declare(`${written.stdout}\nexport const secrets = keys.secrets;`);
  service.clearRequests();
  const up = await stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(writes(fixture)).toEqual([]);
  const { key_a: a, key_b: b } = secrets;
  expect((await stack.outputs())["secrets"]).toEqual({ value: { a, b }, secret: true });
  await expectQuiet(fixture);
});
