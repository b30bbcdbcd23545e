import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { page } from "../package/docsText";
import { blocks, commandLines, section } from "../package/readmeText";
import { type Followed, newReader, type Reader } from "./reader";

const steps = section("Your first key in five minutes");
const [create, change] = [steps.indexOf("**4."), steps.indexOf("**5.")];

describe("a newcomer who follows README.md in an empty folder", () => {
  let reader: Reader;

  const follow = async (text: string): Promise<readonly Followed[]> => {
    const followed = await reader.follow(text);
    expect(followed.filter(({ code, missing }) => code !== 0 || missing.length > 0)).toEqual([]);
    return followed;
  };
  const live = () => reader.service().keys({ deleted: false });

  beforeAll(async () => {
    reader = await newReader("shop");
  });
  afterAll(() => reader?.close());

  it("a newcomer sees the preview that README.md shows, creates the key and reads its secret", async () => {
    const previewed = await follow(steps.slice(0, create));
    // The preview has shown that the program compiles.
    await reader.run("export PULUMI_NODEJS_TRANSPILE_ONLY=true");
    const followed = [...previewed, ...(await follow(steps.slice(create, change)))];
    expect(followed.map(({ output }) => output).join("\n")).not.toMatch(/warning/i);
    const [key] = live();
    expect(key).toMatchObject({ name: "ci", customerId: "customer-1" });
    expect(followed.at(-1)?.stdout).toBe(`${key?.key}\n`);
  });

  it("a newcomer sees a change in the preview, updates the key and deletes it", async () => {
    const [program = ""] = blocks("ts", steps);
    const line = '{ representation: "customers", read: true';
    expect(program).toContain(line);
    await reader.write("index.ts", program.replace(line, `${line}, update: true`));
    const [key] = live();
    const [preview, update, destroy] = await follow(steps.slice(change).replace(/^ +\[id=key_\w+\]\n/m, ""));
    expect(preview?.output).toContain(`[id=${key?.id}]`);
    expect(update?.output).toContain("1 updated");
    expect(destroy?.output).toContain("2 deleted");
    expect(live()).toEqual([]);
  });

  it("a newcomer configures another service with the commands of docs/configuration.md", async () => {
    const [url = "", token = ""] = commandLines(page("configuration.md"));
    for (const line of [url, `printf token-of-mine | ${token}`]) {
      const ran = await reader.run(line);
      expect(ran, ran.output).toMatchObject({ code: 0 });
    }
    const { stdout } = await reader.run("pulumi config --show-secrets --json");
    expect(JSON.parse(stdout)).toMatchObject({
      "apikeys:baseUrl": { value: "https://api.example.com", secret: false },
      "apikeys:accessToken": { value: "token-of-mine", secret: true },
    });
  });
});
