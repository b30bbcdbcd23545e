import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { definitions } from "../../provider/resources";

/** The pages that the Pulumi Registry shows, from parts of the other pages. */

/** Fields of package.json: `homepage` only in a release. */
export interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly homepage?: string;
}

/** The pages by the paths at which the Registry looks for them. */
export function registryPages({
  version,
  description,
  homepage,
}: Manifest): Readonly<Record<string, string>> {
  const files = homepage?.replace(/#.*/, `/blob/v${version}/`);
  const read = (path: string) => withLinks(path, readPage(path), files);
  const [readme, installing] = [read("README.md"), read("docs/installing.md")];
  const [plugin, configuration] = [read("docs/plugin.md"), read("docs/configuration.md")];
  const inNode = between("```ts\n", "```", readme);
  const programs = {
    typescript: inNode,
    python: between("```python\n", "```", plugin),
    go: between("```go\n", "```", plugin),
    yaml: between("```yaml\n", "```", section("YAML", plugin)),
  };
  return {
    "docs/_index.md": page(
      "API Keys",
      description,
      between("\n\n", "\n\n## ", readme).replace(`\`\`\`ts\n${inNode}\`\`\``, () => chooser(programs)),
      `## Resources\n\n${section("Resources", readme)}`,
    ),
    "docs/installation-configuration.md": page(
      "API Keys Installation & Configuration",
      "How to install and configure the API Keys provider for Pulumi",
      "## Installation",
      `For Node.js, install the package:\n\n\`\`\`sh\n${between("\n`", "`", installing)}\n\`\`\``,
      `For Python, ${between("For Python, ", "\n\n```python", plugin)}`,
      `For Go, ${between("For Go, ", "\n\n```go", plugin)}`,
      between("## YAML\n\n", " With npm", plugin),
      `### The plugin\n\n${section("Without npm", plugin)}`,
      `## Configuration\n\n${demoted(between("\n\n", "\n\n## Rotating", configuration))}`,
      `### Explicit providers\n\n${section("Explicit providers", configuration)}`,
    ),
  };
}

export function readPage(path: string): string {
  return readFileSync(join(__dirname, "../..", path), "utf8");
}

/** The text between the first occurrence of `start` and the next one of `end`. */
export function between(start: string, end: string, text: string): string {
  const [, ...after] = text.split(start);
  const [found, rest] = after.join(start).split(end, 2);
  if (found === undefined || rest === undefined)
    throw new Error(`a page has nothing between ${JSON.stringify(start)} and ${JSON.stringify(end)}`);
  return found;
}

function section(heading: string, text: string): string {
  return between(`\n## ${heading}\n\n`, "\n\n## ", text);
}

function demoted(text: string): string {
  return text.replace(/^## /gm, "### ");
}

function page(title: string, description: string, ...parts: readonly string[]): string {
  const head = `---\ntitle: ${title}\nmeta_desc: ${description}.\nlayout: package\n---`;
  return `${[head, ...parts].join("\n\n").trimEnd()}\n`;
}

function chooser(programs: Readonly<Record<string, string>>): string {
  const choices = Object.entries(programs).map(
    ([language, text]) =>
      `{{% choosable language ${language} %}}\n\n\`\`\`${language}\n${text}\`\`\`\n\n{{% /choosable %}}`,
  );
  const languages = Object.keys(programs).join(",");
  return `{{< chooser language "${languages}" >}}\n\n${choices.join("\n\n")}\n\n{{< /chooser >}}`;
}

/**
 * Links between pages lead to the Registry's own page of a resource, else to the file in the repository. Without its address
 * they are plain text.
 */
function withLinks(path: string, text: string, files: string | undefined): string {
  return text.replace(/\[([^\]]+)\]\((?!https:)([^)#]*)(#[^)]+)?\)/g, (_, label, file, anchor = "") => {
    const target = file === "" ? path : posix.join(posix.dirname(path), file);
    const kind = Object.keys(definitions).find((name) => target === `docs/${kebab(name)}.md`);
    if (kind !== undefined && anchor === "")
      return `[${label}](/registry/packages/apikeys/api-docs/${kind.toLowerCase()}/)`;
    return files === undefined ? label : `[${label}](${files}${target}${anchor})`;
  });
}

function kebab(kind: string): string {
  return kind.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
}
