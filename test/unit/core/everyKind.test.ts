import { describe, expect, test, vi } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { definitions } from "../../../provider/resources";
import { stateOfAll } from "../apiKeySet/setArbitraries";
import { leastOf, offline } from "../offline";
import { refused, replying } from "../replying";

describe.each(Object.entries(definitions))("a resource of the kind %s", (kind, definition) => {
  const resource = offline(undefined, undefined, definition);
  const fields = Object.keys(definition.shape.inputs);
  const inputs = leastOf[kind] ?? {};
  const before = resource.check(inputs, undefined).inputs;
  const rotated = { keyId: "key_1", rotatedAt: new Date().toISOString() };
  const state =
    kind === "ApiKeySet" ? stateOfAll(before) : { ...before, ...(kind === "RotatingApiKey" && rotated) };

  test("R12: check and diff send nothing, nor do the plugin's previews but one GET of a workspace", async () => {
    const env = { APIKEYS_NO_TOKEN_CHECK: "false" };
    const asking = replying(definition, () => Promise.reject(refused(401)), { env });
    asking.preview(inputs);
    asking.preview({ ...inputs, workspaceId: "ws_2" });
    expect(asking.calls).toEqual([{ method: "GET", path: "/api/v1/workspace/ws_1" }]);
    await vi.waitFor(() =>
      expect(asking.warnings.join()).toMatch(/^Workspace ws_1 can't .*401.*Set a valid/),
    );
    for (const workspaceId of ["ws_1", "ws_2"]) {
      const { inputs: declared } = resource.check({ ...inputs, workspaceId }, before);
      expect(resource.diff("id_1", state, declared).changes === false).toBe(workspaceId === "ws_1");
      for (const former of [undefined, { id: "id_1", state }])
        expect(resource.preview(declared, former)).toMatchObject({ workspaceId });
    }
  });

  test("R13: an update without changes sends nothing", async () => {
    expect(resource.diff("id_1", state, before).changes).toBe(false);
    expect(await resource.update("id_1", state, before)).toMatchObject(state);
  });

  test(`R8 R15 an unknown value in any input of ${kind} passes check and counts as a change`, () => {
    for (const field of fields)
      for (const unknown of unknownSentinels) {
        // totalCredits can't be combined with billingId, not even with an unknown one.
        const { totalCredits: _, ...others } = inputs;
        const declared = { ...(field === "billingId" ? others : inputs), [field]: unknown };
        const checked = resource.check(declared, before);
        expect(checked.failures, `${field} ${unknown}`).toEqual([]);
        expect(checked.inputs).toMatchObject({ [field]: unknown });
        expect(resource.diff("id_1", state, declared).changes, `${field} ${unknown}`).not.toBe(false);
      }
  });

  test(`R8 R9 a property that ${kind} doesn't have, or of a wrong type, is named by its path without its value`, () => {
    const wrong = { sk_marker: ["sk_marker"] };
    const [unheard = ""] = resource.check({ ...inputs, unheardOf: "sk_marker" }, undefined).failures;
    expect(unheard).toMatch(/^unheardOf: no such property\. /);
    for (const field of fields) expect(unheard).toContain(field);
    const reasons = resource.check(
      Object.fromEntries(fields.map((field) => [field, wrong])),
      undefined,
    ).failures;
    // metadata may be any object.
    for (const field of fields.filter((name) => name !== "metadata"))
      expect(
        reasons.filter((reason) => reason.startsWith(field)),
        field,
      ).not.toEqual([]);
    const paths = /(keepers|keys|defaults)\.sk_marker/g;
    expect([unheard, ...reasons].join("\n").replaceAll(paths, "")).not.toContain("sk_marker");
  });
});
