/** A program that calls functions: the source text of each output, by its name. `before` declares what they use. */
export function programOfFunctions(outputs: Readonly<Record<string, string>>, before = ""): string {
  const exported = Object.entries(outputs).map(([name, text]) => `export const ${name} = ${text};`);
  return `import * as pulumi from "@pulumi/pulumi";
import * as apikeys from "pulumi-apikeys";

/** The message of a failed function; \`undefined\` if it does not fail. */
const messageOf = (found: () => Promise<unknown>) =>
  found().then(
    () => undefined,
    (error) => (pulumi.RunError.isInstance(error) ? error.message : \`not a RunError: \${error}\`),
  );
${before}
${exported.join("\n")}
`;
}
