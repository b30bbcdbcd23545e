import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { page } from "../package/docsText";
import { blocks, commandLines, section } from "../package/readmeText";
import { programWithKeys } from "./apiKeyProgram";
import { shellEnvironment } from "./environment";
import { checkout } from "./folders";
import type { Outcome } from "./outcome";
import { findPulumi } from "./pulumiCli";
import { type Scene, setScene } from "./scene";

const text = section("Policies", page("operating.md"));
const [pack = ""] = blocks("ts", text);
const [command = ""] = commandLines(text);

/** A CLI that was built from its Go modules has no plugin for Node.js, and starts a pack by this. */
const starter = `#!/bin/sh
exec node "$(node -p 'require.resolve("@pulumi/pulumi/cmd/run-policy-pack")')" "$@"
`;

describe("the policy pack of docs/operating.md, which takes keys by their class", () => {
  let scene: Scene;
  /** The names of the policies that were violated, each with the resource and the last line that the user reads. */
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
  const preview = async (keys: Readonly<Record<string, string>>) => {
    await scene.declare(programWithKeys(keys));
    return scene.stack.run(command.split(" ").slice(1));
  };

  beforeAll(async () => {
    scene = await setScene("policy");
    const { project, stack } = scene;
    const [bin, policies] = ["bin", "policies"].map((folder) => join(project.dir, folder));
    for (const folder of [bin, policies]) await mkdir(folder ?? "");
    await project.write("bin/pulumi-analyzer-policy-nodejs", starter);
    await chmod(join(project.dir, "bin/pulumi-analyzer-policy-nodejs"), 0o755);
    const { root } = await findPulumi();
    stack.setEnv("PATH", shellEnvironment(checkout, [join(root, "bin"), bin ?? ""])["PATH"]);
    await project.write("policies/PulumiPolicy.yaml", "runtime: nodejs\n");
    await project.write("policies/package.json", JSON.stringify({ name: "policies", version: "1.0.0" }));
    await project.write("policies/index.ts", pack);
  });
  afterAll(() => scene?.close());

  it.each(["dynamic", "plugin"] as const)(
    "fails the preview for the key that it does not allow, and for no other, in the host %s",
    async (host) => {
      await scene.project.setHost(host);
      const reads = `{ ...base, scopes: [{ representation: "orders", read: true }] }`;
      const deletes = `{ ...base, scopes: [{ representation: "orders", read: true, del: true }] }`;
      const outcome = await preview({ reads, deletes });
      expect(violations(outcome)).toEqual([
        ["no-deleting", "deletes", "may delete orders"],
        ["few-keys", "policy-dev", "the stack has 2 keys"],
      ]);
      expect(outcome.ok).toBe(false);
    },
  );

  it("lets pass what it allows", async () => {
    const outcome = await preview({
      reads: `{ ...base, scopes: [{ representation: "orders", read: true }] }`,
    });
    expect(outcome.ok, outcome.output).toBe(true);
    expect(violations(outcome)).toEqual([]);
  });
});
