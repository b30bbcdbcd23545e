/**
 * One command of the engine: the process in which the user's program runs beside the CLI. Plain Node.js runs it, since
 * a loader of TypeScript would cost every `require` of the program.
 */
import { LocalWorkspace, PulumiCommand, type Stack } from "@pulumi/pulumi/automation";
import { execute } from "../engine/command";
import { pulumiCommand } from "../engine/stack";
import { declaredKeys, type Step, setOf } from "./keys";
import { type EngineOrder, type Spent, spend } from "./measured";

async function run(order: EngineOrder): Promise<Spent> {
  const { step, count, root, dir, projectName, program, declares } = order;
  let spent: Spent | undefined;
  const official = await PulumiCommand.get({ root, skipVersionCheck: true });
  const command = pulumiCommand(official, async (args, options) => {
    // Each command below names its stack, so this one, a whole start of the CLI, changes nothing.
    if (args[0] === "stack" && args[1] === "select") return { code: 0, stdout: "", stderr: "", output: "" };
    const env = { ...process.env, ...options.env };
    let result = { code: 1 as number | null, stdout: "", stderr: "", output: "" };
    spent = await spend(async () => {
      result = await execute(official.command, ["--non-interactive", ...args], { ...options, cwd: dir, env });
    });
    return result;
  });
  const keys = declaredKeys(count, step);
  const set = setOf(keys);
  const stack = await LocalWorkspace.selectStack(
    {
      stackName: "dev",
      projectName,
      program: async () => require(program)[declares]({ keys, set }),
    },
    { workDir: dir, pulumiCommand: command },
  );
  // The requests of Automation API after a command don't belong to it.
  stack.info = async () => undefined;
  stack.outputs = async () => ({});
  await act(stack, step);
  if (spent === undefined) throw new Error("the CLI was not run");
  return spent;
}

/** Automation API gives `--yes --skip-preview` to all of them. */
async function act(stack: Stack, step: Step): Promise<void> {
  const options = { color: "never" } as const;
  if (step === "refresh") await stack.refresh(options);
  else if (step === "destroy") await stack.destroy(options);
  else await stack.up(options);
}

run(JSON.parse(process.argv[2] ?? "")).then(
  (spent) => process.send?.(spent, () => process.disconnect()),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
