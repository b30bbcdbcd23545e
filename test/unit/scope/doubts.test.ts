import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError } from "../../../provider/client/send";
import { servesMs } from "../../../provider/reads";
import { scope } from "../../../provider/resources/scope";
import { failureOf, replying } from "../replying";

const failed = (status: number) =>
  new CallError(
    status < 500 && status !== 409 ? "refused" : "ambiguous",
    `the service answered ${status}`,
    status,
  );
const inputs = { workspaceId: "ws_1", name: "Orders", representation: "orders" };
const other = { id: "sc_other", name: "Orders", representation: "ORDERS" };

let listed: unknown[];
let listFault: CallError | undefined;
let post: () => unknown;
const subject = replying(scope, ({ method, path }) => {
  if (method === "POST") return post();
  if (!path.endsWith("/scopes")) return { workspace: { id: "ws_1" } };
  if (listFault !== undefined) throw listFault;
  return { scopes: listed };
});

beforeEach(() => {
  vi.useFakeTimers();
  vi.setTimerTickMode("nextTimerAsync");
  listed = [other];
  listFault = undefined;
  post = () => ({ scope: { ...inputs, id: "sc_1" } });
  subject.calls.length = 0;
  subject.warnings.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the create of a scope whose POST fails", () => {
  const posting = (status: number) => {
    post = () => {
      throw failed(status);
    };
    return subject.create(inputs);
  };

  test.each([400, 403, 422])(
    "S4 a create that is answered with %i does not adopt a scope that differs in case",
    async (status) => {
      await expect(posting(status)).rejects.toThrow(`the service answered ${status}. Nothing was created`);
    },
  );

  test("S4 a create that is answered with 404 adopts the scope if the list then has it, and otherwise created nothing", async () => {
    await expect(posting(404)).rejects.toThrow("the service answered 404. Nothing was created");
    expect(subject.calls).toHaveLength(3);
    post = () => {
      listed = [other, { ...inputs, id: "sc_1" }];
      throw failed(404);
    };
    expect((await subject.create(inputs)).id).toBe("sc_1");
  });

  test("S4 a create that is answered with 409 adopts a scope that differs only in case", async () => {
    expect((await posting(409)).id).toBe("sc_other");
  });

  test("S4 a create that is answered with 500 adopts a scope that differs in case only if it is new", async () => {
    await expect(posting(500)).rejects.toThrow("It is not known whether the scope was created");
    post = () => {
      listed = [other, { ...other, id: "sc_1", representation: "Orders" }];
      throw failed(500);
    };
    expect((await subject.create(inputs)).id).toBe("sc_1");
  });

  test("S4: a create whose answer lacks the scope waits for the list to show it, and sends no second POST", async () => {
    let looks = 0;
    const lagging = replying(scope, ({ method, path }) => {
      if (method === "POST") return "";
      if (!path.endsWith("/scopes")) return { workspace: { id: "ws_1" } };
      looks += 1;
      return { scopes: looks < 4 ? [other] : [other, { ...inputs, id: "sc_new" }] };
    });
    expect((await lagging.create(inputs)).id).toBe("sc_new");
    expect(lagging.calls.filter(({ method }) => method === "POST")).toHaveLength(1);
    post = () => "";
    const { kind, message } = await failureOf(subject.create(inputs));
    expect([kind, message]).toEqual([
      "outcomeUnclear",
      expect.stringMatching(/is empty.*not known whether the/),
    ]);
  });

  test.each([409, 422])(
    "S4 a create that is answered with %i fails with that answer, even if the list can't be read afterwards",
    async (status) => {
      post = () => {
        listFault = failed(403);
        throw failed(status);
      };
      const { message } = await failureOf(subject.create(inputs));
      const certainty =
        status === 409 ? "It is not known whether the scope was created" : "Nothing was created";
      expect(message).toContain(`the service answered ${status}. ${certainty}`);
    },
  );
});

