import { beforeEach, describe, expect, test } from "vitest";
import { CallError } from "../../provider/client/callError";
import type { Properties } from "../../provider/core/state";
import { workspaceSettings } from "../../provider/resources/workspaceSettings";
import { failureOf, idIn, replying } from "./replying";

const lost = new CallError("ambiguous", "the connection was cut");
const refused = (status: number) => new CallError("refused", `the service answered ${status}`, status);

/** A workspace in memory whose PATCH replaces; `fault` is thrown in place of the answer to a method. */
let held: Properties;
let fault: { method: string; error: CallError; carriedOut?: boolean } | undefined;
let subject: ReturnType<typeof openSubject>;
const openSubject = () =>
  replying(workspaceSettings, ({ method, body }) => {
    const failing = fault !== undefined && method === fault.method;
    if (method === "PATCH" && (!failing || fault?.carriedOut))
      held = { name: held["name"], ...(body as object) };
    if (failing && fault !== undefined) throw fault.error;
    return { workspace: { id: "ws_1", ...held } };
  });
const bodies = () => subject.calls.flatMap(({ body }) => (body === undefined ? [] : [body]));
const inputs = { workspaceId: "ws_1", defaultKeyPrefix: "new", onDestroy: "restore" };
/** What the engine sends of kept state. */
const kept = async (operation: Promise<unknown>) => {
  const failure = await failureOf(operation);
  return { state: failure.kept?.state ?? {}, message: failure.message, kept: failure.kept !== undefined };
};

beforeEach(() => {
  held = { name: "Main", defaultKeyPrefix: "old" };
  fault = undefined;
  // Another process, as in another run.
  subject = openSubject();
});

describe("a PATCH that was sent and not seen through", () => {
  test.each([true, false])(
    "W2 W5 on create keeps what held before, and destroy puts it back (carried out: %s)",
    async (carriedOut) => {
      fault = { method: "PATCH", error: lost, carriedOut };
      const { state, message } = await kept(subject.create(inputs));
      expect(message).toMatch(
        /cut\. It is not known whether the change was applied: state has the previous values\. Run `pulumi up` again, which sends the values in the program\.$/,
      );
      expect(message).not.toContain("State is unchanged");
      expect(state).toMatchObject({
        ...inputs,
        defaultKeyPrefix: "old",
        __before: { defaultKeyPrefix: "old" },
      });
      expect(subject.diff("id_1", state, inputs)).toEqual({ changes: undefined, replaces: [] });
      fault = undefined;
      const seen = (await subject.read("ws_1", state))?.state ?? {};
      await subject.delete("ws_1", seen);
      expect(held["defaultKeyPrefix"]).toBe("old");
      expect(subject.warnings).toEqual([]);
    },
  );

  test("W2 also where it was answered without the workspace and the GET that decides fails", async () => {
    let patched = false;
    const silent = replying(workspaceSettings, ({ method }) => {
      if (method === "PATCH") patched = true;
      else if (patched) throw new CallError("invalidAnswer", "the answer is no JSON");
      return method === "PATCH" ? {} : { workspace: { id: "ws_1", ...held } };
    });
    const { state } = await kept(silent.create(inputs));
    expect(state).toMatchObject({ __before: { defaultKeyPrefix: "old" } });
  });

  test("R4 on update keeps what was seen last, so that the next preview shows what is to do, and the next up does it", async () => {
    const { state: made } = await subject.create(inputs);
    const next = { ...inputs, defaultKeyPrefix: "newer", defaultExpiration: 5 };
    fault = { method: "PATCH", error: lost, carriedOut: true };
    const { state } = await kept(subject.update("ws_1", made, next));
    expect(state).toMatchObject({ defaultKeyPrefix: "new", __before: { defaultKeyPrefix: "old" } });
    expect(subject.diff("id_1", state, next).changes).toBeUndefined();
    fault = undefined;
    const after = await subject.update("ws_1", state, next);
    expect(after).toEqual({ ...made, ...next });
    await subject.delete("ws_1", after);
    expect(held["defaultKeyPrefix"]).toBe("old");
  });

  test("W5 what somebody else had set stays theirs on destroy, when it was not overwritten", async () => {
    const { state: made } = await subject.create(inputs);
    held = { ...held, defaultKeyPrefix: "theirs" };
    fault = { method: "PATCH", error: lost };
    const { state } = await kept(subject.update("ws_1", made, { ...inputs, defaultExpiration: 5 }));
    fault = undefined;
    await subject.delete("ws_1", state);
    expect(held["defaultKeyPrefix"]).toBe("theirs");
  });

  test("a refused first PATCH keeps nothing", async () => {
    fault = { method: "PATCH", error: refused(400) };
    expect(await kept(subject.create(inputs))).toMatchObject({ kept: false });
  });
});

