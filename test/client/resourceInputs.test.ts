import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Failure } from "../../provider/core/errors";
import type { Lifecycle } from "../../provider/lifecycle/operations";
import { definitions } from "../../provider/resources";
import { type StandIn, startStandIn } from "../../standin";
import { type Process, type State, startProcess } from "./lifecycles";

/** Values that a program may give in place of a right one. */
const texts = [
  "../x",
  "a/b",
  "%2e%2e",
  "a?b",
  "a#b",
  "..",
  ".",
  "",
  " ",
  "a b",
  "a\nb",
  "a\u0000b",
  "\u202etxt",
  "e\u0301",
  "\u{1f511}",
  "Ω\u200b",
  "\\..\\x",
  "a;b=c&d",
  "x".repeat(5_000),
];
const values: readonly unknown[] = [
  ...texts,
  ...[true, false, 0, -0, -1, 0.5, 1e308, -1e21, 2 ** 53, 9_007_199_254_740_991],
  ...[[], [[]], [null], ["a"], [{}], {}, { a: 1 }, { toString: "a" }, { constructor: { prototype: {} } }],
  Array.from({ length: 2_000 }, (_, n) => `10.0.${n % 256}.${n >> 8}/32`),
];

const least: Readonly<Record<string, State>> = {
  WorkspaceSettings: { workspaceId: "ws_main", defaultKeyPrefix: "acme" },
  Scope: { workspaceId: "ws_main", name: "Orders", representation: "orders" },
  CustomerBilling: { workspaceId: "ws_main", totalCredits: "100" },
};
/** Settings of a workspace that no test declares. */
const settings = { defaultKeyPrefix: "before", defaultRateLimitPerSecond: 7, defaultExpiration: 7 };
const kinds = Object.keys(least).map((kind) => ({
  kind,
  fields: Object.keys(definitions[kind]?.schema.shape ?? {}),
}));

describe.each(kinds)("inputs of a $kind", ({ kind, fields }) => {
  let standIn: StandIn;
  let process: Process;
  let resource: Lifecycle;
  beforeAll(async () => {
    const workspaces = ["ws_main", ...texts.filter((id) => id !== "")].map((id) => ({ id }));
    standIn = await startStandIn({ tenants: [{ name: "acme", accessToken: "tok_inputs", workspaces }] });
    process = startProcess(standIn);
    resource = process.of(kind);
  });
  afterAll(async () => {
    await process.close();
    await standIn.close();
  });

  test.each(fields)(
    `R8 any value of the input %s of a ${kind} either fails check, which names the field, or is sent unchanged`,
    async (field) => {
      for (const value of values) {
        const about = `${field} ${JSON.stringify(value)}`.slice(0, 200);
        const inputs: Record<string, unknown> = { ...least[kind], [field]: value };
        if (field === "billingId") delete inputs["totalCredits"];
        standIn.clearRequests();
        // What is there already is not sent.
        standIn.editWorkspace("ws_main", settings);
        for (const { id } of standIn.scopes("ws_main")) standIn.deleteScope(id);
        const checked = resource.check(inputs, undefined);
        const reasons = checked.failures;
        if (reasons.length > 0) {
          for (const reason of reasons)
            expect(reason, about).toMatch(/^(\w+(\[\d+\])?:|declare at least one of) .*\.$/);
          expect(standIn.requests, about).toEqual([]);
          continue;
        }
        expect(resource.check(checked.inputs, checked.inputs).inputs, about).toEqual(checked.inputs);
        const made = await resource.create(checked.inputs).catch((error: unknown) => error);
        if (made instanceof Failure) expect(made.message, about).not.toContain("bug in pulumi-apikeys");
        expect(
          standIn.requests.map(({ endpoint }) => endpoint),
          about,
        ).not.toContain("unknown");
        const bodies = standIn.requests.map((request) => (request.body ?? {}) as State);
        const sent = bodies.filter((body) => field in body).map((body) => body[field]);
        if (field in checked.inputs) {
          expect(sent.length > 0, about).toBe(isSent(field));
          for (const one of sent) expect(one, about).toEqual(checked.inputs[field]);
        }
        if (field === "workspaceId") expectAddressed(checked.inputs["workspaceId"]);
      }
    },
  );

  /** Whether a body has the field. The workspace may be in the path. */
  function isSent(field: string): boolean {
    if (field === "workspaceId") return kind === "CustomerBilling";
    return !["onDestroy", "grant", "billingId"].includes(field);
  }

  /** The id of the workspace arrived unchanged, decoded from the path or in the body. */
  function expectAddressed(workspaceId: unknown): void {
    expect(standIn.requests).not.toEqual([]);
    for (const { path, body } of standIn.requests) {
      const segment = path.split("/")[4];
      const arrived =
        kind === "CustomerBilling" ? (body as State)["workspaceId"] : decodeURIComponent(segment ?? "");
      expect(arrived).toBe(workspaceId);
      expect(path).not.toMatch(/[?#]|\/\.\.?(\/|$)/);
    }
  }
});