test("S1: a scope that exists is adopted without a POST if it differs only in form, and is otherwise an error", async () => {
  listed = [{ ...inputs, id: "sc_there", name: " ORDERS" }];
  expect((await subject.create(inputs)).id).toBe("sc_there");
  listed = [{ ...inputs, id: "sc_there", name: "Purchases", description: "All" }];
  const { message } = await failureOf(subject.create(inputs));
  expect(message).toContain('(sc_there), with name "Purchases" and description "All"');
  expect(subject.calls.filter(({ method }) => method === "POST")).toEqual([]);
  listed = [];
  expect((await subject.create(inputs)).id).toBe("sc_1");
});

describe("a scope without the fields that a service leaves out", () => {
  const described = { ...inputs, description: "Every order" };
  const brief = { ...inputs, id: "sc_1" };

  test("S1 S3 S4 a scope whose answers leave out its description is adopted, created and read without a warning", async () => {
    post = () => ({ scope: brief });
    const { id, state } = await subject.create(described);
    listed = [brief];
    expect(await subject.read(id, state)).toEqual({ id, state });
    expect((await subject.create(described)).id).toBe("sc_1");
    expect(subject.warnings).toEqual([]);
  });
});

test("S2 S4 a scope in the answer with another name is taken, and a refresh warns", async () => {
  listed = [];
  post = () => {
    listed = [{ ...inputs, id: "sc_1", name: "Purchases" }];
    return { scope: listed[0] };
  };
  const { id, state } = await subject.create(inputs);
  expect(subject.warnings).toEqual([]);
  await subject.read(id, state);
  expect(subject.warnings).toEqual([
    expect.stringContaining('unlike the program, the service has name "Purchases"'),
  ]);
});

describe("a scope that the list does not show", () => {
  test.each([
    ["other scopes", [{ ...other, representation: "bills" }]],
    ["no scopes", []],
  ])(
    "S3: a scope that the list does not show stays in state, with a warning (the list shows %s)",
    async (_what, later) => {
      const { id, state } = await subject.create(inputs);
      listed = later;
      await vi.advanceTimersByTimeAsync(servesMs + 1);
      expect(await subject.read(id, state)).toEqual({ id, state });
      expect(subject.warnings).toEqual([
        expect.stringMatching(/\(sc_1\): the service does not list it.*`pulumi state delete`/),
      ]);
    },
  );

  test("S3 a refresh that may not read the list fails, and names the way out if the workspace was deleted", async () => {
    const { id, state } = await subject.create(inputs);
    listFault = failed(403);
    const { message } = await failureOf(subject.read(id, state));
    expect(message).toMatch(/answered 403\. .* If the workspace was deleted, .*`pulumi state delete`\.$/);
  });

  test("S3 a refresh looks for a scope in a list that was read after its create, not in an earlier one", async () => {
    const { id, state } = await subject.create(inputs);
    listed = [other, { ...inputs, id: "sc_1" }];
    expect(await subject.read(id, state)).toEqual({ id, state });
    expect(subject.warnings).toEqual([]);
    // One list serves all scopes of a refresh.
    const sent = subject.calls.length;
    await subject.read(id, state);
    expect(subject.calls).toHaveLength(sent);
  });
});

test("S3 a scope whose id changed is found by its representation, and destroy sends nothing and warns", async () => {
  listed = [{ ...inputs, id: "sc_now" }];
  const { state } = await subject.create(inputs);
  expect((await subject.read("sc_before", state))?.id).toBe("sc_now");
  const sent = subject.calls.length;
  await subject.delete("sc_now", state);
  expect(subject.calls).toHaveLength(sent);
  expect(subject.warnings).toEqual([
    'Scope "orders" in workspace ws_1 (sc_now) stays in the service, which has no call to delete a scope; it is only removed from state.',
  ]);
});

test("R11 a refresh does not fill in times that were absent after the write", async () => {
  const { id, state } = await subject.create(inputs);
  listed = [{ ...inputs, id, createdAt: "2027-01-01T00:00:00Z", updatedAt: "2027-01-01T00:00:00Z" }];
  expect((await subject.read(id, state))?.state).toEqual(state);
});
