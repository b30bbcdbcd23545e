import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { describeInAll, itInAll } from "../inAll";
import { expectSilentUp, onlyLine } from "./expectations";
import { programOf } from "./programs";
import { type Scene, setScene } from "./scene";

/** `held` with these options, and another grant, which a new value of its `grant` replaces. */
const program = (options = "", other = "first", inputs = `totalCredits: pulumi.secret("100")`) => `
  import * as pulumi from "@pulumi/pulumi";
  import { CustomerBilling } from "pulumi-apikeys";
  const base = { workspaceId: "ws_main" };
  const other = new CustomerBilling("other", { ...base, totalCredits: "5", grant: "${other}" });
  new CustomerBilling("team::held", { ...base, ${inputs} }, { ${options} });
`;
const trigger = (value: string) => `replacementTrigger: "${value}"`;

const state = async ({ stack }: Scene) => {
  const { resources = [] } = await stack.exportState({ showSecrets: true });
  return resources.filter(({ type }) => type.endsWith(":CustomerBilling"));
};
const urnOf = async (scene: Scene, name: string) =>
  (await state(scene)).find(({ urn }) => urn.endsWith(`::${name}`))?.urn ?? "";
const grants = ({ service }: Scene) =>
  service.billings().filter(({ totalCredits }) => totalCredits === "100").length;

/** The commands fail for `held`, nothing is sent for it, and its state stays. */
async function expectRefused(
  scene: Scene,
  message: RegExp,
  args: readonly string[] = [],
  commands: readonly ("preview" | "up")[] = ["preview", "up"],
  name = "team::held",
): Promise<void> {
  const before = await state(scene);
  for (const command of commands) {
    expect(onlyLine(await scene.stack[command]({ args }), name)).toMatch(message);
    expect(grants(scene)).toBe(1);
  }
  const held = (resources: typeof before) => resources.filter(({ urn }) => urn.endsWith("::held"));
  expect(held(await state(scene))).toEqual(held(before));
}

describe("a grant that the engine is told to replace", () => {
  let scene: Scene;
  const asked =
    /grant: the credits were already granted, and replacing the resource would grant them again\. .* change grant/;
  const looked =
    /"team::held": this grant is already in state, and replacing .* Nothing was granted\. .* change grant/;

  beforeAll(async () => {
    scene = await setScene("billing-replaced", { program: program(trigger("1")) });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterAll(() => scene?.close());

  it("B6 by replacementTrigger is granted once", async () => {
    await scene.declare(program(trigger("2")));
    await expectRefused(scene, asked);
  });

  itInAll("B6 by replaceWith is granted once", async () => {
    await scene.declare(program(`${trigger("1")}, replaceWith: [other]`, "second"));
    await expectRefused(scene, asked);
  });

  it("B6 by --target-replace is granted once", async () => {
    await scene.declare(program(trigger("1"), "second"));
    await expectRefused(scene, looked, ["--target-replace", await urnOf(scene, "team::held")]);
  });

  it("B6 by `pulumi state taint` is granted once", async () => {
    const urn = await urnOf(scene, "team::held");
    expect((await scene.stack.run(["state", "taint", urn, "--yes"])).ok).toBe(true);
    await expectRefused(scene, looked, [], ["up"]);
    expect((await scene.stack.run(["state", "untaint", urn, "--yes"])).ok).toBe(true);
  });

  it("B6 shows no change once nothing forces the replacement", async () => {
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    await expectSilentUp(scene);
  });

  it("B6 under another name is granted once without aliases, and keeps its record with them", async () => {
    const renamed = (options: string) =>
      program(options, "second").replace('new CustomerBilling("team::held"', 'new CustomerBilling("renamed"');
    await scene.declare(renamed(trigger("1")));
    for (const command of ["preview", "up"] as const) {
      const line = onlyLine(await scene.stack[command](), "renamed");
      expect(line).toMatch(
        /this grant is already in state, as "team::held", .* the option aliases; or, .* grant\.$/,
      );
    }
    expect(grants(scene)).toBe(1);
    await scene.declare(renamed(`${trigger("1")}, aliases: [{ name: "team::held" }]`));
    await expectSilentUp(scene);
    await scene.declare(program(`${trigger("1")}, aliases: [{ name: "renamed" }]`, "second"));
    await expectSilentUp(scene);
  });

  it("B6 with deleteBeforeReplace is granted once, and then adopted by its id", async () => {
    const options = `${trigger("1")}, deleteBeforeReplace: true`;
    await scene.declare(program(options, "second"));
    const args = ["--target-replace", await urnOf(scene, "team::held")];
    expect(onlyLine(await scene.stack.up({ args }), "team::held")).toMatch(looked);
    expect(onlyLine(await scene.stack.up(), "team::held")).toMatch(asked);
    const id = scene.service.billings().find(({ totalCredits }) => totalCredits === "100")?.id;
    await scene.declare(program(options, "second", `billingId: "${id}"`));
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    await expectSilentUp(scene);
    expect(grants(scene)).toBe(1);
  });

  it("B2 is granted once more for another value of `grant`, whatever forces the replacement", async () => {
    const again = program(trigger("3"), "second", `totalCredits: "100", grant: "again"`);
    await scene.declare(again);
    const up = await scene.stack.up({ args: ["--target-replace", await urnOf(scene, "team::held")] });
    expect(up.ok, up.output).toBe(true);
    expect(grants(scene)).toBe(2);
    await expectSilentUp(scene);
  });
});

describe("a grant whose answer was lost", () => {
  let scene: Scene;
  afterAll(() => scene?.close());

  it("B6 is not sent again if replaceOnChanges would replace it", async () => {
    const lone = programOf("CustomerBilling");
    const held = `{ ...base, totalCredits: "100" }`;
    scene = await setScene("billing-replaced-lost", { program: lone({ held }) });
    scene.service.inject({ endpoint: "createBilling", fault: { kind: "resetAfter" } });
    expect((await scene.stack.up()).ok).toBe(false);
    expect(grants(scene)).toBe(1);
    await scene.declare(lone({ held: `${held}, { replaceOnChanges: ["*"] }` }));
    await expectRefused(scene, /grant: the credits were already granted/, [], ["up"], "held");
  });
});

describeInAll("a state that can't be read", () => {
  let scene: Scene;
  afterEach(() => scene?.close());
  /** The engine fails this many reads of the state. */
  const program = (times: string) => `
    import * as pulumi from "@pulumi/pulumi";
    import { CustomerBilling } from "pulumi-apikeys";
    const monitor = pulumi.runtime.getMonitor() as any;
    const asked = monitor.invoke.bind(monitor);
    let left = ${times};
    monitor.invoke = (request: any, ...rest: any[]) => {
      if (!request.getTok().endsWith(":readStackResourceOutputs") || left-- <= 0) return asked(request, ...rest);
      rest.at(-1)({ details: "no such function" });
    };
    new CustomerBilling("held", { workspaceId: "ws_main", totalCredits: "100" });
  `;

  it("B6 grants nothing, and the error says why", async () => {
    scene = await setScene("billing-unread", { program: program("Infinity") });
    for (const command of ["preview", "up"] as const) {
      expect(onlyLine(await scene.stack[command](), "held")).toMatch(
        /the state of the stack can't be read \(.*no such function.*\).* Nothing was granted\. Run `pulumi up` again\.$/,
      );
    }
    expect(grants(scene)).toBe(0);
  });

  it("B6 is read again, because the engine may be writing it", async () => {
    scene = await setScene("billing-reread", { program: program("3") });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(grants(scene)).toBe(1);
  });
});
