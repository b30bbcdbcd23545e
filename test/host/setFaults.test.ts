import { describe, expect, test } from "vitest";
import type { LoggedRequest } from "../../standin";
import { type Held, HostFailure, type Properties } from "./host";
import { declared, live, type Stage, stage, three } from "./setStage";

/** The lines of a failed operation's message, and the state that the engine saves of it. */
async function failed(operation: Promise<unknown>): Promise<{ lines: string[]; held: Held | undefined }> {
  const failure: unknown = await operation.catch((error: unknown) => error);
  if (!(failure instanceof HostFailure)) throw new Error("the operation did not fail");
  expect(failure.message).not.toMatch(/\.[jt]s:\d+/);
  const { kept } = failure;
  if (kept === undefined) return { lines: failure.message.split("\n"), held: undefined };
  expect(kept.reasons).toEqual([failure.message]);
  return { lines: failure.message.split("\n"), held: { id: kept.id, state: kept.properties } };
}

const named =
  (name: string) =>
  ({ body }: LoggedRequest) =>
    (body as { readonly name?: string } | undefined)?.name === name;
const forEver = { times: Number.POSITIVE_INFINITY };
const idOf = (held: Held | undefined, alias: string) =>
  (held?.state["ids"] as Record<string, string> | undefined)?.[alias] ?? "";
const writes = ({ standIn }: Stage) =>
  standIn.requests.filter(({ method }) => method !== "GET").map(({ endpoint }) => endpoint);

/** The next update does what is missing, and nothing else. */
async function converges(
  at: Stage,
  held: Held,
  inputs: Properties,
  expected: readonly string[],
): Promise<Held> {
  at.standIn.clearFaults();
  at.standIn.clearRequests();
  const after = await at.set.update(held, inputs);
  expect(writes(at)).toEqual(expected);
  expect(await at.set.diff(after, inputs)).toEqual({ changes: "none", replaces: [] });
  expect(await at.set.read(after)).toEqual({ id: held.id, properties: after.state, inputs: undefined });
  return after;
}

