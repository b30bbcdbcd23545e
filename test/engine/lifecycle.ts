import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quickTimers } from "../host/quickTimers";
import { actingIn, errorsFor, expectUnsaid, stepsFor } from "./expectations";
import { credentials, type Fixture, openFixture } from "./fixture";

type Host = "dynamic" | "plugin";
type Outcome = Awaited<ReturnType<Fixture["stack"]["up"]>>;

const orders = { representation: "orders", read: true };

/** The field of each resource that the step "edited" changes, with its values before and after, and made outside Pulumi. */
const edits: Readonly<
  Record<string, readonly [field: string, before: unknown, after: unknown, drifted: unknown]>
> = {
  named: ["name", "old name", "new name", "renamed elsewhere"],
  switched: ["enabled", true, false, true],
  scoped: [
    "scopes",
    [{ ...orders, update: true }],
    [{ representation: "carts", del: true }, orders],
    [orders],
  ],
  rotating: ["enabled", true, false, true],
  settings: ["defaultRateLimitPerSecond", 10, 50, 3],
};
const users = ["user of absent", "user of named", "user of set"];

/** The whole lifecycle of each kind of resource: all commands, then what they showed and sent. */
export function describeLifecycle(host: Host): void {
  describe(`a resource of each kind in the ${host} host`, () => {
    let fixture: Fixture;
    let ran: Awaited<ReturnType<typeof runAll>>;
    beforeAll(async () => {
      const workspaces = ["main", "settings", "left", "entered"].map((name) => ({
        id: `ws_${name}`,
        ...(name === "main" ? {} : { defaultRateLimitPerSecond: 7, defaultExpiration: 3600 }),
      }));
      fixture = await openFixture("lifecycle", {
        host,
        env: (service) => ({ ...credentials(service), ...quickTimers() }),
        program: readFileSync(join(__dirname, "lifecycleProgram.ts"), "utf8"),
        tenants: [{ accessToken: "token-of-the-lifecycle", workspaces }],
      });
      fixture.service.addKey({ workspaceId: "ws_main", id: "key_theirs", name: "theirs" });
      ran = await runAll(fixture);
    });
    afterAll(() => fixture?.close());

    it("R8 R9 the preview of wrong inputs has a line for each, with its path, and shows no value", () => {
      const lines = errorsFor(ran.wrong, "wrong").map((line) => line.replace(/^.* has a problem: /, ""));
      expect(lines).toEqual([
        "APIKEYS1001: workspaceId: must not be empty.",
        "APIKEYS1001: customerId: is missing.",
        "APIKEYS1001: metadata: must be a map.",
        "APIKEYS1001: custmerId: no such property.",
        expect.stringMatching(/^The properties are workspaceId, customerId, /),
        expect.stringMatching(/^APIKEYS1001: prefix: can't be combined with existingKey/),
      ]);
      expect(ran.wrong.output).not.toContain("in the dark");
    });

    it("R12 the first preview writes nothing, and the update creates what it shows", () => {
      const { preview, up } = ran.created;
      expect(writesOf(preview)).toEqual({});
      expect(up.changes).toEqual(preview.changes);
      expect(writesOf(up)).toEqual({
        createApiKey: 8 + 4 + 6 + 1,
        createBilling: 1,
        createScope: 2,
        editWorkspace: 2,
      });
    });

    it("R2 R13 another spelling of the same values is no change, and the update writes nothing", () => {
      const { preview, up } = ran.respelled;
      for (const outcome of [preview, up]) expect(actingIn(outcome)).toEqual({});
      expect(ran.respelled.preview.output).not.toContain("[unknown]");
      expect(writesOf(up)).toEqual({});
    });

    it("R2 K1 the preview and the update show exactly the edited field of each resource", () => {
      const { preview, up } = ran.edited;
      for (const outcome of [preview, up]) {
        for (const [name, [field, old, now]] of Object.entries(edits)) {
          const [step] = stepsFor(outcome, name);
          expect(step).toMatchObject({ op: "update", diffs: [field] });
          expect(step?.changed).toEqual({ [field]: { old, new: now } });
        }
        const [set] = stepsFor(outcome, "set");
        expect([set?.op, ...Object.keys(set?.changed ?? {})]).toEqual(["update", "defaults", "keys"]);
      }
      expect(preview.output.replace(/\s+/g, " ")).toContain(
        "~ narrowed: { ~ scopes: [ ~ [0]: { - update: true } ] }",
      );
      expect(Object.keys(actingIn(up)).toSorted()).toEqual([...Object.keys(edits), "set"].toSorted());
      // Three keys, the rotating one, and all entries of the set.
      expect(writesOf(up)).toEqual({ editApiKey: 3 + 1 + 6, editWorkspace: 1 });
    });

    it("R12 R15 R18 the plugin's preview leaves out resources whose inputs stay; the dynamic host's shows those that may change", () => {
      const shown = Object.keys(actingIn(ran.edited.preview)).filter((name) => users.includes(name));
      expect(shown.toSorted()).toEqual(host === "plugin" ? [] : users);
    });

    it("R5 K9 changes made outside Pulumi are shown as old → now and now → declared, and reverted", () => {
      for (const outcome of [ran.drifted.preview, ran.drifted.up]) {
        for (const [name, [field, , declared, drifted]] of Object.entries(edits)) {
          expect(stepsFor(outcome, name), name).toMatchObject([
            { duringRefresh: true, changed: { [field]: { old: declared, new: drifted } } },
            { duringRefresh: false, op: "update", changed: { [field]: { old: drifted, new: declared } } },
          ]);
        }
        // Fields that can't change in place, or that the service never returns, are never read into inputs.
        expect(stepsFor(outcome, "plain").map(({ changed }) => changed)).toEqual([{}, {}]);
      }
      expect(writesOf(ran.drifted.up)).toEqual({ editApiKey: 5, editWorkspace: 1 });
    });

    it("R10: a replacement is shown by its field, and the new object is created before the old one is deleted", () => {
      const { preview, up } = ran.replaced;
      const fields = {
        moved: "customerId",
        swapped: "keepers",
        moving: "workspaceId",
        renamed: "representation",
        credits: "grant",
        "user of moved": "keepers",
      };
      for (const outcome of [preview, up]) {
        for (const [name, field] of Object.entries(fields)) {
          const shown = stepsFor(outcome, name).find(({ op }) => op === "replace");
          expect(shown, name).toMatchObject({ diffs: [field], replacedFor: [field] });
        }
      }
      const ops = (name: string) => stepsFor(up, name).map(({ op }) => op);
      expect(ops("moved")).toEqual(["create-replacement", "replace", "delete-replaced"]);
      expect(ops("swapped")).toEqual(["delete-replaced", "replace", "create-replacement"]);
      const wire = up.requests.map(({ endpoint, path }) => `${endpoint} ${path.split("/").at(-1)}`);
      const last = wire.findLastIndex((line) => line.startsWith("createApiKey"));
      expect(wire.indexOf(`deleteApiKey ${ran.movedId}`)).toBeGreaterThan(last);
    });

    it("K2 E2 the preview of a set names its replaced, deleted and kept keys, and the update does just that", () => {
      const lines = ran.replaced.preview.output.split("\n");
      const [said] = lines.filter((line) => line.includes(" to replace, with a new secret: "));
      expect(said).toContain('1 to replace, with a new secret: "prefixed"');
      expect(said).toContain('1 to keep under a new alias: "latter"');
      expect(said).toContain('1 to delete: "early"');
      expect(ran.formerId.after).toBe(ran.formerId.before);
      // The set's new key, its replaced one, and the replaced resources.
      expect(writesOf(ran.replaced.up)).toMatchObject({ createApiKey: 2 + 3, deleteApiKey: 2 + 3 });
    });

    it("R3 R13 neither a refresh nor a preview right after each update shows a change", () => {
      for (const outcome of ran.quiet) {
        expect(outcome.steps.filter(({ changed }) => Object.keys(changed).length > 0)).toEqual([]);
        expect(actingIn(outcome)).toEqual({});
      }
    });

    it("R6 a key that was deleted outside Pulumi fails its update, and `up --refresh` creates it again", () => {
      const { failed, healed } = ran.vanished;
      expect(errorsFor(failed, "vanishing").join()).toContain("pulumi up --refresh");
      expect(stepsFor(healed, "vanishing")).toMatchObject([
        { duringRefresh: true, new: null },
        { op: "create" },
      ]);
      expect(writesOf(healed)).toMatchObject({ createApiKey: 1 });
    });

    it("W6 a workspace that can't be read is an error, and its settings stay in state", () => {
      expect(errorsFor(ran.unread, "settings").join()).toContain("ws_settings");
      expect(stepsFor(ran.destroyed, "settings")).toMatchObject([{ op: "delete" }]);
    });

    it("R1 an alias can't make a key a resource of another kind", () => {
      expect(ran.aliased.ok).toBe(false);
      expect(ran.aliased.output).toMatch(
        /In state, key_\w+ is of the type ApiKey, and an alias can't make it/,
      );
      expect(writesOf(ran.aliased)).toEqual({});
    });

    it("R7 K10 W5 S3 B4 destroy deletes the keys, restores the settings and leaves the rest, with warnings", () => {
      const { service } = fixture;
      expect(ran.destroyed.ok, ran.destroyed.output).toBe(true);
      expect(service.keys({ deleted: false }).map(({ id }) => id)).toEqual(["key_theirs"]);
      for (const workspace of service.workspaces().filter(({ id }) => id !== "ws_main"))
        expect(workspace).toMatchObject({ defaultRateLimitPerSecond: 7, defaultExpiration: 3600 });
      expect(service.scopes("ws_main")).toHaveLength(3);
      expect(service.billings()).toHaveLength(2);
      expect(ran.destroyed.output).toMatch(/warning: .*"orders".* stays in the service/);
      expect(ran.destroyed.output).toMatch(/warning: The credits of bill_\w+ in workspace ws_main stay/);
    });

    it("K6 the secrets are outputs of the stack, marked as secret, and are shown and stored nowhere else", () => {
      const { secrets, keys } = ran.outputs;
      const keyOf = (name: string) => keys.find((key) => key.name === name)?.key;
      const value = ["plain", "old name", "rotating", "usual"].map(keyOf);
      expect(secrets).toEqual({ value, secret: true });
    });
  });
}

type Command = Outcome & { readonly requests: Fixture["service"]["requests"] };

async function runAll(fixture: Fixture) {
  const { service, stack } = fixture;
  const at = (step: string) => stack.setEnv("APIKEYS_STEP", step);
  const run = async (command: () => Promise<Outcome>): Promise<Command> => {
    service.clearRequests();
    const outcome = await command();
    return { ...outcome, requests: [...service.requests] };
  };
  const done = async (command: () => Promise<Outcome>) => {
    const outcome = await run(command);
    expect(outcome.ok, outcome.output).toBe(true);
    return outcome;
  };
  const quiet: Command[] = [];
  const becomes = async (step: string) => {
    at(step);
    const preview = await done(() => stack.preview({ diff: true }));
    const up = await done(() => stack.up());
    quiet.push(await done(() => stack.previewRefresh({ expectNoChanges: true })));
    return { preview, up };
  };
  const idOf = (name: string) => service.keys({ deleted: false }).find((key) => key.name === name)?.id ?? "";

  at("wrong");
  const wrong = await run(() => stack.preview());
  const created = await becomes("created");
  const outputs = { secrets: (await stack.outputs())["secrets"], keys: service.keys() };
  const respelled = await becomes("respelled");
  const edited = await becomes("edited");

  service.editKey(idOf("new name"), { name: "renamed elsewhere" });
  service.editKey(idOf("switched"), { enabled: true });
  service.editKey(idOf("scoped"), { scopes: [orders] });
  service.editKey(idOf("rotating"), { enabled: true });
  service.editKey(idOf("usual"), { enabled: false });
  const fixed = {
    customerId: "elsewhere",
    expiresAt: 1,
    metadata: { team: "red" },
    externalMeterId: "theirs",
  };
  service.editKey(idOf("plain"), fixed);
  service.editWorkspace("ws_settings", { defaultRateLimitPerSecond: 3 });
  const drifted = {
    preview: await done(() => stack.previewRefresh()),
    up: await done(() => stack.up({ refresh: true })),
  };

  const [movedId, former] = [idOf("moved"), idOf("former")];
  const replaced = await becomes("replaced");
  const formerId = { before: former, after: idOf("former") };

  at("vanished");
  service.deleteKey(idOf("vanishing"));
  const vanished = {
    failed: await run(() => stack.up()),
    healed: await done(() => stack.up({ refresh: true })),
  };
  const isSettings = ({ path }: { readonly path: string }) => path.endsWith("ws_settings");
  service.inject({
    endpoint: "readWorkspace",
    when: isSettings,
    times: Number.POSITIVE_INFINITY,
    fault: { kind: "status", status: 404 },
  });
  const unread = await run(() => stack.refresh());
  service.clearFaults();
  at("aliased");
  const aliased = await run(() => stack.preview());
  await expectUnsaid(fixture, service.secrets());
  service.deleteKey(idOf("plain"));
  const destroyed = await run(() => stack.destroy());
  return {
    ...{ wrong, created, outputs, respelled, edited, drifted, replaced, movedId, formerId, quiet },
    ...{ vanished, unread, aliased, destroyed },
  };
}

/** The number of writes to each endpoint. */
function writesOf({ requests }: Command): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { endpoint, method } of requests)
    if (method !== "GET") counts[endpoint] = (counts[endpoint] ?? 0) + 1;
  return counts;
}
