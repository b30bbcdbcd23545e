import { beforeEach, expect, test } from "vitest";
import { failureOf, refused } from "../replying";
import { inputs, lost, openWorkspace, type Workspace } from "./settingsWorkspace";

const declared = { ...inputs, defaultExpiration: 5, defaultRateLimitPerSecond: 7 };
const former = { defaultKeyPrefix: "old", defaultExpiration: 60, defaultRateLimitPerSecond: 70 };

let workspace: Workspace;
let settings: Workspace["settings"];
beforeEach(() => {
  workspace = openWorkspace();
  settings = workspace.settings;
  workspace.held = { ...workspace.held, ...former };
});
const made = async () => (await settings.create(declared)).state;

test("W5 a destroy fails if its answer is lost, and the next destroy succeeds without a warning", async () => {
  const state = await made();
  workspace.fault = { method: "PATCH", error: lost, carriedOut: true };
  expect((await failureOf(settings.delete("ws_1", state))).message).toContain("It stays in state. Run the");
  workspace.fault = undefined;
  await settings.delete("ws_1", state);
  expect(workspace.held).toMatchObject(former);
  expect(settings.warnings).toEqual([]);
});

test("W5 R17 two resources with former values may exchange their workspaces in one update", () => {
  const moves = (["ws_1", "ws_2"] as const).map((from) => {
    const state = { ...inputs, workspaceId: from, __before: { defaultKeyPrefix: "old" } };
    const to = { ...inputs, workspaceId: from === "ws_1" ? "ws_2" : "ws_1" };
    const { inputs: declared, failures } = settings.check(to, state, `of ${from}`);
    expect(failures).toEqual([]);
    return () => settings.diff(from, state, declared, `of ${from}`).replaces;
  });
  expect(moves.map((compare) => compare())).toEqual([["workspaceId"], ["workspaceId"]]);
});

test("W5 a destroy keeps the values if the program declares the workspace again, and a warning has the former ones", async () => {
  const state = await made();
  expect(settings.check(declared, undefined, "renamed").failures).toEqual([]);
  // Nothing to restore, or not asked to.
  await settings.delete("ws_1", { ...state, __before: {} });
  await settings.delete("ws_1", { ...state, onDestroy: "retain" });
  expect(settings.warnings).toEqual([]);
  await settings.delete("ws_1", state);
  expect(workspace.held).toMatchObject({ defaultKeyPrefix: "new", defaultExpiration: 5 });
  expect(settings.warnings).toEqual([
    expect.stringMatching(
      /The program still declares settings of workspace ws_1, .* not restored .*: defaultKeyPrefix "old", .* the option aliases\.$/,
    ),
  ]);
});

test("W5: a destroy restores the former values, also of a setting that an update was the first to declare", async () => {
  const { state } = await settings.create(inputs);
  const now = await settings.update("ws_1", state, { ...inputs, defaultExpiration: 5 });
  await settings.delete("ws_1", now);
  expect(workspace.held).toMatchObject(former);
});

test("W5 former addresses are restored in the service's spelling, and what had no value is not restored", async () => {
  const defaultAllowedIPs = ["10.0.0.1/32", "192.0.2.0/24"];
  workspace.held = { defaultAllowedIPs };
  const onlyAddresses = { workspaceId: "ws_1", onDestroy: "restore", defaultAllowedIPs: ["10.0.0.1", "::1"] };
  const { state } = await settings.create(onlyAddresses);
  expect(state["__before"]).toEqual({ defaultAllowedIPs });
  workspace.habits = { take: () => ({ defaultAllowedIPs: ["10.0.0.1", "192.0.2.0/24"] }) };
  await settings.delete("ws_1", state);
  expect(workspace.bodies().at(-1)).toEqual({ defaultAllowedIPs });
  // A service may refuse 0.
  Object.assign(workspace, { held: { defaultExpiration: 0 }, habits: {} });
  const numbered = { ...onlyAddresses, defaultExpiration: 5 };
  expect((await settings.create(numbered)).state).not.toHaveProperty("__before");
});

test.each([404, 403])(
  "W6: a workspace that can't be read (%i) is never gone: a refresh and a destroy fail, and name the ways out",
  async (status) => {
    const state = await made();
    workspace.fault = { method: "GET", error: refused(status) };
    const refresh = await failureOf(settings.read("ws_1", state));
    expect(refresh.message).toMatch(
      /answered 4\d\d\. State is unchanged\. Check the id, and .* If the workspace was deleted, .*`pulumi state delete`/,
    );
    const { message } = await failureOf(settings.delete("ws_1", state));
    expect(message).toMatch(/answered 4\d\d\. It stays in state/);
    expect(message).toMatch(/that the access token .* belong to another account\. The access token came/);
    expect(message).toMatch(/if the workspace was deleted, .*`pulumi state delete`/);
    expect(settings.warnings).toEqual([]);
  },
);

