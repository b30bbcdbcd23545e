import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Properties } from "../../../provider/core/state";
import { observe } from "../../../provider/resources/workspaceSettings";
import { failureOf, refused } from "../replying";
import { inputs, kept, lost, openWorkspace, type Workspace } from "./settingsWorkspace";

let workspace: Workspace;
beforeEach(() => {
  workspace = openWorkspace();
});
const create = (declared: Properties, of = workspace) =>
  of.settings.create({ workspaceId: "ws_1", onDestroy: "retain", ...declared });

const some = fc.record(
  {
    defaultKeyPrefix: fc.constantFrom("a", "b"),
    defaultAllowedIPs: fc.constantFrom([], ["10.0.0.1"], ["10.0.0.0/8", "::1"]),
    defaultRateLimitPerSecond: fc.constantFrom(1, 2),
    defaultExpiration: fc.constantFrom(1, 2),
  },
  { requiredKeys: [] },
);

test("W1: a create applies the declared values and changes no others, whether PATCH merges or replaces", async () => {
  const habits = fc.record({
    patch: fc.constantFrom("merges", "replaces"),
    answer: fc.constantFrom("after", "before", "nothing"),
  });
  await fc.assert(
    fc.asyncProperty(some, some, habits, async (held, target, how) => {
      const one = Object.assign(openWorkspace(), { held, habits: how });
      const { state } = await create(target, one);
      expect(observe(one.held as never)).toEqual(observe({ ...held, ...target } as never));
      expect(state).toMatchObject(target);
      expect(one.settings.warnings).toEqual([]);
      expect(one.bodies().length).toBeLessThanOrEqual(1);
    }),
  );
});

test("W2: a create sends nothing if the service already has the values, in any spelling", async () => {
  workspace.held = { defaultAllowedIPs: ["::1", "10.0.0.1/32"], defaultKeyPrefix: "a" };
  await create({ defaultAllowedIPs: ["10.0.0.1", "0::1"] });
  await create({ defaultKeyPrefix: "a", defaultRateLimitPerSecond: 0 });
  expect(workspace.methods()).toBe("GET GET");
});

describe("the body of a PATCH", () => {
  test("W1 a PATCH repeats undeclared settings exactly as read, and leaves out absent ones", async () => {
    const defaultAllowedIPs = ["2001:DB8:0::1", "10.0.0.1/32"];
    for (const held of [{ defaultAllowedIPs }, {}]) {
      workspace.held = { defaultKeyPrefix: "old", ...held };
      await create({ defaultKeyPrefix: "new" });
    }
    expect(workspace.bodies()).toEqual([
      { defaultKeyPrefix: "new", defaultAllowedIPs },
      { defaultKeyPrefix: "new" },
    ]);
  });

  test.each([-1, 2 ** 63])(
    "W1 a PATCH does not repeat a number that counts as no value (%d), an absent prefix or an empty list",
    async (defaultExpiration) => {
      workspace.held = { defaultRateLimitPerSecond: 0, defaultExpiration, defaultAllowedIPs: [] };
      workspace.habits = { patch: "merges" };
      await create({ defaultKeyPrefix: "a" });
      expect(workspace.bodies()).toEqual([{ defaultKeyPrefix: "a" }]);
    },
  );
});

test.each([
  ["fills in", {}, { defaultExpiration: 5 }, "should be 0, the service has 5"],
  ["loses", { defaultExpiration: 5 }, { defaultExpiration: undefined }, "should be 5, the service has 0"],
])("W1 an update warns of an undeclared setting that its PATCH %s", async (_how, held, taken, words) => {
  workspace.held = held;
  workspace.habits = { take: (asked) => ({ ...asked, ...taken }) };
  await create({ defaultKeyPrefix: "b" });
  expect(workspace.bodies()).toHaveLength(1);
  expect(workspace.settings.warnings).toEqual([
    `Setting the defaults of workspace ws_1: defaultExpiration: ${words}; it may have rewritten the value.`,
  ]);
});

test.each(["nothing", "before"] as const)(
  "R4 settings are read again until a change shows, if the answer (%s) does not show it",
  async (answer) => {
    workspace.habits = { answer, lag: 3 };
    await create({ defaultKeyPrefix: "new" });
    expect(workspace.methods()).toBe("GET PATCH GET GET GET GET");
  },
);

