import { expect, expectTypeOf, test } from "vitest";
import {
  ApiKeySet,
  CustomerBilling,
  type LookupInputs,
  type ProviderArgs,
  Scope,
  WorkspaceSettings,
} from "../../sdk";

test.each([
  [ApiKeySet, { keys: {} }, "Declare the keys that exist with existingKey"],
  [WorkspaceSettings, { defaultExpiration: 1 }, "Declare the settings without it, which adopts"],
  [Scope, { name: "Orders", representation: "orders" }, "Declare the scope without it, which adopts"],
  [CustomerBilling, { totalCredits: 1 }, "Give billingId instead"],
] as const)("the option import is refused with the way on of its kind (%o)", (Kind, args, way) => {
  const make = Kind as new (name: string, args: object, opts: object) => unknown;
  const declare = () => new make("taken", { workspaceId: "ws_1", ...args }, { import: "id_1" });
  expect(declare).toThrow(way);
  expect(declare).not.toThrow("pulumi import");
});

// tsc checks it.
test("a Provider's arguments and a look-up's may be given as undefined", () => {
  expectTypeOf<{ [Name in keyof Required<ProviderArgs>]: undefined }>().toExtend<ProviderArgs>();
  expectTypeOf<{ name: Promise<string> }>().toExtend<LookupInputs<{ name: string }>>();
});
