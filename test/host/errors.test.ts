import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Variant } from "../../standin";
import type { Held, HostedResource, Properties } from "./host";
import { failureOf } from "./outcomes";
import { quickTimers } from "./quickTimers";
import { accessToken, openScene, type Scene } from "./scene";

const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci" };

describe("errors of an ApiKey's operations", () => {
  let scene: Scene;
  let key: HostedResource;
  let inputs: Properties;
  let held: Held;
  beforeAll(async () => {
    scene = await openScene({ env: quickTimers() });
    key = scene.key;
    ({ inputs } = await key.check(least));
  });
  beforeEach(async () => {
    scene.standIn.setVariant({});
    scene.standIn.clearFaults();
    held = await key.create(inputs);
  });
  afterAll(async () => {
    const printed = await scene.close();
    // The host prints the errors of read and delete, and would print their stacks too.
    for (const line of printed.split("\n").filter((text) => text !== ""))
      expect(line).toMatch(/^((pulumi-apikeys|warning): \S|Waiting for )/);
    expect(printed).not.toMatch(/\.[jt]s:\d+/);
  });

  const changed = () => ({ ...inputs, name: "new" });
  const operations: readonly [name: string, doing: RegExp, run: () => Promise<unknown>][] = [
    ["read", /^Reading key \S+ in workspace ws_main: /, () => key.read(held)],
    ["update", /^Updating key "new" in workspace ws_main \(\S+\): /, () => key.update(held, changed())],
    ["delete", /^Deleting key "ci" in workspace ws_main \(\S+\): /, () => key.delete(held)],
  ];

  /** The operation fails in one line, and leaves the key and the state as they were. */
  async function expectError(run: () => Promise<unknown>): Promise<string> {
    const failure = await failureOf(run());
    expect(failure.code).toBe(2);
    expect(failure.kept).toBeUndefined();
    expect(failure.message).not.toContain(accessToken);
    expect(scene.standIn.key(held.id)).toMatchObject({ deleted: false, name: "ci" });
    return failure.message;
  }

  describe.each(operations)("%s", (_, doing, run) => {
    test.each([400, 401, 403, 409, 418])(
      "R6 an answer of %s is an error, and the key stays in state",
      async (status) => {
        scene.standIn.inject({ fault: { kind: "status", status }, times: Number.POSITIVE_INFINITY });
        const message = await expectError(run);
        expect(message).toMatch(doing);
        expect(message).toContain(`the service answered ${status}`);
      },
    );

    test("R6 R14 a wrong token is an error that says where the token came from", async () => {
      scene.standIn.rotateToken("acme", "another");
      try {
        const message = await expectError(run);
        expect(message).toMatch(doing);
        expect(message).toMatch(/answered 401.*environment variable APIKEYS_ACCESS_TOKEN/);
      } finally {
        scene.standIn.rotateToken("acme", accessToken);
      }
    });

    test.each([403, 404, "empty"] as const)(
      "R6 another tenant's token is an error (otherTenant: %s)",
      async (foreign) => {
        scene.standIn.setVariant({ otherTenant: foreign });
        scene.standIn.rotateToken("acme", "another");
        const stranger = scene.standIn.addTenant({
          name: `stranger of ${doing} ${foreign}`,
          accessToken,
          workspaces: [],
        });
        try {
          const message = await expectError(run);
          expect(message).toMatch(doing);
          if (foreign !== 403) expect(message).toMatch(/The access token is the likely cause/);
        } finally {
          scene.standIn.rotateToken(stranger.name, `token of ${stranger.name}`);
          scene.standIn.rotateToken("acme", accessToken);
        }
      },
    );

    test("R6 an HTML page as an answer is an error", async () => {
      scene.standIn.inject({ fault: { kind: "html" }, times: Number.POSITIVE_INFINITY, method: "GET" });
      scene.standIn.inject({ fault: { kind: "html", status: 403 }, times: Number.POSITIVE_INFINITY });
      expect(await expectError(run)).toMatch(doing);
    });

    test("R6 a key that is answered with 404 but listed is an error", async () => {
      const denied = { fault: { kind: "status", status: 404 }, times: Number.POSITIVE_INFINITY } as const;
      scene.standIn.inject({ ...denied, endpoint: ["readApiKey", "editApiKey", "deleteApiKey"] });
      expect(await expectError(run)).toMatch(/but its workspace lists it/);
    });
  });

  test("R6 a service that is down is an error for each operation, and the key stays in state", async () => {
    await scene.standIn.stop();
    const messages = await Promise.all(
      operations.map(async ([, doing, run]) => ({ doing, failure: await failureOf(run()) })),
    );
    await scene.standIn.start();
    for (const { doing, failure } of messages) {
      expect(failure.message).toMatch(doing);
      expect(failure.message).toContain("the connection was refused");
      expect(failure.kept).toBeUndefined();
    }
    expect(scene.standIn.key(held.id)).toMatchObject({ deleted: false, name: "ci" });
  });

  test("R6 an answer of 500 is an error, and state is unchanged even if the key may be deleted", async () => {
    const fault = { kind: "status", status: 500 } as const;
    scene.standIn.inject({ fault, times: Number.POSITIVE_INFINITY });
    const [read, update, remove] = await Promise.all(operations.map(([, , run]) => failureOf(run())));
    expect(read?.message).toMatch(/answered 500.*State is unchanged/);
    expect(update?.message).toMatch(/answered 500.*State is unchanged/);
    expect(remove?.message).toMatch(
      /answered 500.*It is not known whether the key was deleted\. It stays in state/,
    );
  });

  const gone: readonly Pick<Variant, "delete" | "readDeleted" | "deleteAgain">[] = (
    ["removes", "marks", "marksAndLists", "marksAndOnlyLists"] as const
  ).flatMap((how) =>
    ([404, 410, "null"] as const).flatMap((readDeleted) =>
      ([404, 410, 200] as const).map((deleteAgain) => ({ delete: how, readDeleted, deleteAgain })),
    ),
  );
  test.each(gone)(
    "R6 R7 a deleted key counts as gone: DELETE $delete, GET $readDeleted, DELETE again $deleteAgain",
    async (variant) => {
      scene.standIn.setVariant(variant);
      scene.standIn.deleteKey(held.id);
      expect(await key.read(held)).toEqual({ id: "", properties: {}, inputs: undefined });
      const failure = await failureOf(key.update(held, changed()));
      expect(failure.message).toMatch(/^Updating key .* deleted outside Pulumi\. .*`pulumi up --refresh`/);
      await key.delete(held);
    },
  );

  test("R6 a missing key in a workspace that is missing too is an error", async () => {
    scene.standIn.deleteWorkspace("ws_second");
    const elsewhere = { id: held.id, state: { ...held.state, workspaceId: "ws_second" } };
    const failure = await failureOf(key.read(elsewhere));
    expect(failure.message).toMatch(/its workspace can't be read either.*`pulumi state delete`/);
  });

  test("R6 an answer with another key's record is an error", async () => {
    await key.create(inputs);
    scene.standIn.inject({
      endpoint: "readApiKey",
      fault: { kind: "otherRecord" },
      times: Number.POSITIVE_INFINITY,
    });
    const failure = await failureOf(key.read(held));
    expect(failure.message).toContain("is not the one asked for");
  });

  test("a refused create leaves nothing, and the error says so", async () => {
    const failure = await failureOf(key.create({ ...inputs, workspaceId: "ws_nobody" }));
    expect(failure.kept).toBeUndefined();
    expect(failure.message).toMatch(
      /^Creating key "ci" in workspace ws_nobody: .*404.*\. Nothing was created\. Check /,
    );
  });

  test("a create whose answer was lost is not repeated, and the error names the key that it may have created", async () => {
    for (const kind of ["resetAfter", "errorAfter", "truncated"] as const) {
      const before = scene.standIn.keys().map(({ id }) => id);
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind } });
      const { message, kept } = await failureOf(key.create({ ...inputs, name: kind }));
      const [made, ...others] = scene.standIn.keys().filter(({ id }) => !before.includes(id));
      expect(others).toEqual([]);
      expect(message).toContain(
        `. It is not known whether the key was created; the key is not in state, and its secret is lost. New in the workspace's list: `,
      );
      expect(message).toContain(`${made?.id} (created ${made?.createdAt})`);
      expect(kept).toBeUndefined();
    }
  });

  test("an update or a delete whose answer was lost is sent again", async () => {
    scene.standIn.inject({ endpoint: "editApiKey", fault: { kind: "resetAfter" } });
    expect(await key.update(held, changed())).toMatchObject({ state: { name: "new" } });
    scene.standIn.inject({ endpoint: "deleteApiKey", fault: { kind: "resetAfter" } });
    await key.delete(held);
    expect(scene.standIn.key(held.id)).toBeUndefined();
  });
});
