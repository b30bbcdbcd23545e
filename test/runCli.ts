import { runCommand } from "../cli/run";

/** Runs `pulumi-apikeys` with these arguments in this process. */
export async function runCli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const printed = { out: "", err: "" };
  const code = await runCommand(args, {
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    env,
    stopped: Promise.resolve(),
  });
  return { ...printed, code };
}
