import { describe, expect, test } from "vitest";
import { customerBilling } from "../../provider/resources/customerBilling";
import { scope } from "../../provider/resources/scope";
import { unknownSentinels } from "../../provider/unknown";
import { replying } from "./replying";

const silent = () => {
  throw new Error("no request is made here");
};
const unknown = unknownSentinels[0];

describe("check of a CustomerBilling", () => {
  const billing = replying(customerBilling, silent);
  const held = { workspaceId: "ws_1", totalCredits: "100", allowOverages: false, grant: "initial" };

  test('R2 B2 a grant of "" is the default one, so that it grants nothing again', () => {
    expect(billing.check({ ...held, grant: "" }, held)).toEqual({ inputs: held, failures: [] });
    expect(billing.diff("id_1", held, { ...held, grant: "" }).replaces).toEqual([]);
    const [failure] = billing.check({ ...held, grant: "", totalCredits: "200" }, held).failures;
    expect(failure).toMatch(/^totalCredits: can't change/);
  });

  test("R8 B2 a grant that is not known yet may be another one, so a changed field passes", () => {
    const changed = { ...held, totalCredits: "200" };
    expect(billing.check({ ...changed, grant: unknown }, held).failures).toEqual([]);
    expect(billing.check(changed, held).failures).toHaveLength(1);
  });
});

test.each([undefined, "100", "200"])(
  "R8 beside a billingId that is not known yet, which may be absent in the end, totalCredits of %s pass",
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
    "R8 S2 beside a %s that is not known yet, which may make another scope, a new name passes",
    (field) => {
      expect(subject.check({ ...held, name: "New", [field]: unknown }, held).failures).toEqual([]);
      expect(subject.check({ ...held, name: "New" }, held).failures).toHaveLength(1);
    },
  );
});
