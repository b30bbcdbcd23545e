import { afterAll, describe, expect, it } from "vitest";
import { loadProgram } from "../../tools/engine/loadProgram";
import type { Outcome } from "../../tools/engine/outcome";
import { createProject, type Project } from "../../tools/engine/project";
import { createStack, type EngineStack } from "../../tools/engine/stack";
import { expectUnsaid } from "./expectations";
import { credentials, type Scene, setScene } from "./scene";

const names = ["a", "b", "c", "d", "e", "f"];

/** Keys of the stack's own customer, a scope that both stacks declare, and one of two settings of the same workspace. */
const program = (customerId: string, setting: string) => `
  import * as apikeys from "pulumi-apikeys";
  const workspaceId = "ws_main";
  const orders = new apikeys.Scope("orders", { workspaceId, name: "Orders", representation: "orders" });
  new apikeys.WorkspaceSettings("settings", { workspaceId, ${setting} });
  export const secrets = ${JSON.stringify(names)}.map((name) => new apikeys.ApiKey(name, {
    workspaceId,
    customerId: "${customerId}",
    scopes: [{ representation: orders.representation, read: true }],
  }).key);
`;
const ofOne = program("one", "defaultRateLimitPerSecond: 50");
const ofTwo = program("two", 'defaultKeyPrefix: "web"');

interface Pair {
  readonly scene: Scene;
  /** The first is the scene's. */
  readonly stacks: readonly [EngineStack, EngineStack];
  readonly projects: readonly Project[];
}

/** Both use one Pulumi home and one backend, as on one machine. */
const shared = ({ project, service }: Scene) => ({
  ...credentials(service),
  PULUMI_HOME: `${project.dir}/.pulumi-home`,
  PULUMI_BACKEND_URL: `file://${project.dir}/.pulumi-state`,
});

const arrangements: Readonly<Record<string, () => Promise<Pair>>> = {
  "two stacks of one project": async () => {
    const choosing = `
      import { getStack } from "@pulumi/pulumi";
      module.exports = { ...require(getStack() === "dev" ? "./one" : "./two") };
    `;
    const scene = await setScene("together", { program: choosing, latencyMs: 50 });
    await scene.project.write("one.ts", ofOne);
    await scene.project.write("two.ts", ofTwo);
    const env = shared(scene);
    const two = await createStack(scene.project, {
      program: loadProgram(scene.project.dir),
      env,
      stackName: "two",
    });
    return { scene, stacks: [scene.stack, two], projects: [] };
  },
  "stacks of two projects": async () => {
    const scene = await setScene("together-one", { program: ofOne, latencyMs: 50 });
    const project = await createProject("together-two");
    await project.write("index.ts", ofTwo);
    const two = await createStack(project, { program: loadProgram(project.dir), env: shared(scene) });
    return { scene, stacks: [scene.stack, two], projects: [project] };
  },
};

const expectOk = (outcome: Outcome) => expect(outcome.ok, outcome.output).toBe(true);

describe.each(Object.entries(arrangements))("%s on one workspace", (_arrangement, arrange) => {
  let pair: Pair;
  const of = (customer: string) =>
    pair.scene.service.keys({ deleted: false }).filter(({ customerId }) => customerId === customer);
  const posts = (endpoint: string) =>
    pair.scene.service.requests.filter((request) => request.endpoint === endpoint && request.carriedOut);
  const secretsOf = async (stack: EngineStack) => (await stack.outputs())["secrets"]?.value.toSorted();

  afterAll(async () => {
    await pair?.scene.close();
    await Promise.all((pair?.projects ?? []).map((project) => project.remove()));
  });

  it("run their first updates at the same time: each key is created once, and the scope once", async () => {
    pair = await arrange();
    const [one, two] = pair.stacks;
    const ups = await Promise.all([one.up(), two.up()]);
    for (const up of ups) expectOk(up);
    expect(posts("createApiKey")).toHaveLength(2 * names.length);
    expect(posts("createScope")).toHaveLength(1);
    for (const [place, customer] of ["one", "two"].entries()) {
      const keys = of(customer);
      expect(keys.map(({ name }) => name).toSorted()).toEqual(names);
      const stack = pair.stacks[place as 0 | 1];
      expect(await secretsOf(stack)).toEqual(keys.map(({ key }) => key).toSorted());
    }
  });

  it("W1 converge, although both may have read the workspace before the other wrote it", async () => {
    for (const stack of pair.stacks) expectOk(await stack.up({ refresh: true }));
    for (const stack of pair.stacks) expectOk(await stack.previewRefresh({ expectNoChanges: true }));
    const main = pair.scene.service.workspaces().find(({ id }) => id === "ws_main");
    expect(main).toMatchObject({ defaultRateLimitPerSecond: 50, defaultKeyPrefix: "web" });
  });

  it("keep their own keys if the other is destroyed during their update", async () => {
    const [one, two] = pair.stacks;
    const before = of("two").map(({ id, key }) => [id, key]);
    const [destroy, up] = await Promise.all([one.destroy(), two.up({ refresh: true })]);
    expectOk(destroy);
    expectOk(up);
    expect(of("one")).toEqual([]);
    expect(of("two").map(({ id, key }) => [id, key])).toEqual(before);
    expect(pair.scene.service.scopes("ws_main")).toHaveLength(1);
    expectOk(await two.previewRefresh({ expectNoChanges: true }));
    await expectUnsaid(
      pair.scene,
      before.map(([, key]) => key ?? ""),
    );
  });
});
