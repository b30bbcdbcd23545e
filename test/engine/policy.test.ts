import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shellEnvironment } from "../../tools/engine/command";
import { checkout } from "../../tools/engine/project";
import { userCli } from "../../tools/engine/pulumiCli";
import type { Outcome } from "../../tools/engine/stack";
import { page } from "../package/docsText";
import { blocks, commandLines } from "../package/readmeText";
import { type Fixture, openFixture } from "./fixture";

const text = page("policies.md");
const [pack = ""] = blocks("ts", text);
const [command = ""] = commandLines(text);
const [printed = ""] = blocks("text", text);

describe("the policy packs of docs/policies.md and of examples/policies", () => {
  let fixture: Fixture;
  /** The violated policies, each with the resource and the last line of the message. */
  const violations = ({ events }: Outcome) =>
    events.flatMap(({ policyEvent: event }) =>
      event === undefined
        ? []
        : [
            [
              event.policyName,
              event.resourceUrn?.split("::").at(-1),
              event.message.trim().split("\n").at(-1),
            ],
          ],
    );
  beforeAll(async () => {
    fixture = await openFixture("policy");
    const { project, stack } = fixture;
    await mkdir(join(project.dir, "policies"));
    // The language host starts policy packs.
    stack.setEnv("PATH", shellEnvironment(checkout, [await userCli()])["PATH"]);
    await project.write("policies/PulumiPolicy.yaml", "runtime: nodejs\n");
    await project.write("policies/package.json", JSON.stringify({ name: "policies", version: "1.0.0" }));
    await project.write("policies/index.ts", pack);
    await cp(join(checkout, "examples", "policies"), join(project.dir, "examples"), { recursive: true });
  });
  afterAll(() => fixture?.close());

  it("policy packs fail the preview for exactly the keys that violate them, with the plugin", async () => {
    await fixture.project.setHost("plugin");
    await fixture.declare(`import { ApiKey, ApiKeySet } from "pulumi-apikeys";
const orders = { representation: "orders", read: true };
new ApiKey("single", { workspaceId: "ws_main", customerId: "customer", scopes: [orders] });
new ApiKeySet("set", {
  workspaceId: "ws_main",
  defaults: { customerId: "customer", expiresAt: 1924991999 },
  keys: { reads: { scopes: [orders] }, deletes: { scopes: [{ ...orders, del: true }], expiresAt: null } },
});`);
    const outcome = await fixture.stack.run([...command.split(" ").slice(1), "--policy-pack", "examples"]);
    expect(violations(outcome).toSorted()).toEqual([
      ["keys-expire", "set", 'key "deletes" has no expiresAt'],
      ["keys-expire", "single", 'key "single" has no expiresAt'],
      ["no-deleting", "set", 'key "deletes" may delete orders'],
    ]);
    expect(outcome.ok).toBe(false);
  });

  it("policy packs print what docs/policies.md shows", async () => {
    await fixture.project.setHost("dynamic");
    await fixture.declare(`import { ApiKeySet } from "pulumi-apikeys";
new ApiKeySet("customers", {
  workspaceId: "ws_main",
  keys: { acme: { customerId: "cus_1", scopes: [{ representation: "orders", del: true }] } },
});`);
    const outcome = await fixture.stack.run(command.split(" ").slice(1));
    expect(outcome.ok).toBe(false);
    expect(printed).not.toBe("");
    expect(outcome.stdout).toContain(printed);
  });

  it("policy packs accept what they allow, and can count the keys of a stack by their class", async () => {
    await fixture.project.setHost("dynamic");
    await fixture.declare(`import { ApiKey } from "pulumi-apikeys";
for (const name of ["one", "two"])
  new ApiKey(name, { workspaceId: "ws_main", customerId: "customer", expiresAt: 1924991999 });`);
    const outcome = await fixture.stack.run(command.split(" ").slice(1));
    expect(outcome.ok, outcome.output).toBe(true);
    expect(violations(outcome)).toEqual([["few-keys", "policy-dev", "the stack has 2 of them"]]);
  });
});
