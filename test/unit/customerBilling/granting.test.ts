import { expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { failureOf, refused, replying } from "../replying";

const declared = { workspaceId: "ws_1", totalCredits: "100" };
const lost = () => {
  throw new CallError("ambiguous", "no answer came");
};

/** Grants on a service that answers each POST with the result of `post`. */
function grants(post: () => unknown) {
  const service = replying(customerBilling, post);
  const checked = (more: object = {}) => service.check({ ...declared, ...more }, undefined).inputs;
  const open = async (more: object = {}) => {
    const { kept, message } = await failureOf(service.create(checked(more)));
    if (kept === undefined) throw new Error("the failure has no state");
    return { ...kept, message };
  };
  return { ...service, checked, open };
}

test.each([
  ["is lost", lost],
  ["is a 409", () => lostAs(409)],
  ["can't be used", () => "<html>"],
])(
  "B3: a grant is sent once: if its answer %s, it is open, and no refresh or update sends another request",
  async (_how, post) => {
    const service = grants(post);
    const { id, state, message } = await service.open();
    expect(id).toMatch(/^uncertain-/);
    expect(message).toMatch(
      /^Granting 100 credits in workspace ws_1: .* after 2\d{3}-\S+Z, .*set billingId.*set grant to another value/,
    );
    const inputs = service.checked();
    for (let update = 0; update < 2; update += 1) {
      const { __failed, ...asked } = state;
      expect(await service.read(id, state)).toEqual({ id, state: asked, inputs });
      expect(service.diff(id, asked, inputs)).toMatchObject({ changes: true, replaces: [] });
      const failure = await failureOf(service.update(id, asked, inputs));
      expect(failure.message).toMatch(
        /still not known whether .*\. Check in the service\. .*billingId.*grant/,
      );
      expect(failure.kept).toBeUndefined();
    }
    expect(service.calls).toHaveLength(1);
  },
);

test.each([404, 405, 410])(
  "B3 a grant that is refused with %i is open, unless its workspace is refused alike",
  async (status) => {
    const grantsIn = (workspace: () => unknown) =>
      replying(customerBilling, ({ method }) => {
        if (method === "GET") return workspace();
        throw refused(status);
      });
    const inputs = grants(lost).checked();
    const isThere = grantsIn(() => ({ workspace: { id: "ws_1" } }));
    const { kept, message } = await failureOf(isThere.create(inputs));
    expect([kept?.id, message]).toEqual([
      expect.stringMatching(/^uncertain-/),
      expect.stringMatching(/answered \d+\..* it is not known whether the credits were granted/),
    ]);
    await isThere.create(inputs).catch(() => {});
    expect(isThere.calls.map(({ method }) => method)).toEqual(["POST", "GET"]);
    const isNone = grantsIn(() => {
      throw refused(status);
    });
    const refusal = await failureOf(isNone.create(inputs));
    expect([refusal.kept, refusal.message]).toEqual([
      undefined,
      expect.stringContaining("Nothing was granted"),
    ]);
  },
);

function lostAs(status: number): never {
  throw new CallError("ambiguous", `the service answered ${status}`, status);
}

test("B3 a create of an open grant that an error hook repeats sends nothing, and fails with the same state", async () => {
  const service = grants(lost);
  expect(await service.open()).toEqual(await service.open());
  expect(service.calls).toHaveLength(1);
});

test("B3 another value of grant replaces an open grant, whose deletion warns that its credits may stay", async () => {
  let isLost = true;
  const service = grants(() => (isLost ? lost() : { billing: { id: "bill_2" } }));
  const { id, state } = await service.open();
  const next = service.checked({ grant: "again" });
  expect(service.diff(id, state, next)).toMatchObject({ replaces: ["grant"] });
  isLost = false;
  expect((await service.create(next)).state).toMatchObject({ billingId: "bill_2" });
  await service.delete(id, state);
  expect(service.calls).toHaveLength(2);
  expect(service.warnings).toEqual([
    expect.stringMatching(/^If they were granted, the credits of a lost grant in workspace ws_1 stay/),
  ]);
});

test("B5: billingId adopts a record without a request, also for an open grant", async () => {
  const service = grants(lost);
  const { id, state } = await service.open();
  const { inputs } = service.check({ workspaceId: "ws_1", billingId: "bill_1" }, service.checked());
  expect(service.diff(id, state, inputs)).toMatchObject({ changes: true, replaces: [] });
  const after = await service.update(id, state, inputs);
  expect(after).toMatchObject({ billingId: "bill_1" });
  expect(service.diff(id, after, inputs)).toMatchObject({ changes: false });
  expect((await service.create(inputs)).id).toBe("bill_1");
  // Several resources may have it, because destroying one leaves it.
  for (const name of ["one", "two"]) expect(service.diff("bill_1", after, inputs, name).changes).toBe(false);
  expect(service.calls).toHaveLength(1);
});

test.each([
  ["refused", refused(403), "Nothing was granted."],
  ["not sent", new CallError("notSent", "no route"), "Nothing was granted."],
])(
  "B3 a grant that was %s leaves nothing in state, and the next update sends it",
  async (_how, error, words) => {
    const service = grants(() => {
      if (service.calls.length === 1) throw error;
      return { billing: { id: "bill_1" } };
    });
    const { kept, message } = await failureOf(service.create(service.checked()));
    expect(kept).toBeUndefined();
    expect(message).toContain(words);
    expect((await service.create(service.checked())).id).toBe("bill_1");
  },
);

test("B4: a refresh, a diff and a destroy of a grant send nothing, and destroy warns that the credits stay", async () => {
  const service = grants(() => ({ billing: { id: "bill_1" } }));
  const { id, state } = await service.create(service.checked());
  expect(await service.read(id, state)).toEqual({ id, state });
  expect(service.diff(id, state, service.checked())).toMatchObject({ changes: false, replaces: [] });
  await service.delete(id, state);
  expect(service.calls).toHaveLength(1);
  expect(service.warnings).toEqual([
    expect.stringMatching(/^The credits of bill_1 in workspace ws_1 stay in the service/),
  ]);
});
