import { describe, expect, test } from "vitest";
import { agrees, fits, type Listed, resembles } from "../../provider/resources/keyWitness";

const value = "sk_live_Zx81kdPq33";
const declared = { workspaceId: "ws", customerId: "cus_1", name: "Night Build" };
const listed = (more: Partial<Listed>): Listed => ({
  id: "key_1",
  name: "Night Build",
  customerId: "cus_1",
  maskedKey: undefined,
  createdAt: undefined,
  ...more,
});

describe("a key in the list", () => {
  test.each([
    ["as declared", {}, true],
    ["trimmed and in lower case", { name: "night build", customerId: "CUS_1 " }, true],
    ["with another name", { name: "build" }, false],
    ["with another customer", { customerId: "cus_2" }, false],
    ["without a customer", { customerId: undefined }, false],
  ])("%s", (_how, more, alike) => {
    expect(resembles(listed(more), declared)).toBe(alike);
  });

  test.each([
    ["whose masked form shows its ends", { maskedKey: "sk_live_****Pq33" }, true],
    ["whose masked form has dots", { maskedKey: "sk_liv...33" }, true],
    ["whose masked form shows nothing", { maskedKey: "••••••••" }, true],
    ["whose masked form shows another end", { maskedKey: "sk_live_****Pq34" }, false],
    ["of another customer", { maskedKey: "sk_live_****Pq33", customerId: "cus_2" }, false],
    ["of no known customer", { customerId: undefined }, true],
  ])("may have a value or not: %s", (_how, more, may) => {
    expect(agrees(listed(more), declared, value)).toBe(may);
  });

  test.each([
    ["of the declared name and customer", {}, true],
    ["of another name, whose masked form shows enough", { name: "n-1", maskedKey: "sk_live_**Pq33" }, true],
    ["of another name, whose masked form shows little", { name: "n-1", maskedKey: "sk_**33" }, false],
    ["of another name", { name: "n-1" }, false],
    ["of the declared name, whose masked form is another's", { maskedKey: "sk_live_**0000" }, false],
  ])("is taken for the one that was lost or not: %s", (_how, more, taken) => {
    expect(fits(listed(more), declared, value)).toBe(taken);
  });
});
