import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Fault, Variant } from "../../standin";
import type { Held, HostedResource, Properties } from "./host";
import { failureOf } from "./outcomes";
import { asking, warned } from "./plot";
import { quickTimers } from "./quickTimers";
import { accessToken, openScene, type Scene } from "./scene";

const least = { workspaceId: "ws_main", name: "Orders", representation: "orders" };

describe("a Scope whose requests fail", () => {
  let scene: Scene;
  let scope: HostedResource;
  let inputs: Properties;
  beforeAll(async () => {
    scene = await openScene({ env: quickTimers() });
    scope = scene.host.resource("Scope");
    ({ inputs } = await scope.check(least));
  });
  beforeEach(() => {
    scene.standIn.setVariant({});
    scene.standIn.clearFaults();
    for (const { id } of scene.standIn.scopes("ws_main")) scene.standIn.deleteScope(id);
    scene.standIn.clearRequests();
  });
  afterAll(() => scene.close());

  const posts = () => scene.standIn.requests.filter(({ endpoint }) => endpoint === "createScope");
  const scopes = () => scene.standIn.scopes("ws_main");

  const lost: readonly Fault[] = [
    { kind: "resetAfter" },
    { kind: "errorAfter" },
    { kind: "errorAfter", status: 503 },
    { kind: "truncated" },
    { kind: "garbled" },
    { kind: "emptyBody" },
    { kind: "hang", carriedOut: true },
  ];
  const habits: readonly Partial<Variant>[] = [
    {},
    { listLag: 2, duplicateScope: "created" },
    { names: "lowerCased", duplicateScope: "returned" },
    { ids: "odd", listOrder: "newestFirst", timestamps: "null" },
  ];
  test.each(habits.flatMap((variant) => lost.map((fault) => ({ variant, fault }))))(
    "S4 a scope whose answer was lost ($fault.kind) is found in the list, and not posted twice: $variant",
    async ({ variant, fault }) => {
      scene.standIn.setVariant(variant);
      scene.standIn.inject({ endpoint: "createScope", fault });
      const held = await scope.create(inputs);
      expect(scopes()).toMatchObject([{ id: held.id }]);
      expect(posts().map(({ carriedOut }) => carriedOut)).toEqual([true]);
      expect(await scope.read(held)).toEqual({ id: held.id, properties: held.state, inputs: undefined });
    },
  );

  const dropped: readonly Fault[] = [
    { kind: "resetBefore" },
    { kind: "status", status: 500 },
    { kind: "hang" },
    { kind: "html" },
  ];
  test.each(dropped)(
    "S4 a POST that may have been applied but was not ($kind) is an error, and the next update sends it",
    async (fault) => {
      scene.standIn.inject({ endpoint: "createScope", fault });
      const { message, kept } = await failureOf(scope.create(inputs));
      expect(message).toMatch(/Run `pulumi up` again, which looks for it before creating one/);
      expect(kept).toBeUndefined();
      expect(posts()).toHaveLength(1);
      const { id } = await scope.create(inputs);
      expect(scopes()).toMatchObject([{ id }]);
      expect(posts().map(({ carriedOut }) => carriedOut)).toEqual([false, true]);
    },
  );

  test("S4 a POST that was answered with 429 is sent again, and applied once", async () => {
    const fault = { kind: "rateLimited", retryAfter: 0 } as const;
    scene.standIn.inject({ endpoint: "createScope", fault, times: 2 });
    const { id } = await scope.create(inputs);
    expect(scopes()).toMatchObject([{ id }]);
    expect(posts().map(({ carriedOut }) => carriedOut)).toEqual([false, false, true]);
  });

  test("S4 an answer with another scope's record is not taken for the new scope", async () => {
    const other = scene.standIn.addScope({ workspaceId: "ws_main", representation: "other" });
    scene.standIn.inject({ endpoint: "createScope", fault: { kind: "otherRecord" } });
    const { id } = await scope.create(inputs);
    expect(id).not.toBe(other.id);
    expect(scopes()).toMatchObject([{ id: other.id }, { id, representation: "orders" }]);
    expect(posts()).toHaveLength(1);
  });

  test("S4 two programs that create the same scope at once create it once, and both have it", async () => {
    const both = await Promise.all([scope.create(inputs), scope.create(inputs)]);
    expect(scopes()).toHaveLength(1);
    expect(both.map(({ id }) => id)).toEqual([scopes()[0]?.id, scopes()[0]?.id]);
  });

  test("S4 a lost answer is an error that says what is not known if the list can't be read either", async () => {
    scene.standIn.inject({ endpoint: "createScope", fault: { kind: "resetAfter" } });
    const denied = { kind: "status", status: 403 } as const;
    scene.standIn.inject({ endpoint: "listScopes", fault: denied, after: 1 });
    const { message, kept } = await failureOf(scope.create(inputs));
    expect(message).toContain("It is not known whether the scope was created");
    expect(kept).toBeUndefined();
    expect((await scope.create(inputs)).id).toBe(scopes()[0]?.id);
    expect(posts()).toHaveLength(1);
  });

  describe("a Scope in state", () => {
    let held: Held;
    beforeEach(async () => {
      held = await scope.create(inputs);
      scene.standIn.clearRequests();
    });

    test.each([400, 401, 403, 404, 410, 500, 503])(
      "R6 a list answered with %s is an error, and the scope stays in state",
      async (status) => {
        const fault = { kind: "status", status } as const;
        scene.standIn.inject({ endpoint: "listScopes", fault, times: Number.POSITIVE_INFINITY });
        const { message } = await failureOf(scope.read(held));
        expect(message).toMatch(new RegExp(`^Reading scope "orders" in .*${status}.*State is unchanged`));
      },
    );

    test.each([{ kind: "html" }, { kind: "garbled" }, { kind: "truncated" }, { kind: "emptyBody" }] as const)(
      "R6 a list that can't be parsed ($kind) is an error, and the scope stays in state",
      async (fault) => {
        scene.standIn.inject({ endpoint: "listScopes", fault, times: Number.POSITIVE_INFINITY });
        const { message } = await failureOf(scope.read(held));
        expect(message).toMatch(/^Reading scope "orders" in .*State is unchanged/);
      },
    );

    test.each([403, 404, "empty"] as const)(
      "R6 another tenant's token is an error (otherTenant: %s)",
      async (foreign) => {
        scene.standIn.setVariant({ otherTenant: foreign });
        scene.standIn.rotateToken("acme", "another");
        const name = `stranger ${foreign}`;
        scene.standIn.addTenant({ name, accessToken, workspaces: [] });
        try {
          const { message } = await failureOf(scope.read(held));
          expect(message).toContain("State is unchanged");
          if (foreign === "empty") expect(message).toMatch(/The access token is the likely cause/);
        } finally {
          scene.standIn.rotateToken(name, `token of ${name}`);
          scene.standIn.rotateToken("acme", accessToken);
        }
      },
    );

    test("S3 a list that lags behind doesn't remove the scope from state", async () => {
      scene.standIn.setVariant("laggingReplica");
      const next = (await scope.check({ ...least, representation: "late" })).inputs;
      const late = await scope.create(next);
      expect(await scope.read(late)).toEqual({ id: late.id, properties: late.state, inputs: undefined });
    });

    test("S3 a list that may be truncated doesn't remove the scope from state, and a warning says so", async () => {
      for (let n = 0; n < 100; n += 1)
        scene.standIn.addScope({ workspaceId: "ws_main", representation: `filler ${n}` });
      const next = (await scope.check({ ...least, representation: "beyond" })).inputs;
      const beyond = await scope.create(next);
      scene.standIn.setVariant({ listLimit: 100 });
      await warned(
        scene,
        /^warning: .*"beyond".*may be truncated, so it stays in state\..*pulumi state delete/m,
        async () => {
          const inputs = undefined;
          expect(await scope.read(beyond)).toEqual({ id: beyond.id, properties: beyond.state, inputs });
        },
      );
    });

    test("S3 a scope whose id changed is found by its representation", async () => {
      const moved = { ...held, id: "sc_of_before" };
      expect(await scope.read(moved)).toEqual({ id: held.id, properties: held.state, inputs: undefined });
    });

    test("S3 R13 a diff without a change and destroy send no request", async () => {
      await asking(scene, [], async () => {
        expect(await scope.diff(held, inputs)).toEqual({ changes: "none", replaces: [] });
        await scope.delete(held);
      });
    });
  });
});
