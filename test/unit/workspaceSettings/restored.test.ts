import { beforeEach, describe, expect, test } from "vitest";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { failureOf, refused, replying } from "../replying";
import { inputs, kept, lost, openWorkspace, type Workspace } from "./settingsWorkspace";

let workspace: Workspace;
beforeEach(() => {
  workspace = openWorkspace();
});

test("W5 a destroy fails if its answer is lost, and the next destroy succeeds without a warning", async () => {
  const { state } = await workspace.settings.create(inputs);
  workspace.fault = { method: "PATCH", error: lost, carriedOut: true };
  expect((await failureOf(workspace.settings.delete("ws_1", state))).message).toContain(
    "It stays in state. Run the",
  );
  workspace.fault = undefined;
  await workspace.settings.delete("ws_1", state);
  expect(workspace.held["defaultKeyPrefix"]).toBe("old");
  expect(workspace.settings.warnings).toEqual([]);
});

describe("destroy with onDestroy 'restore'", () => {
  const declared = { ...inputs, defaultExpiration: 5, defaultRateLimitPerSecond: 7 };
  const made = async (of: Workspace["settings"]) => {
    workspace.held = { ...workspace.held, defaultExpiration: 60, defaultRateLimitPerSecond: 70 };
    const { state } = await of.create(declared);
    return state;
  };

  test("W5 keeps the declared values if the program declares the workspace anew, and a warning has the former ones", async () => {
    const state = await made(workspace.settings);
    const { failures } = workspace.settings.check(declared, undefined, "renamed");
    expect(failures).toEqual([]);
    await workspace.settings.delete("ws_1", state);
    expect(workspace.held).toMatchObject({ defaultKeyPrefix: "new", defaultExpiration: 5 });
    expect(workspace.settings.warnings).toEqual([
      expect.stringMatching(
        /The program still declares settings of workspace ws_1, .* not restored .*: defaultKeyPrefix "old", .* the option aliases\.$/,
      ),
    ]);
  });

  test("W5 restores a setting that an update was the first to declare", async () => {
    workspace.held = { ...workspace.held, defaultExpiration: 60 };
    const { state } = await workspace.settings.create(inputs);
    const now = await workspace.settings.update("ws_1", state, { ...inputs, defaultExpiration: 5 });
    await workspace.settings.delete("ws_1", now);
    expect(workspace.held).toMatchObject({ defaultKeyPrefix: "old", defaultExpiration: 60 });
  });

  test.each([404, 410, 403])(
    "W5 keeps the state if reading the workspace gives a %i, and names the ways out",
    async (status) => {
      const state = await made(workspace.settings);
      workspace.fault = { method: "GET", error: refused(status) };
      const { message } = await failureOf(workspace.settings.delete("ws_1", state));
      expect(message).toMatch(/answered 4\d\d\. It stays in state/);
      expect(message).toMatch(
        /token is the likely cause: it may belong to another account\. The access token came/,
      );
      expect(message).toMatch(/if the workspace itself was deleted, .*`pulumi state delete`/);
      expect(workspace.settings.warnings).toEqual([]);
    },
  );

  test("W5 keeps the state if the PATCH gives a 404 or 410", async () => {
    const state = await made(workspace.settings);
    for (const status of [404, 410]) {
      workspace.fault = { method: "PATCH", error: refused(status) };
      expect((await failureOf(workspace.settings.delete("ws_1", state))).message).toContain(
        "It stays in state",
      );
    }
  });

  const answers = {
    "an empty object": () => ({}),
    "the record as before": () => ({ workspace: { id: "ws_1", ...workspace.held } }),
    "the record as it was sent": (body: object) => ({
      workspace: { id: "ws_1", ...workspace.held, ...body },
    }),
  };
  test.each(Object.entries(answers))(
    "W5 fails if the PATCH is answered with %s but not applied, numbers included",
    async (_what, answer) => {
      let deaf = false;
      const service = replying(workspaceSettings, ({ method, body }) => {
        if (method === "PATCH" && deaf) return answer(body as object);
        if (method === "PATCH") workspace.held = { ...workspace.held, ...(body as object) };
        return { workspace: { id: "ws_1", ...workspace.held } };
      });
      const state = await made(service);
      deaf = true;
      const { message } = await failureOf(service.delete("ws_1", state));
      for (const words of [
        'defaultKeyPrefix: should be "old" again, the service has "new"',
        "defaultRateLimitPerSecond: should be 70 again, the service has 7",
        "defaultExpiration: should be 60 again, the service has 5",
        "It stays in state",
        "by hand",
      ]) {
        expect(message).toContain(words);
      }
      expect(service.progress).toEqual(["Waiting for workspace ws_1 to show the change."]);
      workspace.held = {
        ...workspace.held,
        defaultKeyPrefix: "old",
        defaultExpiration: 60,
        defaultRateLimitPerSecond: 70,
      };
      await service.delete("ws_1", state);
      expect(service.warnings).toEqual([]);
    },
  );

  test.each([
    ["defaultKeyPrefix", "new", "old"],
    ["defaultExpiration", 5, 60],
  ])(
    "W1 W5 an update that can't restore %s fails, and the next one restores it, as previewed",
    async (name, ours, theirs) => {
      let stubborn = false;
      const service = replying(workspaceSettings, ({ method, body }) => {
        if (method === "PATCH")
          workspace.held = { ...workspace.held, ...(body as object), ...(stubborn && { [name]: ours }) };
        return { workspace: { id: "ws_1", ...workspace.held } };
      });
      const state = await made(service);
      const rest = Object.fromEntries(Object.entries(declared).filter(([other]) => other !== name));
      stubborn = true;
      const failed = await kept(service.update("ws_1", state, rest));
      const [said, has] = [JSON.stringify(theirs), JSON.stringify(ours)];
      expect(failed.message).toContain(`${name}: should be ${said} again, the service has ${has}`);
      expect(failed.message).toContain('set onDestroy to "retain"');
      expect(failed.state).toMatchObject({ [name]: ours, __before: { [name]: theirs } });
      expect(service.diff("id_1", failed.state, rest).changes).toBeUndefined();
      stubborn = false;
      const after = await service.update("ws_1", failed.state, rest);
      expect(workspace.held[name]).toBe(theirs);
      expect(after).not.toHaveProperty(name);
      expect(after["__before"]).not.toHaveProperty(name);
    },
  );

  test.each(["destroy", "an update that no longer declares them"])(
    "W1 W5 %s warns about settings that are not restored, with their former values",
    async (by) => {
      const state = await made(workspace.settings);
      workspace.held = { ...workspace.held, defaultKeyPrefix: "theirs" };
      const { defaultKeyPrefix: _, ...rest } = declared;
      await (by === "destroy"
        ? workspace.settings.delete("ws_1", state)
        : workspace.settings.update("ws_1", state, rest));
      expect(workspace.settings.warnings).toEqual([
        expect.stringContaining(
          'left as they are: defaultKeyPrefix (has changed since this resource wrote it; before: "old").',
        ),
      ]);
    },
  );

  test("W5 a value that a refresh found changed is left as it is, unless an update has written ours again", async () => {
    const state = await made(workspace.settings);
    workspace.held = { ...workspace.held, defaultKeyPrefix: "theirs" };
    const refreshed = (await workspace.settings.read("ws_1", state))?.state ?? {};
    await workspace.settings.delete("ws_1", refreshed);
    expect(workspace.held["defaultKeyPrefix"]).toBe("theirs");
    expect(workspace.settings.warnings.join()).toContain("defaultKeyPrefix (has changed since");
    await workspace.settings.delete("ws_1", await workspace.settings.update("ws_1", refreshed, declared));
    expect(workspace.held["defaultKeyPrefix"]).toBe("old");
  });
});
