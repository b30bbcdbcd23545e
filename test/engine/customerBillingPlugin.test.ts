import { afterEach, describe, expect, it } from "vitest";
import { itInAll } from "../inAll";
import { expectSilentUp, onlyLine } from "./expectations";
import { type Scene, setScene } from "./scene";

/** Registers the grant like a program in another language, in which nothing reads state. */
const program = (name = "held", inputs = `totalCredits: "100"`, options = "") => `
  import * as pulumi from "@pulumi/pulumi";
  const args = { workspaceId: "ws_main", ${inputs} };
  new pulumi.CustomResource("apikeys:index:CustomerBilling", "${name}", args, { ${options} });
`;

const again =
  /grant: the credits were already granted, and replacing the resource would grant them again\. .* taint/;
const renamed = /grant: this grant is already in state, as "held", .* the option aliases; or, .* grant\.$/;

describe("a grant in a program without this package, with the plugin", () => {
  let scene: Scene;
  afterEach(() => scene?.close());

  const granted = async (inputs?: string): Promise<string> => {
    scene = await setScene("billing-plugin", { program: program("held", inputs), host: "plugin" });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    return urn();
  };
  const urn = async () => {
    const { resources = [] } = await scene.stack.exportState();
    return resources.find(({ type }) => type === "apikeys:index:CustomerBilling")?.urn ?? "";
  };
  async function expectRefused(
    name: string,
    message: RegExp,
    args: readonly string[] = [],
    commands: readonly ("preview" | "up")[] = ["preview", "up"],
  ): Promise<void> {
    for (const command of commands) {
      expect(onlyLine(await scene.stack[command]({ args }), name)).toMatch(message);
      expect(scene.service.billings()).toHaveLength(1);
    }
  }

  it("B6 is granted once, whatever forces a replacement, and once more for a new value of `grant`", async () => {
    const held = await granted();
    await expectSilentUp(scene);
    await expectRefused("held", again, ["--replace", held]);
    await expectRefused("held", again, ["--target-replace", held], ["up"]);
    expect((await scene.stack.run(["state", "taint", held, "--yes"])).ok).toBe(true);
    await expectRefused("held", again, [], ["up"]);
    await scene.declare(program("held", `totalCredits: "200"`));
    await expectRefused("held", /totalCredits: can't change, .* would grant credits again/, [], ["up"]);
    await scene.declare(program("held", `totalCredits: "200", grant: "again"`));
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(scene.service.billings()).toHaveLength(2);
    await expectSilentUp(scene);
  });

  itInAll("B6 is granted once if it is renamed, and keeps its record with aliases or by its id", async () => {
    await granted();
    await scene.declare(program("renamed"));
    await expectRefused("renamed", renamed);
    await scene.declare(program("renamed", undefined, `aliases: [{ name: "held" }]`));
    await expectSilentUp(scene);
    const [record] = scene.service.billings();
    await scene.declare(program("adopted", `billingId: "${record?.id}"`));
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(scene.service.billings()).toHaveLength(1);
  });

  it("B6 is not sent again if its answer was lost", async () => {
    scene = await setScene("billing-plugin-lost", { program: program(), host: "plugin" });
    scene.service.inject({ endpoint: "createBilling", fault: { kind: "resetAfter" } });
    expect((await scene.stack.up()).ok).toBe(false);
    await expectRefused("held", again, ["--replace", await urn()]);
    await scene.declare(program("renamed"));
    await expectRefused("renamed", renamed);
  });
});

describe("a grant in a Node.js program, with the plugin", () => {
  const sdk = (more = "") => `
    import { ApiKey, CustomerBilling } from "pulumi-apikeys";
    new CustomerBilling("held", { workspaceId: "ws_main", totalCredits: "100" });
    ${more}
  `;
  let scene: Scene;
  afterEach(() => scene?.close());

  it("B6 is not read before each update, so an update can target a new resource", async () => {
    scene = await setScene("billing-targets", { program: sdk(), host: "plugin" });
    expect((await scene.stack.up()).ok).toBe(true);
    const { steps } = await scene.stack.preview();
    expect(steps.filter(({ op }) => op !== "same")).toEqual([]);
    await scene.declare(sdk(`new ApiKey("new", { workspaceId: "ws_main", customerId: "internal" });`));
    const { resources = [] } = await scene.stack.exportState();
    const held = resources.find(({ type }) => type === "apikeys:index:CustomerBilling")?.urn ?? "";
    const there = held.replace("CustomerBilling::held", "ApiKey::new");
    const up = await scene.stack.up({ args: ["--target", there] });
    expect(up.ok, up.output).toBe(true);
    expect(scene.service.keys()).toHaveLength(1);
  });
});
