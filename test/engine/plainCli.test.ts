import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { execute } from "../../tools/engine/command";
import { shellEnvironment } from "../../tools/engine/environment";
import { checkout } from "../../tools/engine/folders";
import { type Followed, newReader, type Reader } from "./reader";

const text = `
\`\`\`sh
npm init --yes    # package.json
npm install pulumi-apikeys @pulumi/pulumi
npx pulumi-apikeys standin --port 8080
\`\`\`

The project file, \`Pulumi.yaml\`:

\`\`\`yaml
name: shop
runtime: nodejs
main: index.ts
\`\`\`

The program, \`index.ts\`:

\`\`\`ts
import { ApiKey } from "pulumi-apikeys";

const ci = new ApiKey("ci", { workspaceId: "ws_main", customerId: "customer-1" });
export const ciKey = ci.key;
\`\`\`

\`\`\`sh
export PULUMI_BACKEND_URL=file://. PULUMI_CONFIG_PASSPHRASE=try-it
pulumi stack init dev
pulumi config set apikeys:baseUrl http://127.0.0.1:8080
pulumi config set --secret \\
  apikeys:accessToken standin-access-token
pulumi up --yes
\`\`\`

\`\`\`text
Updating (dev):
     Type                                     Name      Status
 +   pulumi:pulumi:Stack                      shop-dev  created (0.88s)
 +   └─ pulumi-nodejs:dynamic/apikeys:ApiKey  ci        created (0.06s)

Outputs:
    ciKey: [secret]
…
Nothing says this.
\`\`\`
`;

const declared = 'new ApiKey("ci", { workspaceId: "ws_main", customerId: "customer-1" })';
const plugin = `config:
  apikeys:host: plugin
plugins:
  providers:
    - name: apikeys
      path: node_modules/pulumi-apikeys/plugin
`;
const programs = {
  "index.js": `const { ApiKey } = require("pulumi-apikeys");\nexports.ciKey = ${declared}.key;\n`,
  "index.mjs": `import { ApiKey } from "pulumi-apikeys";\nexport const ciKey = ${declared}.key;\n`,
  "index.ts": `import { ApiKey, type ApiKeyArgs } from "pulumi-apikeys";
const args: ApiKeyArgs = { workspaceId: "ws_main", customerId: "customer-1" };
export const ciKey = new ApiKey("ci", args).key;
`,
};

it("the tests' language host ends with the CLI, even if the CLI is killed", async () => {
  const host = join(__dirname, "nodeLanguageHost", "pulumi-language-nodejs");
  // It shares the output of the shell, its parent, so the output ends only when both have ended.
  const env = shellEnvironment(checkout, []);
  const ran = await execute("sh", ["-c", `${host} 127.0.0.1:1 & sleep 2; kill -9 $$`], {
    env,
    timeoutMs: 15_000,
  });
  expect(ran.output).toMatch(/^\d+\n$/);
}, 12_000);

describe("a project that is set up by a page's commands, whose program the CLI runs", () => {
  let reader: Reader;
  let followed: readonly Followed[];
  const run = async (line: string) => {
    const ran = await reader.run(line);
    expect(ran, `${line}\n${ran.output}`).toMatchObject({ code: 0 });
    expect(ran.output).not.toMatch(/warning/i);
    return ran.stdout;
  };
  /** Replaces the program by this one, which then shows no change and sends no request. */
  const same = async (file: keyof typeof programs, type: string, settings = "") => {
    await reader.write(file, programs[file]);
    await reader.write("Pulumi.yaml", `name: shop\nruntime: nodejs\nmain: ${file}\n${settings}`);
    await run(`npm pkg set type=${type}`);
    reader.service().clearRequests();
    expect(await run("pulumi up --yes --expect-no-changes")).toContain("2 unchanged");
    expect(reader.service().requests).toEqual([]);
  };

  beforeAll(async () => {
    reader = await newReader("shop");
    followed = await reader.follow(text);
  });
  afterAll(() => reader?.close());

  it("runs command by command", async () => {
    expect(followed.filter(({ code }) => code !== 0)).toEqual([]);
    expect(followed.map(({ line }) => line.split(" ", 2).join(" "))).toEqual([
      "npm init",
      "npm install",
      "npx pulumi-apikeys",
      "export PULUMI_BACKEND_URL=file://.",
      "pulumi stack",
      "pulumi config",
      "pulumi config",
      "pulumi up",
    ]);
    const up = followed.at(-1);
    expect(up?.missing).toEqual(["Nothing says this."]);
    expect(up?.output).not.toMatch(/warning/i);
    const [key] = reader.service().keys();
    expect(await run("pulumi stack output ciKey --show-secrets")).toBe(`${key?.key}\n`);
  });

  it("works the same in JavaScript and as ES modules, in both hosts", async () => {
    await same("index.js", "commonjs");
    await same("index.mjs", "module");
    await same("index.ts", "module", plugin);
    await same("index.js", "commonjs", plugin);
    await same("index.ts", "commonjs");
  });

  it("passes config to the program, and shows its output and its error", async () => {
    await run("pulumi config set --secret place harbour");
    const program = `import { Config } from "@pulumi/pulumi";
console.log("so far:", new Config().require("place").length);
throw new Error("no further");
`;
    await reader.write("index.ts", program);
    const { code, output } = await reader.run("pulumi preview");
    expect(code).not.toBe(0);
    expect(output).toContain("so far: 7");
    expect(output).toContain("Error: no further");
    expect(output).not.toContain("exit code");
  });

  it("fails the preview on a type error", async () => {
    await reader.write("index.ts", programs["index.ts"].replace('"customer-1"', "1"));
    const { output } = await reader.run("pulumi preview");
    expect(output).toMatch(/index\.ts.*TS2322: Type 'number' is not assignable to type 'Input<string>'/);
  });

  it("can be destroyed", async () => {
    expect(await run("pulumi destroy --yes")).toContain("- 2 deleted");
    expect(reader.service().keys()).toEqual([]);
  });
});