test("W5 a destroy whose answer was lost is run again, and leaves nothing to warn of", async () => {
  const { state } = await subject.create(inputs);
  fault = { method: "PATCH", error: lost, carriedOut: true };
  expect((await failureOf(subject.delete("ws_1", state))).message).toContain("It stays in state. Run the");
  fault = undefined;
  await subject.delete("ws_1", state);
  expect(held["defaultKeyPrefix"]).toBe("old");
  expect(subject.warnings).toEqual([]);
});

describe("what a PATCH repeats", () => {
  test("W1 what is not declared goes exactly as it was read, and what is absent is left out", async () => {
    held = { defaultKeyPrefix: "old", defaultAllowedIPs: ["2001:DB8:0::1", "10.0.0.1/32"] };
    await subject.create({ ...inputs });
    held = { defaultKeyPrefix: "old" };
    await subject.create({ ...inputs });
    expect(bodies()).toEqual([
      { defaultKeyPrefix: "new", defaultAllowedIPs: ["2001:DB8:0::1", "10.0.0.1/32"] },
      { defaultKeyPrefix: "new" },
    ]);
  });

  test("W3 W5 declared addresses go in the service's spelling where it has them, and go back as they were", async () => {
    held = { defaultAllowedIPs: ["10.0.0.1/32", "192.0.2.0/24"] };
    const declared = { workspaceId: "ws_1", onDestroy: "restore", defaultAllowedIPs: ["10.0.0.1", "::1"] };
    const { state } = await subject.create(declared);
    expect(state["__before"]).toEqual({ defaultAllowedIPs: ["10.0.0.1/32", "192.0.2.0/24"] });
    await subject.delete("ws_1", state);
    expect(bodies()).toEqual([
      { defaultAllowedIPs: ["10.0.0.1/32", "::1"] },
      { defaultAllowedIPs: ["10.0.0.1/32", "192.0.2.0/24"] },
    ]);
  });

  test("W5 a list that was absent is not put back as an empty one", async () => {
    const { state } = await subject.create({ ...inputs, defaultAllowedIPs: ["::1"] });
    expect(state["__before"]).toEqual({ defaultKeyPrefix: "old" });
  });
});

test("W1 a setting that could not be put back is remembered, shown, and put back by the next up", async () => {
  let stubborn = false;
  const service = replying(workspaceSettings, ({ method, body }) => {
    if (method === "PATCH")
      held = { ...held, ...(body as object), ...(stubborn && { defaultKeyPrefix: "new" }) };
    return { workspace: { id: "ws_1", ...held } };
  });
  const { state: made } = await service.create({ ...inputs, defaultExpiration: 5 });
  const { defaultKeyPrefix: _, ...rest } = { ...inputs, defaultExpiration: 5 };
  stubborn = true;
  const { state } = await kept(service.update("ws_1", made, rest));
  expect(state).toMatchObject({ defaultKeyPrefix: "new", __before: { defaultKeyPrefix: "old" } });
  expect(service.diff("id_1", state, rest).changes).toBeUndefined();
  stubborn = false;
  const after = await service.update("ws_1", state, rest);
  expect(held["defaultKeyPrefix"]).toBe("old");
  expect(after).not.toHaveProperty("__before");
});

test("R11 what was absent after the write is not filled in by a refresh", async () => {
  const { state } = await subject.create(inputs);
  held = { ...held, name: "Renamed", teamId: "team_1" };
  expect((await subject.read("ws_1", state))?.state).toEqual(state);
});

