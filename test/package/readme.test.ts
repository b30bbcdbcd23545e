import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { definitions } from "../../provider/resources";
import * as sdk from "../../sdk";
import { checkout } from "../../tools/engine/folders";
import { brokenLinks, page } from "./docsText";
import { commandLines, languages, readme, section, table } from "./readmeText";

const packageJson = async () => JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));

describe("README.md", () => {
  it("has fewer than 1,200 words", () => {
    expect(readme.split(/\s+/).length).toBeLessThan(1_200);
  });

  it("has code only in languages that tests check, and only commands that tests run", () => {
    expect(languages().toSorted()).toEqual(["sh", "text", "ts", "yaml"]);
    // The npm commands are checked below, and test/engine/readme.test.ts runs all others.
    const tried = /^(npm |npx pulumi-apikeys standin |export PULUMI_|pulumi )/;
    expect(commandLines().filter((line) => !tried.test(line))).toEqual([]);
  });

  it("names existing npm scripts, and the packages that a user needs", async () => {
    const { name, scripts, peerDependencies } = await packageJson();
    const installed = [name, ...Object.keys(peerDependencies)].join(" ");
    const npmLines = commandLines().filter((line) => line.startsWith("npm "));
    expect(new Set(npmLines)).toEqual(
      new Set(["npm init --yes", `npm install ${installed}`, "npm ci", "npm run demo", "npm test"]),
    );
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["demo", "test"]));
  });

  it("has a row for each resource, with what destroy does, and one for the functions", () => {
    const rows = table(section("Resources"), "Resource");
    const classes = Object.keys(sdk).filter((name) => /^[A-Z]/.test(name) && name !== "Provider");
    const named = rows.map(({ Resource = "" }) => /^\[(\w+)\]/.exec(Resource)?.[1]);
    expect(named).toEqual([...Object.keys(definitions), "functions"]);
    expect(classes.toSorted()).toEqual(Object.keys(definitions).toSorted());
    expect(rows.slice(0, -1).filter((row) => row["On destroy"] === "")).toEqual([]);
  });

  it("links only to existing files and headings, and to the index of all pages", () => {
    expect(readme).toContain("](docs/README.md)");
    expect(brokenLinks("README.md", readme)).toEqual([]);
  });

  it("requires the same versions as package.json", async () => {
    const { engines, peerDependencies } = await packageJson();
    const cli = peerDependencies["@pulumi/pulumi"].replace("^", "");
    const node = engines.node.replace(">=", "");
    expect(readme).toContain(`Node.js ${node} or newer and the Pulumi CLI ${cli} or newer`);
    expect(page("upgrading.md")).toContain(cli);
    const changelog = await readFile(join(checkout, "CHANGELOG.md"), "utf8");
    expect(changelog).toContain(`@pulumi/pulumi ${cli} or newer`);
  });
});
