import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { openRun } from "../../../provider/core/run";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { failureOf, idIn, nameIn, replying } from "../replying";
import { service } from "./setService";

const existingKey = "sk_value_of_long_ago";
const of = (keys: object) => ({ workspaceId: "ws_1", defaults: { customerId: "c" }, keys });

const many = Array.from({ length: 60 }, (_, place) => `k${place}`);

/** A set whose run ends at the first POST, on a service that loses the answer for the key "lost". */
function ended() {
  const run = openRun();
  const set = service({}, { run });
  set.always(
    ({ method }) => method === "POST",
    (answer) => {
      run.stop("the test ended it");
      const { apiKey } = answer() as { apiKey: { name: string } };
      if (apiKey.name === "lost") throw new CallError("ambiguous", "the connection was lost");
      return { apiKey };
    },
  );
  return set;
}

/** A set in state, with keys that exist. */
function held(set: ReturnType<typeof service>, aliases: readonly string[]) {
  const by = (prefix: string) => Object.fromEntries(aliases.map((alias) => [alias, prefix + alias]));
  for (const name of aliases)
    set.live.set(`of_${name}`, { id: `of_${name}`, name, customerId: "c", enabled: true, scopes: [] });
  const { inputs } = set.check(of(Object.fromEntries(aliases.map((alias) => [alias, {}]))), undefined);
  return { id: "keys-1", state: { ...inputs, ids: by("of_"), maskedKeys: {}, secrets: by("sk_") } };
}

describe("once the run is over,", () => {
  test("R20 a create that nobody saves deletes the keys that it created, and no existing one", async () => {
    const set = ended();
    const { message, kept } = await failureOf(set.create(of({ a: {}, b: {}, c: { existingKey } })));
    expect(message).toMatch(/^The result could not be saved to state because the test ended it\./);
    expect(kept).toBeUndefined();
    expect([...set.live.values()].map(({ name }) => name)).toEqual(["c"]);
    expect(set.warnings).toEqual([
      expect.stringMatching(/^Keys of workspace ws_1 \(key_3\): the run ended before /),
    ]);
  });

  test("R20 K6 an update that nobody saves deletes nothing, and the next one names its new keys", async () => {
    const set = ended();
    const { id, state } = held(set, ["b"]);
    const before = { ...state, toDelete: ["of_b"] };
    const { inputs } = set.check(of({ b: {}, c: {}, d: { existingKey } }), undefined);
    await set.update({ id, state: before }, inputs, of({ b: {} })).catch(() => {});
    expect([set.gone, set.warnings]).toEqual([[], []]);
    const next = replying(apiKeySet, set.reply);
    await next.update(id, before, inputs).catch(() => {});
    expect(next.warnings).toEqual([
      expect.stringMatching(/^"c": .* already has a key with the name and customer .* delete it.*: key_1 /),
      expect.stringMatching(/^"d": .* declare its id as existingId too \(don't delete it.*: key_2 /),
    ]);
  });

  test("R20 a warning names a key whose answer was lost in a create that nobody saves", async () => {
    const set = ended();
    await failureOf(set.create(of({ lost: {}, b: {} })));
    expect(set.warnings).toEqual([
      expect.stringMatching(
        /^"lost": APIKEYS3002: Creating key "lost" .*It is not known whether the key was created.*key_1/,
      ),
    ]);
  });

  test("R20 the keys that could not be deleted again are named", async () => {
    const set = ended();
    set.trouble.undeletable = true;
    const { message } = await failureOf(set.create(of({ a: {}, b: {} })));
    expect(set.warnings).toEqual([expect.stringMatching(/^Keys of workspace ws_1 \(key_1, key_2\): /)]);
    expect([message, ...set.warnings].join()).not.toContain("sk_key");
  });

  test("R20 no further key is created once the run is over", async () => {
    const set = ended();
    await failureOf(set.create(of(Object.fromEntries(many.map((alias) => [alias, {}])))));
    expect(new Set(set.calls.filter(({ method }) => method === "POST").map(nameIn)).size).toBeLessThan(20);
  });
});

describe("once the run is canceled,", () => {
  /** A set in state, in a run that is canceled during the first request of this method about a key. */
  function canceledAt(method: string) {
    const run = openRun();
    const set = service({}, { run });
    const kept = held(set, many);
    set.always(
      (asked) => asked.method === method && set.live.has(idIn(asked)),
      (answer) => {
        run.close("the run was canceled");
        return answer();
      },
    );
    const about = () => new Set(set.calls.filter((asked) => asked.method === method).map(idIn)).size;
    return { ...set, kept, about };
  }

  test.each(["DELETE", "GET"])(
    "R20 no further key of a set gets a %s once the run is canceled",
    async (method) => {
      const { kept, about, ...set } = canceledAt(method);
      const acting = method === "GET" ? set.read(kept.id, kept.state) : set.delete(kept.id, kept.state);
      const { message } = await failureOf(acting);
      expect(message).toMatch(/: \d+ of 60 failed\. .*Skipped: the run was canceled\./s);
      expect(about()).toBeLessThan(20);
    },
  );

  test("R20 no further key to delete is looked up once the run is canceled", async () => {
    const { about, ...set } = canceledAt("GET");
    const toDelete = many.map((alias) => `of_${alias}`);
    const { inputs } = set.check(of({}), undefined);
    const state = { ...inputs, ids: {}, maskedKeys: {}, secrets: {}, toDelete };
    await expect(set.read("keys-1", state)).rejects.toThrow("State is unchanged");
    expect(about()).toBeLessThan(20);
  });
});
