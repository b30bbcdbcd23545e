import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { openDeclarations, unchecked } from "../../../provider/core/registry";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { scope } from "../../../provider/resources/scope";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { replying } from "../replying";

const silent = () => {
  throw new Error("no request is made here");
};
const unknown = unknownSentinels[0];

const kind = "ApiKey";

describe("the declarations of one run of the program", () => {
  test("R17 have no twin for a resource whose object is not known yet, or that has no name", () => {
    const run = openDeclarations();
    for (const name of ["one", "two"]) expect(run.add(kind, name, [], undefined).twinOf("a")).toBeUndefined();
    for (const _ of [1, 2]) expect(run.add(kind, undefined, ["a"], undefined)).toBe(unchecked);
    expect(run.has("a")).toBe(false);
    for (const name of ["one", undefined]) {
      expect(run.add(kind, name, ["a"], undefined).twinOf("a")).toBeUndefined();
    }
    expect(run.has("a")).toBe(true);
  });

  test("R17 tell resources of one name apart: of two types, or of one type with interleaved checks", () => {
    const run = openDeclarations();
    run.add(kind, "one", ["a"], undefined);
    expect(run.add("ApiKeySet", "one", ["a"], undefined).twinOf("a")).toBe("one");
    run.add(kind, "two", ["b"], ["b"]);
    run.add(kind, "two", ["c"], ["c"]);
    const again = (of: string, identity: string) => run.add(of, "two", [identity], undefined).replacesItself;
    expect([again(kind, "b"), again(kind, "c"), again(kind, "d"), again("ApiKeySet", "b")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("B6 show no replacement of a resource whose object is not known", () => {
    const run = openDeclarations();
    run.add(kind, "one", [], []);
    expect(run.add(kind, "one", [], undefined).replacesItself).toBe(false);
  });
});

describe("check of two CustomerBillings", () => {
  const one = { workspaceId: "ws_1", totalCredits: "100", spendCap: "5" };
  const twice =
    /^grant: the resource one declares the same grant .* Change grant in one of them, or remove one\.$/;
  const failuresOf = (two: object) => {
    const billing = replying(customerBilling, silent);
    expect(billing.check(one, undefined, "one").failures).toEqual([]);
    return billing.check({ ...one, ...two }, undefined, "two").failures;
  };

  test.each([
    [{}],
    [{ totalCredits: 100, spendCap: "5.00", allowOverages: false, externalMeterId: "" }],
    [{ grant: "initial" }],
    [{ grant: "\tinitial " }],
  ])("R17 B6 fails if both declare one grant, in any spelling: %j", (two) => {
    expect(failuresOf(two)).toEqual([expect.stringMatching(twice)]);
  });

  test.each([
    { grant: "another" },
    { workspaceId: "ws_2" },
    { totalCredits: "101" },
    { spendCap: undefined },
    { allowOverages: true },
    { externalMeterId: "meter" },
    { totalCredits: undefined, billingId: "bill_1" },
    { grant: unknown },
    { totalCredits: unknown },
  ])("R17 passes if they declare two grants, or if one is not fully known: %j", (two) => {
    expect(failuresOf(two)).toEqual([]);
  });

  test.each([{ workspaceId: unknown }, { grant: unknown }, { billingId: unknown }])(
    "R17 passes if an unknown value may still make them different: %j",
    (open) => {
      const billing = replying(customerBilling, silent);
      for (const name of ["one", "two"]) {
        expect(billing.check({ ...one, ...open }, undefined, name).failures).toEqual([]);
      }
      expect(billing.check(one, undefined, "three").failures).toEqual([]);
    },
  );
});

describe("check of a CustomerBilling that is replaced", () => {
  const held = { workspaceId: "ws_1", totalCredits: "100", allowOverages: false, grant: "initial" };
  const replacing = (declared: object) => {
    const billing = replying(customerBilling, silent);
    expect(billing.check({ ...declared }, held, "one").failures).toEqual([]);
    return billing.check({ ...declared }, undefined, "one").failures;
  };

  test("B6 fails if grant stays the same, and names three ways out", () => {
    const [line, ...others] = replacing({ workspaceId: "ws_1", totalCredits: 100 });
    expect(line).toMatch(
      /^grant: the credits were already granted, .* Remove what forces .* change grant; or, .* set billingId to its id/,
    );
    expect(others).toEqual([]);
  });

  test.each([
    { ...held, grant: "another" },
    { ...held, totalCredits: "5", grant: "another" },
    { workspaceId: "ws_1", billingId: "bill_1" },
    { ...held, grant: unknown },
  ])("B2 B5 passes if it grants on purpose, or grants nothing: %j", (declared) => {
    expect(replacing(declared)).toEqual([]);
  });

  test("B6 passes if the host does not pass the resource's name", () => {
    const billing = replying(customerBilling, silent);
    expect(billing.check(held, held).failures).toEqual([]);
    expect(billing.check(held, undefined).failures).toEqual([]);
  });
});

test("R17 S4 a Scope fails the check if another declares it too: two creates at once would post it twice", () => {
  const one = { workspaceId: "ws_1", name: "Orders", representation: "orders" };
  const scopes = replying(scope, silent);
  const failures = (name: string, two: object) => scopes.check({ ...one, ...two }, undefined, name).failures;
  expect(failures("one", {})).toEqual([]);
  const others = [{ workspaceId: "ws_2" }, { representation: "Orders" }, { representation: unknown }];
  for (const [n, other] of [...others, { workspaceId: unknown }].entries()) {
    expect(failures(`other ${n}`, other)).toEqual([]);
  }
  expect(failures("two", { name: "Other" })).toEqual([
    expect.stringMatching(/^representation: the resource one declares the same scope, .* Declare it once\.$/),
  ]);
});

describe("WorkspaceSettings of one workspace", () => {
  const inputs = { workspaceId: "ws_1", defaultExpiration: 60 };
  const state = { ...inputs, onDestroy: "restore", __before: { defaultExpiration: 5 } };
  const workspace = () => ({ workspace: { id: "ws_1", ...inputs } });

  test("R17 fail the check in a second resource, and pass it for another or an unknown workspace", () => {
    const settings = replying(workspaceSettings, silent);
    const failures = (workspaceId: unknown, name: string) =>
      settings.check({ ...inputs, workspaceId }, undefined, name).failures;
    expect(failures("ws_1", "one")).toEqual([]);
    for (const [n, other] of ["ws_2", unknown, unknown].entries()) {
      expect(failures(other, `two ${n}`)).toEqual([]);
    }
    expect(failures("ws_1", "three")).toEqual([
      expect.stringMatching(/^workspaceId: the resource one declares .* all settings of a workspace in one/),
    ]);
  });

  test("W5 are not restored if the program declares them again, and a warning names the former values", async () => {
    const settings = replying(workspaceSettings, silent);
    settings.check(inputs, undefined, "renamed");
    await settings.delete("ws_1", state);
    expect(settings.calls).toEqual([]);
    expect(settings.warnings).toEqual([
      expect.stringMatching(
        /workspace ws_1, .* not restored and are no longer in state: defaultExpiration 5\. .* aliases\.$/,
      ),
    ]);
  });

  test("W5 are handed over without a warning if there is nothing to restore", async () => {
    const settings = replying(workspaceSettings, silent);
    settings.check(inputs, undefined, "renamed");
    await settings.delete("ws_1", { ...state, __before: { defaultExpiration: 60 } });
    await settings.delete("ws_1", { ...state, onDestroy: "retain" });
    expect([settings.calls, settings.warnings]).toEqual([[], []]);
  });

  test("W5 are restored if the program declares only those of another workspace", async () => {
    let { workspace: held } = workspace();
    const settings = replying(workspaceSettings, ({ method, body }) => {
      if (method === "PATCH") held = { ...held, ...(body as object) };
      return { workspace: held };
    });
    settings.check({ ...inputs, workspaceId: "ws_2" }, undefined, "moved");
    await settings.delete("ws_1", state);
    expect(held).toMatchObject({ defaultExpiration: 5 });
    expect(settings.calls.map(({ method }) => method)).toContain("PATCH");
  });
});
