import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { command, needSettings, type Terminal } from "./command";
import { existingKeys } from "./keys";
import { givenSecrets, managedKeys } from "./managed";
import { configKey, importFile, programOfKeys, programOfSet } from "./program";
import { asFailure, Failure, oneLine, openInstance, openRun } from "./provider";

const usage = `Usage: npx pulumi-apikeys adopt --workspace ID [options] > keys.ts

Writes a program that adopts the existing keys of a workspace as they are. Reads the service at APIKEYS_BASE_URL with
APIKEYS_ACCESS_TOKEN, both from the environment, and changes nothing there.

  --workspace ID   the workspace that the keys belong to
  --customer ID    only the keys of this customer
  --key-id ID      only this key; repeat it for several. Use it if the list of the workspace's keys can't be read
                   or is incomplete
  --as FORM        keys: an ApiKey for each key; set: one ApiKeySet with all of them (default: keys)
  --except FILE    leave out the keys in a stack's state, a file from \`pulumi stack export\`; repeat it
                   for several stacks
  --values FILE    adopt keys with their secrets, from a JSON object with the secret of each key by its id, or from
                   the output of \`pulumi stack export --show-secrets\`. The program reads them from stack config
  --values-out FILE
                   write those secrets to this new file, for stack config (default: existingKeys.json)
  --import         write a file for \`pulumi import --file\` instead, for the plugin
  --out FILE       write to this new file, in UTF-8, instead of standard output. Use it in PowerShell, where \`>\` may
                   change names
  --help           print this help
`;

type Options = ReturnType<typeof readOptions>;

/** The command `pulumi-apikeys adopt`. Its exit code is 1 if the keys can't be read. */
export const adopt = command("adopt", usage, readOptions, async (options, terminal) => {
  // Ids may contain line breaks.
  const tell = (line: string) => terminal.err(`pulumi-apikeys adopt: ${oneLine(line)}\n`);
  try {
    await write(options, terminal, tell);
    return 0;
  } catch (error) {
    tell(`${asFailure(error).message}\nNothing was written.`);
    return 1;
  }
});

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      workspace: { type: "string" },
      customer: { type: "string" },
      "key-id": { type: "string", multiple: true, default: [] as string[] },
      as: { type: "string", default: "keys" },
      except: { type: "string", multiple: true, default: [] as string[] },
      import: { type: "boolean", default: false },
      values: { type: "string" },
      "values-out": { type: "string", default: `${configKey}.json` },
      out: { type: "string" },
    },
  });
  const { workspace, customer, as, except, import: isImport, out } = values;
  if (!workspace) throw new Error("--workspace must be the id of a workspace");
  if (customer === "") throw new Error("--customer must be the id of a customer");
  if (as !== "keys" && as !== "set") throw new Error("--as must be keys or set");
  if (isImport && as === "set") throw new Error("--import can't be combined with --as set");
  if (isImport && values.values !== undefined) throw new Error("--import can't be combined with --values");
  return {
    valuesFile: values.values,
    valuesOut: values["values-out"],
    workspaceId: workspace,
    customerId: customer,
    keyIds: values["key-id"],
    files: except,
    out,
    textOf: isImport ? importFile : as === "set" ? programOfSet : programOfKeys,
  };
}

async function write(
  { files, valuesFile, valuesOut, out, textOf, ...wanted }: Options,
  terminal: Terminal,
  tell: (line: string) => void,
): Promise<void> {
  const { env } = terminal;
  needSettings(env);
  const { workspaceId } = wanted;
  const managed = await Promise.all(
    files.map(async (file) => {
      const state = await onFile(file, "read", () => readFile(file, "utf8"));
      return managedKeys(state, file, workspaceId);
    }),
  );
  const instance = openInstance({ run: openRun(), env, warn: tell });
  const except = new Set(managed.flatMap(({ ids }) => ids));
  const secrets = valuesFile === undefined ? undefined : await readSecrets(valuesFile, workspaceId);
  const found = await existingKeys(instance, { ...wanted, except }, tell);
  const keys = found.map((key) => ({ ...key, isGiven: secrets?.has(key.id) === true }));
  const text = textOf({ workspaceId, keys, taken: new Set(managed.flatMap(({ names }) => names)) });
  // First, so that no secrets are left in a file if the program can't be written.
  if (out !== undefined) await onFile(out, "written", () => writeFile(out, text, { flag: "wx" }));
  if (secrets !== undefined) {
    const given = keys.flatMap(({ id }): [string, unknown][] =>
      secrets.has(id) ? [[id, secrets.get(id)]] : [],
    );
    const content = `${JSON.stringify(Object.fromEntries(given), undefined, 2)}\n`;
    await onFile(valuesOut, "written", () => writeFile(valuesOut, content, { flag: "wx", mode: 0o600 }));
    tell(
      `Secrets in ${valuesOut}: ${given.length}. Run \`pulumi config set --secret ${configKey} < ${valuesOut}\`, and delete the file.`,
    );
  }
  if (out === undefined) terminal.out(text);
  tell(`Keys written: ${keys.length}.`);
}

async function readSecrets(file: string, workspaceId: string): Promise<ReadonlyMap<string, string>> {
  return givenSecrets(await onFile(file, "read", () => readFile(file, "utf8")), file, workspaceId);
}

async function onFile<T>(file: string, done: "read" | "written", act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new Failure("wrongInput", `${file} can't be ${done}: ${(error as Error).message}.`);
  }
}
