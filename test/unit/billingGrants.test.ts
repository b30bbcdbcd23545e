import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../provider/core/unknown";
import { customerBilling } from "../../provider/resources/customerBilling";
import { scope } from "../../provider/resources/scope";
import { replying } from "./replying";

const silent = () => {
  throw new Error("no request is made here");
};
const unknown = unknownSentinels[0];

describe("check of a CustomerBilling", () => {
  const billing = replying(customerBilling, silent);
  const held = { workspaceId: "ws_1", totalCredits: "100", allowOverages: false, grant: "initial" };

  test.each(["", " ", "\n"])("R2 B2 rejects a grant of %j, which may be an unset variable", (grant) => {
    for (const before of [held, { ...held, grant: "second" }, undefined]) {
      const { failures } = billing.check({ ...held, grant }, before);
      expect(failures).toContain(
        "grant: must not be empty: set it to a name for this grant, or leave it out.",
      );
    }
    expect(billing.diff("id_1", held, { ...held, grant }).replaces).toEqual([]);
  });

  test.each(["", " "])("B2 rejects a billingId of %j, which may be an unset variable", (billingId) => {
    for (const declared of [
      { ...held, billingId },
      { workspaceId: "ws_1", billingId },
    ]) {
      expect(billing.check(declared, undefined).failures).toContain(
        "billingId: must not be empty: set it to the id of a record, or leave it out.",
      );
    }
  });

  test("R2 B2 ignores white space around a grant", () => {
    const second = { ...held, grant: "second" };
    const spaced = { ...held, grant: " second\n" };
    for (const [before, now] of [
      [second, spaced],
      [spaced, second],
    ] as const) {
      expect(billing.check(now, before)).toEqual({ inputs: second, failures: [] });
      expect(billing.diff("id_1", before, now)).toEqual({ changes: false, replaces: [] });
      const [failure] = billing.check({ ...now, totalCredits: "200" }, before).failures;
      expect(failure).toMatch(/^totalCredits: can't change/);
    }
  });

  test("R8 B2 accepts a changed field while grant is unknown, because grant may change too", () => {
    const changed = { ...held, totalCredits: "200" };
    expect(billing.check({ ...changed, grant: unknown }, held).failures).toEqual([]);
    expect(billing.check(changed, held).failures).toHaveLength(1);
  });
});

test.each([undefined, "100", "200"])(
  "R8 check of a CustomerBilling accepts totalCredits of %s while billingId is unknown, as it may turn out unset",
  (totalCredits) => {
    const subject = replying(customerBilling, silent);
    const held = { workspaceId: "ws_1", totalCredits: "100", grant: "initial" };
    const asked = { workspaceId: "ws_1", billingId: unknown, ...(totalCredits && { totalCredits }) };
    expect(subject.check(asked, held).failures).toEqual([]);
    expect(subject.check({ ...asked, billingId: "bill_1" }, held).failures).toHaveLength(
      totalCredits ? 1 : 0,
    );
  },
);

describe("check of a Scope", () => {
  const subject = replying(scope, silent);
  const held = { workspaceId: "ws_1", name: "Orders", representation: "orders" };

  test.each(["workspaceId", "representation"])(
    "R8 S2 accepts a new name while %s is unknown, because that may create another scope",
    (field) => {
      expect(subject.check({ ...held, name: "New", [field]: unknown }, held).failures).toEqual([]);
      expect(subject.check({ ...held, name: "New" }, held).failures).toHaveLength(1);
    },
  );
});
