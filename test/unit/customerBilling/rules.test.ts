import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { offline } from "../offline";

const before = { workspaceId: "ws_1", totalCredits: "100", allowOverages: false, grant: "initial" };
const { totalCredits: _, ...adopting } = { ...before, billingId: "bill_1" };
const reasons = (declared: object, olds: object | undefined = before) =>
  customerBilling.rules({ ...declared }, olds as never);
const rejected = (change: object) =>
  reasons({ ...before, ...change }).map((reason) => String(reason).split(":")[0]);

describe("rules of a CustomerBilling", () => {
  test("B2: the rules of a CustomerBilling reject each changed field, with both ways out and without its value", () => {
    const changes = {
      workspaceId: "ws_2",
      totalCredits: "4711",
      allowOverages: true,
      spendCap: "4711",
      externalMeterId: "4711",
    };
    for (const [name, value] of Object.entries(changes)) expect(rejected({ [name]: value })).toEqual([name]);
    expect(rejected(changes)).toEqual(Object.keys(changes));
    for (const reason of reasons({ ...before, ...changes })) {
      expect(reason).toMatch(
        /: restore the old value; or, to grant again on purpose, set grant to a new one\.$/,
      );
      expect(reason).not.toContain("4711");
    }
  });

  test("B2 the rules of a CustomerBilling accept any changed field if grant changes too, which a missing one doesn't", () => {
    expect(rejected({ workspaceId: "ws_2", totalCredits: "1", allowOverages: true, grant: "2" })).toEqual([]);
    for (const grant of [undefined, null, ""])
      expect(rejected({ grant, totalCredits: "2" })).toEqual(["totalCredits"]);
  });

  test("B2 the rules of a CustomerBilling reject a grant that is no longer declared, because the default is another one", () => {
    for (const grant of [undefined, null]) {
      const [reason] = reasons({ ...before, grant }, { ...before, grant: "2" });
      expect(reason).toMatch(/^grant: .* is no longer declared .* would grant credits again\. .*: restore/);
      expect(reasons({ ...before, grant })).toEqual([]);
    }
  });

  test("B1 B2 the rules of a CustomerBilling accept another spelling of the same value", () => {
    for (const totalCredits of ["100.00", 100, " 0100 "]) expect(rejected({ totalCredits })).toEqual([]);
    for (const allowOverages of [undefined, null]) expect(rejected({ allowOverages })).toEqual([]);
  });

  test("B2 B5 the rules of a CustomerBilling accept billingId on a record that is managed, but not totalCredits in its place, unless grant changes too", () => {
    for (const olds of [before, undefined]) expect(reasons(adopting, olds)).toEqual([]);
    expect(reasons(before, adopting).map((reason) => String(reason).split(":")[0])).toEqual(["totalCredits"]);
    expect(reasons({ ...before, grant: "2" }, adopting)).toEqual([]);
  });

  test("B5 the rules of a CustomerBilling require either totalCredits or billingId, and reject both together", () => {
    expect(rejected({ billingId: "bill_1" })).toEqual(["totalCredits"]);
    expect(rejected({ totalCredits: undefined })).toEqual(["totalCredits"]);
    for (const olds of [undefined, before]) {
      expect(reasons({ workspaceId: "ws_1" }, olds)).toEqual([
        'totalCredits: set either totalCredits to the credits to grant, such as "100", or billingId to the id of a record to adopt.',
      ]);
    }
  });

  test("R8 the rules of a CustomerBilling accept unknown values", () => {
    for (const unknown of unknownSentinels) {
      for (const name of ["workspaceId", "totalCredits", "allowOverages", "spendCap", "externalMeterId"]) {
        expect(rejected({ [name]: unknown })).toEqual([]);
      }
      expect(reasons({ ...adopting, billingId: unknown })).toEqual([]);
    }
  });
});

test.each([
  [
    "of another grant says that credits are granted in addition, because the engine shows the old grant as deleted",
    { grant: "2" },
    ["grant"],
    [
      "another value of grant grants credits in addition. The credits of bill_1 in workspace ws_1 stay in the service, which has no call to take a grant back.",
    ],
  ],
  ["that adopts a record replaces nothing", { ...adopting, totalCredits: undefined, grant: "2" }, [], []],
  [
    "that may adopt a record may replace the grant",
    { ...adopting, billingId: unknownSentinels[0], grant: "2" },
    ["grant"],
    [],
  ],
])("B2 the preview of a CustomerBilling %s", (_, change, replaces, expected) => {
  const lines: string[] = [];
  const billing = offline(undefined, {}, customerBilling, (line) => lines.push(line));
  const { inputs } = billing.check({ ...before, ...change }, before);
  expect(billing.diff("bill_1", before, inputs).replaces).toEqual(replaces);
  expect(lines).toEqual(expected);
});

const [unknown] = unknownSentinels;

describe("check of a CustomerBilling", () => {
  const billing = offline(undefined, {}, customerBilling);
  const held = before;

  test.each(["", " ", "\n"])(
    "R2 B2 the check of a CustomerBilling rejects a grant of %j, which may be an unset variable",
    (grant) => {
      for (const before of [held, { ...held, grant: "second" }, undefined]) {
        const { failures } = billing.check({ ...held, grant }, before);
        expect(failures).toContain("grant: must not be empty: set it, or leave it out.");
      }
      expect(billing.diff("id_1", held, { ...held, grant }).replaces).toEqual([]);
    },
  );

  test.each(["", " "])(
    "B2 the check of a CustomerBilling rejects a billingId of %j, which may be an unset variable",
    (billingId) => {
      for (const declared of [
        { ...held, billingId },
        { workspaceId: "ws_1", billingId },
      ]) {
        expect(billing.check(declared, undefined).failures).toContain(
          "billingId: must not be empty: set it, or leave it out.",
        );
      }
    },
  );

  test("R2 B2 the check of a CustomerBilling ignores white space around a grant", () => {
    const second = { ...held, grant: "second" };
    const spaced = { ...held, grant: " second\n" };
    for (const [before, now] of [
      [second, spaced],
      [spaced, second],
    ] as const) {
      expect(billing.check(now, before)).toEqual({ inputs: second, failures: [] });
      expect(billing.diff("id_1", before, now)).toMatchObject({ changes: false, replaces: [] });
      const [failure] = billing.check({ ...now, totalCredits: "200" }, before).failures;
      expect(failure).toMatch(/^totalCredits: has another value/);
    }
  });

  test("R8 B2 the check of a CustomerBilling accepts a changed field while grant or billingId is unknown, which may make it right", () => {
    const { totalCredits: _, ...others } = held;
    const failures = (declared: object) => billing.check({ ...others, ...declared }, held).failures;
    for (const totalCredits of [undefined, "100", "200"])
      expect(failures({ totalCredits, billingId: unknown })).toEqual([]);
    expect(failures({ totalCredits: "200", grant: unknown })).toEqual([]);
    expect(failures({ totalCredits: "200" })).toHaveLength(1);
    expect(failures({ totalCredits: "100", billingId: "bill_1" })).toHaveLength(1);
  });
});