test("W5 a destroy keeps the state if the PATCH gives a 404", async () => {
  const state = await made();
  workspace.fault = { method: "PATCH", error: refused(404) };
  expect((await failureOf(settings.delete("ws_1", state))).message).toContain("It stays in state");
});

test.each(["nothing", "before", "echo"] as const)(
  "W5 a destroy fails if its PATCH is not applied, numbers included (its answer shows: %s)",
  async (answer) => {
    const state = await made();
    workspace.habits = { answer, take: (_asked, before) => before };
    const { message } = await failureOf(settings.delete("ws_1", state));
    for (const words of [
      'defaultKeyPrefix: should be "old", the service has "new"',
      "defaultRateLimitPerSecond: should be 70, the service has 7",
      "defaultExpiration: should be 60, the service has 5",
      "It stays in state",
      "by hand",
    ]) {
      expect(message).toContain(words);
    }
    workspace.held = { ...workspace.held, ...former };
    await settings.delete("ws_1", state);
    expect(settings.warnings).toEqual([]);
  },
);

test("W5 a destroy warns if the service rewrites a former value, other than in form", async () => {
  const state = await made();
  const rewritten = { defaultKeyPrefix: "OLD", defaultExpiration: 50 };
  workspace.habits = { take: (asked) => ({ ...asked, ...rewritten }) };
  await settings.delete("ws_1", state);
  expect(settings.warnings).toEqual([
    "Restoring the defaults of workspace ws_1: defaultExpiration: should be 60, the service has 50; it may have rewritten the value.",
  ]);
});

test("W1 W5 a setting that is no longer declared keeps its value, and a later destroy does not restore it", async () => {
  const { defaultKeyPrefix: _, ...rest } = declared;
  const after = await settings.update("ws_1", await made(), rest);
  expect(after).not.toHaveProperty("defaultKeyPrefix");
  expect(after["__before"]).not.toHaveProperty("defaultKeyPrefix");
  await settings.delete("ws_1", after);
  expect(workspace.held).toMatchObject({ ...former, defaultKeyPrefix: "new" });
  expect(settings.warnings).toEqual([]);
});

const tightened = ["10.0.0.1"];
const theirs = { ...former, defaultAllowedIPs: tightened };
const open = { ...declared, defaultAllowedIPs: ["10.0.0.0/8"] };

test.each([false, true])(
  "W5 a destroy leaves a setting that somebody else has changed since, and names it (seen by a refresh: %s)",
  async (isSeen) => {
    workspace.held = { ...workspace.held, defaultAllowedIPs: [] };
    const { state } = await settings.create(open);
    workspace.held = { ...workspace.held, defaultAllowedIPs: tightened };
    await settings.delete("ws_1", isSeen ? ((await settings.read("ws_1", state))?.state ?? {}) : state);
    expect(workspace.held).toMatchObject(theirs);
    expect(settings.warnings).toEqual([
      "Workspace ws_1: settings that were changed outside Pulumi stay as they are. Their former values: defaultAllowedIPs [].",
    ]);
  },
);

test("W5 a destroy restores a setting again whose change an update has reverted, or that the service shows late", async () => {
  const { state } = await settings.create(declared);
  workspace.held = { ...workspace.held, defaultKeyPrefix: "theirs" };
  const seen = (await settings.read("ws_1", state))?.state ?? {};
  expect(seen["__written"]).toEqual({ defaultKeyPrefix: "new" });
  workspace.habits = { lag: 3, answer: "before" };
  const reverted = await settings.update("ws_1", seen, declared);
  expect(reverted).not.toHaveProperty("__written");
  await settings.delete("ws_1", reverted);
  expect(workspace.held).toMatchObject(former);
  expect(settings.warnings).toEqual([]);
});

test("W5 a destroy restores what an update that failed halfway may have written, after a refresh too", async () => {
  const state = await made();
  workspace.fault = { method: "PATCH", error: lost, carriedOut: true };
  const changed = { ...declared, defaultKeyPrefix: "newer" };
  const { kept } = await failureOf(settings.update("ws_1", state, changed));
  workspace.fault = undefined;
  for (const failed of [kept?.state ?? {}, (await settings.read("ws_1", kept?.state ?? {}))?.state ?? {}]) {
    expect(failed).not.toHaveProperty("__written");
    workspace.held = { ...workspace.held, defaultKeyPrefix: "newer" };
    await settings.delete("ws_1", failed);
    expect(workspace.held).toMatchObject(former);
  }
  expect(settings.warnings).toEqual([]);
});

test("W5 a destroy warns about settings that had no value before", async () => {
  workspace.held = { defaultKeyPrefix: "old", defaultExpiration: 0 };
  await settings.delete("ws_1", await made());
  expect(settings.warnings).toEqual([
    "Workspace ws_1: settings that had no value before stay as they are: defaultRateLimitPerSecond, defaultExpiration.",
  ]);
  expect(workspace.held).toMatchObject({ defaultKeyPrefix: "old", defaultExpiration: 5 });
});
