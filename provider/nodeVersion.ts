/** Says so if this Node.js is older than `engines` in package.json: npm only warns of it, and later errors explain nothing. */
export function nodeProblem(): string | undefined {
  const { version } = process;
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return undefined;
  return `pulumi-apikeys needs Node.js 22.19 or newer on PATH; this is ${version}.`;
}