describe("a set in which keys fail", { concurrent: true }, () => {
  test("creates the other keys, and the next update creates the failed one", async (context) => {
    const at = await stage(context);
    const inputs = await declared(at, three);
    at.standIn.inject({
      endpoint: "createApiKey",
      when: named("b"),
      fault: { kind: "status", status: 403 },
      ...forEver,
    });
    const { lines, held } = await failed(at.set.create(inputs));
    expect(lines).toEqual([
      "Creating the keys of workspace ws_main: 1 of 3 failed. State records what succeeded. Do what the lines below say, then run `pulumi up` again.",
      expect.stringMatching(
        /^"b": Creating key "b" in workspace ws_main: the service answered 403 .*Nothing was created\./,
      ),
    ]);
    expect(Object.keys(held?.state["keys"] as object)).toEqual(["a", "c"]);
    expect(await at.set.diff(held as Held, inputs)).toEqual({ changes: "unknown", replaces: [] });
    await converges(at, held as Held, inputs, ["createApiKey"]);
    expect(live(at)).toEqual(["a", "b", "c"]);
  });

  test("leaves no state if all creates fail, and says that nothing was created", async (context) => {
    const at = await stage(context);
    at.standIn.inject({ endpoint: "createApiKey", fault: { kind: "status", status: 403 }, ...forEver });
    const { lines, held } = await failed(at.set.create(await declared(at, three)));
    expect(lines[0]).toBe(
      "Creating the keys of workspace ws_main: 3 of 3 failed. Nothing was created; run `pulumi up` again after fixing the cause.",
    );
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(
        /^For each of 3 keys \("a", "b", "c"\): the service answered 403 .*Nothing was created\. Check that/,
      ),
    ]);
    expect(held).toBeUndefined();
    expect(live(at)).toEqual([]);
  });

  test("groups keys by the reason of their failure, and names what each lost answer may have created", async (context) => {
    const at = await stage(context);
    const lost = ["k3", "k4"];
    const isLost = (request: LoggedRequest) => lost.some((name) => named(name)(request));
    at.standIn.inject({ endpoint: "createApiKey", when: isLost, fault: { kind: "resetAfter" }, ...forEver });
    at.standIn.inject({ endpoint: "createApiKey", fault: { kind: "status", status: 403 }, ...forEver });
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, place) => [`k${place}`, {}]));
    const { lines } = await failed(at.set.create(await declared(at, many)));
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^For each of 48 keys \("k0", "k1", "k10", .* and 28 more\): .* 403 /),
      expect.stringMatching(/^For each of 2 keys \("k3", "k4"\): .*its secret is lost/),
    ]);
    for (const { id } of at.standIn.keys()) expect(lines[2]).toContain(`${id} (created `);
  });

  test.for([{ kind: "errorAfter" }, { kind: "resetAfter" }, { kind: "truncated" }] as const)(
    "names the key that a lost answer may have created: $kind",
    async (fault, context) => {
      const at = await stage(context);
      const inputs = await declared(at, three);
      at.standIn.inject({ endpoint: "createApiKey", when: named("b"), fault, ...forEver });
      const { lines, held } = await failed(at.set.create(inputs));
      expect(lines).toHaveLength(2);
      const lost = at.standIn.keys().find(({ name }) => name === "b");
      expect(lines[1]).toMatch(/^"b": Creating key "b" .*its secret is lost/);
      expect(lines[1]).toContain(lost?.id);
      expect(Object.keys(held?.state["ids"] as object)).toEqual(["a", "c"]);
      await converges(at, held as Held, inputs, ["createApiKey"]);
    },
  );

  test("K6 has keys without a secret in state, and replaces them in the next update", async (context) => {
    const at = await stage(context);
    const inputs = await declared(at, three);
    at.standIn.setVariant({ delete: "marks", createAnswer: "withoutKey" });
    const { held: lost } = await failed(at.set.create(inputs));
    const each = { __keyLost: true };
    expect((lost as Held).state).toMatchObject({ __keys: { a: each, b: each, c: each }, secrets: {} });
    expect(await at.set.diff(lost as Held, inputs)).toEqual({ changes: "some", replaces: [] });
    at.standIn.setVariant({ delete: "marks" });
    const after = await converges(at, lost as Held, inputs, [
      ...["createApiKey", "createApiKey", "createApiKey"],
      ...["deleteApiKey", "deleteApiKey", "deleteApiKey"],
    ]);
    expect(Object.keys(after.state["secrets"] as object)).toEqual(["a", "b", "c"]);
    expect(live(at)).toEqual(["a", "b", "c"]);
  });

  test("records a failed edit's old value over the new defaults, and the next update edits the key", async (context) => {
    const at = await stage(context);
    const before = await declared(at, three);
    const held = await at.set.create(before);
    const inputs = { ...before, defaults: { customerId: "cus_1", enabled: false } };
    const path = `/api-key/${idOf(held, "b")}`;
    at.standIn.inject({
      endpoint: "editApiKey",
      when: (request) => request.path.endsWith(path),
      fault: { kind: "status", status: 403 },
      ...forEver,
    });
    const { lines, held: kept } = await failed(at.set.update(held, inputs));
    expect(lines[0]).toMatch(
      /^Updating the keys of workspace ws_main: 1 of 3 failed\. State records what succeeded\. Do what the lines below say, then run `pulumi up` again\.$/,
    );
    expect(kept?.state["keys"]).toEqual({ a: {}, b: { enabled: true }, c: {} });
    expect(await at.set.diff(kept as Held, inputs)).toEqual({ changes: "unknown", replaces: [] });
    await converges(at, kept as Held, inputs, ["editApiKey"]);
  });

  test("deletes a replaced or removed key in the next update if its delete fails", async (context) => {
    const at = await stage(context);
    const before = await declared(at, three);
    const held = await at.set.create(before);
    const inputs = await declared(at, { a: { prefix: "new" }, b: {} }, before);
    at.standIn.inject({ endpoint: "deleteApiKey", fault: { kind: "status", status: 403 }, ...forEver });
    const { lines, held: kept } = await failed(at.set.update(held, inputs));
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^For each of 2 keys \("a", "c"\): .* 403 .*It stays in state\./),
    ]);
    expect(idOf(kept, "a")).not.toBe(idOf(held, "a"));
    expect(kept?.state["__toDelete"]).toEqual([{ id: idOf(held, "a"), name: "a" }]);
    expect(idOf(kept, "c")).toBe(idOf(held, "c"));
    expect(await at.set.diff(kept as Held, inputs)).toEqual({ changes: "some", replaces: [] });
    const after = await converges(at, kept as Held, inputs, ["deleteApiKey", "deleteApiKey"]);
    expect(after.state).not.toHaveProperty("__toDelete");
    expect(live(at)).toEqual(["a", "b"]);
  });

  test("keeps the old key if the create of its replacement fails", async (context) => {
    const at = await stage(context);
    const before = await declared(at, three);
    const held = await at.set.create(before);
    const inputs = await declared(at, { ...three, a: { prefix: "new" } }, before);
    at.standIn.inject({ endpoint: "createApiKey", fault: { kind: "status", status: 403 }, ...forEver });
    const { held: kept } = await failed(at.set.update(held, inputs));
    expect(kept?.state).toEqual({ ...held.state, __failed: true });
    expect(writes(at)).not.toContain("deleteApiKey");
    await converges(at, kept as Held, inputs, ["createApiKey", "deleteApiKey"]);
  });

  test("R6 fails a refresh with the aliases of keys that can't be read, and state stays", async (context) => {
    const at = await stage(context);
    const held = await at.set.create(await declared(at, three));
    at.standIn.inject({
      endpoint: ["readApiKey", "listApiKeys"],
      fault: { kind: "status", status: 403 },
      ...forEver,
    });
    const { lines } = await failed(at.set.read(held));
    expect(lines[0]).toBe(
      "Reading the keys of workspace ws_main: 3 of 3 failed. State is unchanged; run the command again.",
    );
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^For each of 3 keys \("a", "b", "c"\): /)]);
  });

  test("R7 deletes the rest in the next destroy if one delete fails", async (context) => {
    const at = await stage(context);
    const held = await at.set.create(await declared(at, three));
    const path = `/api-key/${idOf(held, "b")}`;
    const when = (request: LoggedRequest) => request.path.endsWith(path);
    at.standIn.inject({ endpoint: "deleteApiKey", when, fault: { kind: "status", status: 403 }, ...forEver });
    const { lines } = await failed(at.set.delete(held));
    expect(lines[0]).toMatch(
      /^Deleting the keys of workspace ws_main: 1 of 3 failed\. The resource stays in state/,
    );
    expect(live(at)).toEqual(["b"]);
    at.standIn.clearFaults();
    await at.set.delete(held);
    expect(live(at)).toEqual([]);
  });
});