test("R4 settings that don't change may stay as the service rewrote them", async () => {
  const rewritten = { defaultKeyPrefix: "a_", defaultRateLimitPerSecond: 10 };
  workspace.habits = { take: (asked) => ({ ...asked, ...rewritten }) };
  const declared = { ...inputs, defaultRateLimitPerSecond: 12, defaultExpiration: 1 };
  const { state } = await create(declared);
  workspace.settings.warnings.length = 0;
  await workspace.settings.update("ws_1", state, { ...declared, defaultExpiration: 2 });
  expect(workspace.held).toMatchObject({ ...rewritten, defaultExpiration: 2 });
  expect(workspace.settings.warnings).toEqual([]);
});

test.each([
  ["answers without it", { patch: "merges", take: () => ({}), answer: "nothing" } as const, "10.0.0.1"],
  [
    "merges the lists",
    {
      take: ({ defaultAllowedIPs }: Properties) => ({
        defaultAllowedIPs: ["10.0.0.1", ...(defaultAllowedIPs as string[])],
      }),
    },
    "10.0.0.1, 192.0.2.2",
  ],
])("R4 an update that removes an address fails if the service %s", async (_how, habits, has) => {
  workspace.held = { defaultAllowedIPs: ["10.0.0.1"] };
  workspace.habits = habits;
  const declared = { workspaceId: "ws_1", defaultAllowedIPs: has.split(", ").slice(1) };
  const { state, message } = await kept(create(declared));
  const [wanted, found] = [declared.defaultAllowedIPs, has.split(", ")].map((one) => JSON.stringify(one));
  expect(message).toContain(`defaultAllowedIPs: should be ${wanted}, the service has ${found}`);
  expect(workspace.settings.diff("ws_1", state, declared).changes).not.toBe(false);
});

describe("settings that somebody has changed since the last update", () => {
  const declared = { ...inputs, defaultAllowedIPs: ["10.0.0.0/8"] };

  test("W1 an update does not revert addresses that the program does not change: nothing is sent, until a refresh", async () => {
    const { state } = await create(declared);
    workspace.held = { ...workspace.held, defaultAllowedIPs: ["10.0.0.1"] };
    const sent = workspace.bodies().length;
    const next = { ...declared, defaultKeyPrefix: "newer", onDestroy: "retain" };
    const failure = await kept(workspace.settings.update("ws_1", state, next));
    expect(failure.message).toMatch(
      /^Setting the defaults of workspace ws_1: nothing was sent, because rights were changed outside Pulumi\. Nothing was changed\. defaultAllowedIPs: the service has \["10\.0\.0\.1"\], state has \["10\.0\.0\.0\/8"\]\. Run `pulumi up --refresh`/,
    );
    expect([failure.kept, workspace.bodies().length]).toEqual([false, sent]);
    const refreshed = (await workspace.settings.read("ws_1", state))?.state ?? {};
    expect(await workspace.settings.update("ws_1", refreshed, next)).toMatchObject(next);
    expect(workspace.held).toMatchObject({ defaultKeyPrefix: "newer", defaultAllowedIPs: ["10.0.0.0/8"] });
  });

  test("W1 an update overwrites any other setting, with a warning, and leaves those that it no longer declares", async () => {
    const { state } = await create({ ...declared, defaultExpiration: 5 });
    const theirs = { defaultKeyPrefix: "theirs", defaultExpiration: 9 };
    workspace.held = { ...workspace.held, ...theirs, defaultAllowedIPs: ["10.0.0.1"] };
    const { defaultAllowedIPs: _, ...next } = declared;
    await workspace.settings.update("ws_1", state, next);
    expect(workspace.held).toMatchObject({
      ...theirs,
      defaultAllowedIPs: ["10.0.0.1"],
      defaultKeyPrefix: "new",
    });
    expect(workspace.settings.warnings).toEqual([
      'Setting the defaults of workspace ws_1: defaultKeyPrefix: the service had "theirs", state had "new"; the update has overwritten it.',
    ]);
  });

  test.each([
    ["a service that lags behind its own last write is waited for", { lag: 4, answer: "after" } as const, 4],
    ["a service may spell addresses in its own form", {}, 0],
  ])("W1 %s", async (_what, habits, waits) => {
    const { state } = await create(declared);
    workspace.habits = habits;
    const next = { ...declared, defaultAllowedIPs: ["10.0.0.1"] };
    const written = await workspace.settings.update("ws_1", state, next);
    if (waits === 0) workspace.held = { ...workspace.held, defaultAllowedIPs: ["10.0.0.1/32"] };
    await workspace.settings.update("ws_1", written, { ...next, defaultKeyPrefix: "newer" });
    expect(workspace.held).toMatchObject({ defaultKeyPrefix: "newer" });
    expect(workspace.methods()).toBe(`GET PATCH GET PATCH ${"GET ".repeat(waits + 1)}PATCH`);
    expect(workspace.settings.warnings).toEqual([]);
  });
});

