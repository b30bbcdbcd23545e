import { describe, expect, test } from "vitest";
import type { ApiKeyRecord } from "../../../provider/client/service";
import { isLikelyKeyOf, isNamesake, isOld, mayHaveValue } from "../../../provider/resources/apiKey/matching";
import type { KeyInputs } from "../../../provider/resources/apiKey/properties";

const value = "sk_live_Zx81kdPq33";
const declared = { workspaceId: "ws", customerId: "cus_1", name: "Night Build" } as KeyInputs;
const listed = (more: Partial<ApiKeyRecord>) =>
  ({
    id: "key_1",
    name: "Night Build",
    customerId: "cus_1",
    maskedKey: undefined,
    createdAt: undefined,
    ...more,
  }) as ApiKeyRecord;

describe("a key in the list", () => {
  test.each([
    ["as declared", {}, true],
    ["trimmed and in lower case", { name: "night build", customerId: "CUS_1 " }, true],
    ["with another name", { name: "build" }, false],
    ["with another customer", { customerId: "cus_2" }, false],
    ["without a customer", { customerId: undefined }, false],
  ])("%s (%j) is a namesake of the declared one: %s", (_how, more, alike) => {
    expect(isNamesake(listed(more), declared)).toBe(alike);
  });

  test.each([
    ["whose masked form shows its ends", { maskedKey: "sk_live_****Pq33" }, true],
    ["whose masked form has dots", { maskedKey: "sk_liv...q33" }, true],
    ["whose masked form has another beginning", { maskedKey: "acme_----Pq33" }, true],
    ["whose masked form has hashes", { maskedKey: "sk_live_####Pq33" }, true],
    ["whose masked form shows nothing", { maskedKey: "••••••••" }, true],
    ["whose masked form is a word", { maskedKey: "redacted" }, true],
    ["whose masked form is a word in brackets", { maskedKey: "[hidden]" }, true],
    ["whose masked form shows another end", { maskedKey: "sk_live_****Pq34" }, false],
    ["of another customer", { maskedKey: "sk_live_****Pq33", customerId: "cus_2" }, false],
    ["whose customer is not shown", { customerId: undefined }, true],
  ])("%s (%j) may have the migrated value: %s", (_how, more, may) => {
    expect(mayHaveValue(listed(more), declared, value)).toBe(may);
  });

  test.each([
    ["of the declared name and customer", {}, true],
    ["of another name, whose masked form shows enough", { name: "n-1", maskedKey: "sk_live_**Pq33" }, true],
    ["of another name, whose masked form shows little", { name: "n-1", maskedKey: "sk_live_**q33" }, false],
    ["of another name", { name: "n-1" }, false],
    ["of the declared name, whose masked form is another's", { maskedKey: "sk_live_**0000" }, false],
  ])("%s (%j) is accepted as the one whose answer was lost: %s", (_how, more, taken) => {
    expect(isLikelyKeyOf(listed(more), declared, value)).toBe(taken);
  });

  test("has the declared name though the service writes accents in another form", () => {
    expect(isNamesake({ name: "B\u00fcro" }, { name: "Bu\u0308ro" })).toBe(true);
  });

  const since = new Date("2026-11-21T12:00:00Z");
  test.each([
    ["years ago", "2024-02-19T08:00:00Z", true],
    ["three days ago, in seconds", String(Date.parse("2026-11-18T12:00:00Z") / 1_000), true],
    ["three days ago, in milliseconds", String(Date.parse("2026-11-18T12:00:00Z")), true],
    ["on a day", "2026-11-21", false],
    ["on 5 November, or 11 May", "05/11/2026 10:00", false],
    ["on 1 November, or 11 January", "01.11.2026", false],
    ["at a time without a zone", "2026-11-21 01:00:00", false],
    ["at a number that is not a time", "1234", false],
    ["at a string that is not a time", "yesterday", false],
    ["at no stated time", undefined, false],
  ])("created %s (%j) is old: %s", (_when, createdAt, old) => {
    expect(isOld({ createdAt }, since)).toBe(old);
  });
});