describe("destroy of settings that are to be put back", () => {
  const declared = { ...inputs, defaultExpiration: 5, defaultRateLimitPerSecond: 7 };
  const made = async (of: typeof subject) => {
    held = { ...held, defaultExpiration: 60, defaultRateLimitPerSecond: 70 };
    const { state } = await of.create(declared);
    return state;
  };

  test.each([404, 410, 403])(
    "W5 the workspace is not believed gone on a %i: state stays, and the ways out are named",
    async (status) => {
      const state = await made(subject);
      fault = { method: "GET", error: refused(status) };
      const { message } = await failureOf(subject.delete("ws_1", state));
      expect(message).toMatch(/answered 4\d\d\. It stays in state/);
      expect(message).toMatch(
        /token is the likely cause: it may belong to another account\. The access token came/,
      );
      expect(message).toMatch(/if the workspace itself was deleted, .*`pulumi state delete`/);
      expect(subject.warnings).toEqual([]);
    },
  );

  test("W5 a PATCH that answers 404 or 410 is no reason to forget them either", async () => {
    const state = await made(subject);
    for (const status of [404, 410]) {
      fault = { method: "PATCH", error: refused(status) };
      expect((await failureOf(subject.delete("ws_1", state))).message).toContain("It stays in state");
    }
  });

  const answers = {
    "an empty object": () => ({}),
    "the record as before": () => ({ workspace: { id: "ws_1", ...held } }),
    "the record as it was sent": (body: object) => ({ workspace: { id: "ws_1", ...held, ...body } }),
  };
  test.each(Object.entries(answers))(
    "W5 that is answered with %s and not carried out is an error, for numbers too",
    async (_what, answer) => {
      let deaf = false;
      const service = replying(workspaceSettings, ({ method, body }) => {
        if (method === "PATCH" && deaf) return answer(body as object);
        if (method === "PATCH") held = { ...held, ...(body as object) };
        return { workspace: { id: "ws_1", ...held } };
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
      held = { ...held, defaultKeyPrefix: "old", defaultExpiration: 60, defaultRateLimitPerSecond: 70 };
      await service.delete("ws_1", state);
      expect(service.warnings).toEqual([]);
    },
  );

  test("W1 W5 a number that an update does not put back is no success: it stays in state, until it is back", async () => {
    let rounding = false;
    const service = replying(workspaceSettings, ({ method, body }) => {
      if (method === "PATCH")
        held = { ...held, ...(body as object), ...(rounding && { defaultExpiration: 5 }) };
      return { workspace: { id: "ws_1", ...held } };
    });
    const state = await made(service);
    const { defaultExpiration: _, ...rest } = declared;
    rounding = true;
    const failed = await kept(service.update("ws_1", state, rest));
    expect(failed.message).toContain("defaultExpiration: should be 60 again, the service has 5");
    expect(failed.message).toContain('set onDestroy to "retain"');
    expect(failed.state).toMatchObject({ defaultExpiration: 5, __before: { defaultExpiration: 60 } });
    expect(service.diff("id_1", failed.state, rest).changes).toBeUndefined();
    rounding = false;
    const after = await service.update("ws_1", failed.state, rest);
    expect(held["defaultExpiration"]).toBe(60);
    expect(after).not.toHaveProperty("defaultExpiration");
  });

  test("W5 the warning of what stays tells what it was before", async () => {
    const state = await made(subject);
    held = { ...held, defaultKeyPrefix: "theirs" };
    await subject.delete("ws_1", state);
    expect(subject.warnings).toEqual([
      expect.stringContaining(
        'left as they are: defaultKeyPrefix (has changed since this resource wrote it; before: "old").',
      ),
    ]);
  });
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

describe("an answer to PATCH that leaves out what was sent", () => {
  const deaf = (shown: (method: string) => object) =>
    replying(workspaceSettings, ({ method }) => ({
      workspace: { id: "ws_1", name: "Main", ...shown(method) },
    }));
  const cleared = { workspaceId: "ws_1", defaultAllowedIPs: [], onDestroy: "retain" };
  const addresses = ["10.0.0.1"];

  test("R4 is no proof that the addresses were cleared: a read decides", async () => {
    const service = deaf((method) => (method === "PATCH" ? {} : { defaultAllowedIPs: addresses }));
    const { message, kept } = await failureOf(service.create(cleared));
    expect(message).toContain(
      "defaultAllowedIPs: the program has no addresses, the service still has 10.0.0.1",
    );
    expect(kept?.state["defaultAllowedIPs"]).toEqual(addresses);
  });

  test("R2 is fine where a read leaves it out too", async () => {
    let patched = false;
    const service = deaf((method) => {
      patched ||= method === "PATCH";
      return patched ? {} : { defaultAllowedIPs: addresses };
    });
    expect((await service.create(cleared)).state["defaultAllowedIPs"]).toEqual([]);
    expect(service.calls.map(({ method }) => method)).toEqual(["GET", "PATCH", "GET"]);
  });
});