test("R2 a setting that was cleared may be absent from the answer, if a GET leaves it out too", async () => {
  workspace.held = { defaultAllowedIPs: ["10.0.0.1"] };
  workspace.habits = { take: () => ({}) };
  expect((await create({ defaultAllowedIPs: [] })).state["defaultAllowedIPs"]).toEqual([]);
  expect(workspace.methods()).toBe("GET PATCH GET");
});

test("R18 an update leaves the workspace's name and team in state as they are; a refresh reads them", async () => {
  const { id, state } = await create(inputs);
  const before = { ...state, teamId: "team_1" };
  workspace.held = { ...workspace.held, name: "Renamed", teamId: "team_2" };
  const updated = await workspace.settings.update(id, before, { ...inputs, defaultKeyPrefix: "newer" });
  expect(updated).toMatchObject({ name: "Main", teamId: "team_1" });
  const now = { name: "Renamed", teamId: "team_3" };
  workspace.held = { ...workspace.held, ...now };
  expect((await workspace.settings.read(id, updated))?.state).toEqual({ ...updated, ...now });
});

describe("a PATCH of settings whose result is not known", () => {
  test.each([true, false])(
    "W2 W5 a create whose answer is lost keeps the former values, and destroy restores them (PATCH applied: %s)",
    async (carriedOut) => {
      workspace.fault = { method: "PATCH", error: lost, carriedOut };
      const { state, message } = await kept(create(inputs));
      expect(message).toMatch(
        /cut\. State has the values that the service last showed\. It is not known whether the change was applied\. Run `pulumi up` again, which sends the values in the program\.$/,
      );
      expect(state).toMatchObject({
        ...inputs,
        defaultKeyPrefix: "old",
        __before: { defaultKeyPrefix: "old" },
      });
      const { changes } = workspace.settings.diff("id_1", state, inputs);
      expect(changes).toBeUndefined();
      workspace.fault = undefined;
      await workspace.settings.delete("ws_1", state);
      expect(workspace.held["defaultKeyPrefix"]).toBe("old");
      expect(workspace.settings.warnings).toEqual([]);
    },
  );

  test("R4 an update whose answer is lost keeps the last values read, and the next one applies the change, as previewed", async () => {
    const { state: made } = await create(inputs);
    const next = { ...inputs, defaultKeyPrefix: "newer", defaultExpiration: 5 };
    workspace.fault = { method: "PATCH", error: lost, carriedOut: true };
    const { state } = await kept(workspace.settings.update("ws_1", made, next));
    expect(state).toMatchObject({ defaultKeyPrefix: "new", __before: { defaultKeyPrefix: "old" } });
    expect(workspace.settings.diff("id_1", state, next).changes).toBeUndefined();
    workspace.fault = undefined;
    const after = await workspace.settings.update("ws_1", state, next);
    expect(after).toEqual({ ...made, ...next });
    await workspace.settings.delete("ws_1", after);
    expect(workspace.held["defaultKeyPrefix"]).toBe("old");
  });
});

test("W4: numbers are integers, and 0 is passed on for the service to decide", async () => {
  const failures = (defaultExpiration: number) =>
    workspace.settings.check({ ...inputs, defaultExpiration }, undefined).failures;
  expect([failures(0), failures(1.5)]).toEqual([[], [expect.stringMatching(/^defaultExpiration: must be /)]]);
  workspace.held = { ...workspace.held, defaultExpiration: 60 };
  await create({ ...inputs, defaultExpiration: 0 });
  expect(workspace.bodies()).toMatchObject([{ defaultExpiration: 0 }]);
});

test("W4 a first PATCH that the service refuses leaves no state, and the error says what it may not accept", async () => {
  workspace.fault = { method: "PATCH", error: refused(400) };
  expect(await kept(create(inputs))).toMatchObject({
    kept: false,
    message: expect.stringMatching(/ws_1: .* answered 400.* one of the two numbers must be above 0/),
  });
});

test("R4 a write that is answered with a page fails, and the error says to check the base URL", async () => {
  workspace.habits = { answer: "page", take: (_asked, before) => before };
  const elsewhere =
    /did not apply the change\..* If that doesn't help, check the base URL \(.*\), and any proxy/;
  expect((await kept(create(inputs))).message).toMatch(elsewhere);
  const state = { ...inputs, defaultKeyPrefix: "old", __before: { defaultKeyPrefix: "theirs" } };
  expect((await failureOf(workspace.settings.delete("ws_1", state))).message).toMatch(elsewhere);
});
