import { beforeEach, describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { openRun } from "../../../provider/core/run";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { failureOf, idIn, refused, replying } from "../replying";
import { inputs, kept, lost, openWorkspace, type Workspace } from "./settingsWorkspace";

let workspace: Workspace;
beforeEach(() => {
  workspace = openWorkspace();
});
const bodies = () => workspace.settings.calls.flatMap(({ body }) => (body === undefined ? [] : [body]));

describe("a PATCH of settings whose result is not known", () => {
  test.each([true, false])(
    "W2 W5 on create keeps the previous values, and destroy restores them (PATCH applied: %s)",
    async (carriedOut) => {
      workspace.fault = { method: "PATCH", error: lost, carriedOut };
      const { state, message } = await kept(workspace.settings.create(inputs));
      expect(message).toMatch(
        /cut\. It is not known whether the change was applied: state has the previous values\. Run `pulumi up` again, which sends the values in the program\.$/,
      );
      expect(message).not.toContain("State is unchanged");
      expect(state).toMatchObject({
        ...inputs,
        defaultKeyPrefix: "old",
        __before: { defaultKeyPrefix: "old" },
      });
      expect(workspace.settings.diff("id_1", state, inputs)).toMatchObject({
        changes: undefined,
        replaces: [],
      });
      workspace.fault = undefined;
      const seen = (await workspace.settings.read("ws_1", state))?.state ?? {};
      await workspace.settings.delete("ws_1", seen);
      expect(workspace.held["defaultKeyPrefix"]).toBe("old");
      expect(workspace.settings.warnings).toEqual([]);
    },
  );

  test("W2 on create keeps the previous values if the answer has no workspace and the GET after it fails", async () => {
    let patched = false;
    const silent = replying(workspaceSettings, ({ method }) => {
      if (method === "PATCH") patched = true;
      else if (patched) throw new CallError("ambiguous", "the answer is no JSON");
      return method === "PATCH" ? {} : { workspace: { id: "ws_1", ...workspace.held } };
    });
    const { state } = await kept(silent.create(inputs));
    expect(state).toMatchObject({ __before: { defaultKeyPrefix: "old" } });
  });

  test("R4 on update keeps the last values read, and the next update applies the change, as previewed", async () => {
    const { state: made } = await workspace.settings.create(inputs);
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

  test("W4 saves no state if the service refuses the first PATCH, and the error says what it may not accept", async () => {
    workspace.fault = { method: "PATCH", error: refused(400) };
    expect(await kept(workspace.settings.create(inputs))).toMatchObject({
      kept: false,
      message: expect.stringMatching(/ws_1: .* answered 400.* one of the two numbers must be above 0/),
    });
  });
});

describe("the body of a PATCH of settings", () => {
  test("W1 repeats undeclared settings exactly as read, and leaves out absent ones", async () => {
    workspace.held = { defaultKeyPrefix: "old", defaultAllowedIPs: ["2001:DB8:0::1", "10.0.0.1/32"] };
    await workspace.settings.create({ ...inputs });
    workspace.held = { defaultKeyPrefix: "old" };
    await workspace.settings.create({ ...inputs });
    expect(bodies()).toEqual([
      { defaultKeyPrefix: "new", defaultAllowedIPs: ["2001:DB8:0::1", "10.0.0.1/32"] },
      { defaultKeyPrefix: "new" },
    ]);
  });

  test("W5 restores the previous addresses in the service's spelling", async () => {
    workspace.held = { defaultAllowedIPs: ["10.0.0.1/32", "192.0.2.0/24"] };
    const declared = { workspaceId: "ws_1", onDestroy: "restore", defaultAllowedIPs: ["10.0.0.1", "::1"] };
    const { state } = await workspace.settings.create(declared);
    expect(state["__before"]).toEqual({ defaultAllowedIPs: ["10.0.0.1/32", "192.0.2.0/24"] });
    await workspace.settings.delete("ws_1", state);
    expect(bodies()).toEqual([
      { defaultAllowedIPs: ["10.0.0.1", "::1"] },
      { defaultAllowedIPs: ["10.0.0.1/32", "192.0.2.0/24"] },
    ]);
  });

  test("W5 does not restore an absent list as an empty one", async () => {
    const { state } = await workspace.settings.create({ ...inputs, defaultAllowedIPs: ["::1"] });
    expect(state["__before"]).toEqual({ defaultKeyPrefix: "old" });
  });
});

test("R18 an update leaves the workspace's name and team in state as they are; a refresh reads them", async () => {
  const { id, state } = await workspace.settings.create(inputs);
  const before = { ...state, teamId: "team_1" };
  workspace.held = { ...workspace.held, name: "Renamed", teamId: "team_2" };
  const updated = await workspace.settings.update(id, before, { ...inputs, defaultKeyPrefix: "newer" });
  expect(updated).toMatchObject({ name: "Main", teamId: "team_1" });
  const now = { name: "Renamed", teamId: "team_3" };
  workspace.held = { ...workspace.held, ...now };
  expect((await workspace.settings.read(id, updated))?.state).toEqual({ ...updated, ...now });
});

describe("R3 settings of several workspaces", () => {
  test("are read by one GET each, never by a list of workspaces", async () => {
    const service = replying(workspaceSettings, (asked) => ({
      workspace: { id: idIn(asked), name: "Main", defaultKeyPrefix: "new" },
    }));
    const ids = ["ws_1", "ws_2", "ws_3"];
    await Promise.all(ids.map((id) => service.read(id, { ...inputs, workspaceId: id })));
    expect(service.calls.map(idIn).toSorted()).toEqual(ids);
    expect(service.calls.every(({ method }) => method === "GET")).toBe(true);
  });
});

describe("an answer to PATCH that leaves out a cleared setting", () => {
  const deaf = (shown: (method: string) => object) =>
    replying(workspaceSettings, ({ method }) => ({
      workspace: { id: "ws_1", name: "Main", ...shown(method) },
    }));
  const cleared = { workspaceId: "ws_1", defaultAllowedIPs: [], onDestroy: "retain" };
  const addresses = ["10.0.0.1"];

  test("R4 does not prove that it was cleared: a GET decides", async () => {
    const service = deaf((method) => (method === "PATCH" ? {} : { defaultAllowedIPs: addresses }));
    const { message, kept } = await failureOf(service.create(cleared));
    expect(message).toContain(
      "defaultAllowedIPs: the program has no addresses, the service still has 10.0.0.1",
    );
    expect(kept?.state["defaultAllowedIPs"]).toEqual(addresses);
  });

  test("R2 is accepted if the GET leaves it out too", async () => {
    let patched = false;
    const service = deaf((method) => {
      patched ||= method === "PATCH";
      return patched ? {} : { defaultAllowedIPs: addresses };
    });
    expect((await service.create(cleared)).state["defaultAllowedIPs"]).toEqual([]);
    expect(service.calls.map(({ method }) => method)).toEqual(["GET", "PATCH", "GET"]);
  });
});

test.each([undefined, lost])(
  "W5 a create that can't be saved to state names the former values (PATCH: %o)",
  async (error) => {
    const run = openRun();
    const ending = openWorkspace({ run });
    run.stop("the test ended it");
    ending.held = { ...ending.held, defaultAllowedIPs: ["192.0.2.1"] };
    if (error !== undefined) ending.fault = { method: "PATCH", error, carriedOut: true };
    await ending.settings.create({ ...inputs, defaultAllowedIPs: ["192.0.2.2"] }).catch(() => {});
    expect(ending.settings.warnings.join()).toMatch(
      /^Workspace settings \(ws_1\): the run ended before .* defaultAllowedIPs 192\.0\.2\.1,/,
    );
  },
);

test("R4 a list of addresses that the service merges is not applied: an address that was removed is still allowed", async () => {
  const merging = replying(workspaceSettings, ({ method, body }) => {
    if (method === "PATCH") {
      const { defaultAllowedIPs: sent = [] } = body as { defaultAllowedIPs?: string[] };
      workspace.held = { ...workspace.held, ...(body as object), defaultAllowedIPs: [...addresses, ...sent] };
    }
    return { workspace: { id: "ws_1", ...workspace.held } };
  });
  const addresses = ["192.0.2.1"];
  workspace.held = { ...workspace.held, defaultAllowedIPs: addresses };
  const declared = { workspaceId: "ws_1", defaultAllowedIPs: ["192.0.2.2"] };
  const { state, message } = await kept(merging.create(declared));
  expect(message).toContain("the program has 192.0.2.2, the service still has 192.0.2.1, 192.0.2.2");
  expect(merging.diff("ws_1", state, declared).changes).not.toBe(false);
});

test("R4 a write that is answered with a page is an error that says what was answered, and to check the base URL", async () => {
  const page = "<html>Sign in</html>";
  const settings = replying(workspaceSettings, ({ method }) =>
    method === "PATCH" ? page : { workspace: { id: "ws_1", ...workspace.held } },
  );
  const elsewhere =
    /did not apply the change \(the answer is not JSON\).* If that doesn't help, check the base URL \(.*\), and any proxy/;
  expect((await kept(settings.create(inputs))).message).toMatch(elsewhere);
  const before = { defaultKeyPrefix: "theirs" };
  const deleting = settings.delete("ws_1", { ...inputs, defaultKeyPrefix: "old", __before: before });
  expect((await failureOf(deleting)).message).toMatch(elsewhere);
});
