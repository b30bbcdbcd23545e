import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError } from "../../../provider/client/send";
import type { AnyDefinition } from "../../../provider/core/definition";
import { openRun } from "../../../provider/core/run";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { customerBilling } from "../../../provider/resources/customerBilling";
import { scope } from "../../../provider/resources/scope";
import { workspaceSettings } from "../../../provider/resources/workspaceSettings";
import { of, service } from "../apiKeySet/setService";
import { type Asked, failureOf, idIn, nameIn, replying } from "../replying";

beforeEach(() => {
  vi.useFakeTimers();
  vi.setTimerTickMode("nextTimerAsync");
});
afterEach(() => void vi.useRealTimers());

const base = { workspaceId: "ws_1", customerId: "c" };
/** Long enough to be masked wherever it appears. */
const name = "Nightingale Bank of the North";

/** Refuses each write, and repeats the request in the error. */
const echoing = ({ method, path, body }: Asked): unknown => {
  if (method === "GET" && path.endsWith("/api-key")) return { apiKeys: [] };
  if (method === "GET" && path.endsWith("/scopes")) return { scopes: [] };
  if (method === "GET" && path.includes("/api-key/"))
    return { apiKey: { id: "k", enabled: true, scopes: [] } };
  if (method === "GET") return { workspace: { id: "ws_1", defaultRateLimitPerSecond: 5 } };
  throw new CallError("refused", `the service answered 400 "${JSON.stringify(body)}"`, 400);
};

interface Case {
  readonly definition: AnyDefinition;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly secrets: readonly (readonly string[])[];
  /** What the message matches. */
  readonly says: RegExp;
  readonly hidden: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  "a key with a secret name": {
    definition: apiKey,
    inputs: { ...base, name },
    secrets: [["name"]],
    says: /^Creating the key in workspace ws_1: the service answered 400 "\{.*"name":"\[secret\]"/,
    hidden: [name],
  },
  "a key with a secret name of one letter": {
    definition: apiKey,
    inputs: { ...base, name: "Q" },
    secrets: [["name"]],
    says: /^Creating the key in workspace ws_1: /,
    hidden: ["Q", "q"],
  },
  "a key in a secret workspace": {
    definition: apiKey,
    inputs: { ...base, workspaceId: "ws_of_the_owls", name: "ci" },
    secrets: [["workspaceId"]],
    says: /^Creating key "ci" in workspace \[secret\]: .* Check that workspace \[secret\] exists, /,
    hidden: ["ws_of_the_owls"],
  },
  "a key with a secret number and one secret entry of metadata": {
    definition: apiKey,
    inputs: { ...base, name: "ci", expiresAt: 1987654321, metadata: { team: "red", token: "falcon" } },
    secrets: [["expiresAt"], ["metadata", "token"]],
    says: /"expiresAt":\[secret\],"metadata":\{"team":"red","token":"\[secret\]"\}/,
    hidden: ["1987654321", "falcon"],
  },
  "a scope with a secret representation": {
    definition: scope,
    inputs: { workspaceId: "ws_1", name: "Owls", representation: "owls:read" },
    secrets: [["representation"]],
    says: /^Creating the scope in workspace ws_1: /,
    hidden: ["owls:read"],
  },
  "a secret number of credits": {
    definition: customerBilling,
    inputs: { workspaceId: "ws_1", totalCredits: "76543.50" },
    secrets: [["totalCredits"]],
    says: /^Granting credits in workspace ws_1: the service answered 400 "\{"totalCredits":"\[secret\]"/,
    hidden: ["76543"],
  },
  "a workspace's secret prefix": {
    definition: workspaceSettings,
    inputs: { workspaceId: "ws_1", defaultKeyPrefix: "owl_" },
    secrets: [["defaultKeyPrefix"]],
    says: /^Setting the defaults of workspace ws_1: the service answered 400 "\{.*"defaultKeyPrefix":"\[secret\]"\}/,
    hidden: ["owl_"],
  },
  "a set with a secret name and a secret default": {
    definition: apiKeySet,
    inputs: {
      workspaceId: "ws_1",
      defaults: { customerId: "of the owls" },
      keys: { acme: { name }, beta: {} },
    },
    secrets: [
      ["defaults", "customerId"],
      ["keys", "*", "name"],
    ],
    says: /^Creating the keys of workspace ws_1: 2 of 2 failed.*\nFor each of 2 keys \("acme", "beta"\): the service answered 400 "\{.*"name":"\[secret\]"/,
    hidden: [name, "of the owls"],
  },
};

describe("R16 an input that the program made secret", () => {
  test.each(Object.entries(cases))(
    "is masked in an error in which the service repeats it: %s",
    async (_, { definition, inputs, secrets, says, hidden }) => {
      const subject = replying(definition, echoing);
      const plain = await failureOf(subject.create(subject.check(inputs, undefined).inputs));
      for (const text of hidden.slice(0, 1)) expect(plain.message).toContain(text);
      const checked = subject.check({ ...inputs, __secrets: secrets }, undefined);
      expect(checked.failures).toEqual([]);
      const { message } = await failureOf(subject.create(checked.inputs));
      expect(message).toMatch(says);
      for (const text of hidden) expect(message).not.toContain(text);
    },
  );

  test("is compared with the service's value like any other input", async () => {
    let held: Record<string, unknown> = {};
    const subject = replying(apiKey, ({ method, path, body }) => {
      if (method === "GET" && path.endsWith("/api-key")) return { apiKeys: [] };
      if (method !== "GET") held = { enabled: true, ...held, ...(body as object), id: "k" };
      return { apiKey: method === "POST" ? { ...held, key: "sk_1" } : held };
    });
    const inputs = { ...base, name, __secrets: [["name"]] };
    const { state } = await subject.create(subject.check(inputs, undefined).inputs);
    expect(state).toMatchObject({ name });
    expect(state).not.toHaveProperty("__observed");
    expect((await subject.read("k", state))?.state).toBe(state);
    held = { ...held, name: `${name}, no longer` };
    const read = await subject.read("k", state);
    expect(read).toMatchObject({ state: { name: held["name"] }, inputs: { name: held["name"] } });
    expect(read?.inputs).toMatchObject({ __secrets: [["name"]] });
  });

  test("is masked in the error of an update that was not applied, and so is the service's value", async () => {
    const had = {
      id: "k",
      name: "Owl Ltd",
      enabled: false,
      scopes: [{ representation: "owls", read: true }],
    };
    const subject = replying(apiKey, ({ method }) => (method === "PATCH" ? {} : { apiKey: had }));
    const scopes = [{ representation: "falcons", read: true }];
    const inputs = { ...base, name, enabled: true, scopes };
    const secrets = [["name"], ["enabled"], ["scopes"]];
    const state = { ...inputs, name: "Owl Ltd", enabled: false, key: "sk_1", __secrets: secrets };
    const { message } = await failureOf(subject.update("k", state, { ...inputs, __secrets: secrets }));
    const one = (field: string) => `${field}: the program has [secret], the service still has [secret]`;
    expect(message).toContain([one("name"), one("scopes"), one("enabled")].join("; "));
    for (const text of [name, "Owl", "falcons", "owls"]) expect(message).not.toContain(text);
  });

  test("is masked in errors about settings that were not applied or not restored", async () => {
    let prefix = "owl_";
    const had = () => ({ id: "ws_1", defaultKeyPrefix: prefix, defaultRateLimitPerSecond: 5 });
    const subject = replying(workspaceSettings, ({ method }) =>
      method === "PATCH" ? {} : { workspace: had() },
    );
    const secrets = { onDestroy: "restore", __secrets: [["defaultKeyPrefix"]] };
    const declared = { workspaceId: "ws_1", defaultKeyPrefix: "falcon", defaultRateLimitPerSecond: 5 };
    const words = "defaultKeyPrefix: the program has [secret], the service still has [secret]";
    const created = await failureOf(subject.create({ ...declared, ...secrets }));
    expect(created.message).toContain(words);
    prefix = "FALCON";
    const state = { ...declared, ...secrets };
    const hidden = { __before: { defaultKeyPrefix: "kite" }, __observed: { defaultKeyPrefix: prefix } };
    const { defaultKeyPrefix: _, ...dropped } = declared;
    const inputs = { ...dropped, onDestroy: "restore" };
    const updated = await failureOf(subject.update("ws_1", { ...state, ...hidden }, inputs));
    const deleted = await failureOf(subject.delete("ws_1", { ...state, ...hidden }));
    prefix = "owl_";
    await subject.delete("ws_1", { ...state, ...hidden });
    expect(subject.warnings.join()).toContain("before: [secret])");
    for (const { message } of [updated, deleted]) {
      expect(message).toContain("defaultKeyPrefix: should be [secret] again, the service has [secret]");
    }
    for (const line of [created.message, updated.message, deleted.message, ...subject.warnings]) {
      expect(line).not.toMatch(/owl|falcon|kite/i);
    }
  });

  test("is masked in the error of an update, even if only state has it", async () => {
    const values = ["owl_", "falcon", "FALCON CO", "kite"];
    const subject = replying(workspaceSettings, ({ method }) => {
      if (method === "GET") return { workspace: { id: "ws_1", defaultKeyPrefix: "FALCON CO" } };
      throw new CallError("refused", `not ${values.join(", nor ")}`, 400);
    });
    const held = { workspaceId: "ws_1", defaultKeyPrefix: "falcon", __secrets: [["defaultKeyPrefix"]] };
    const hidden = (name: string, value: string) => ({ [name]: { defaultKeyPrefix: value } });
    const state = {
      ...held,
      ...hidden("__observed", "FALCON CO"),
      ...hidden("__before", "kite"),
    };
    const inputs = { workspaceId: "ws_1", defaultKeyPrefix: "owl_" };
    const { message } = await failureOf(subject.update("ws_1", state, { ...inputs, __secrets: [] }));
    // An input that is no longer secret is still masked until the update is done.
    expect(message).toContain(`: not ${"[secret], nor ".repeat(3)}[secret].`);
  });

  test("is masked in a warning that lists what to restore by hand", async () => {
    const run = openRun();
    const had = { id: "ws_1", defaultKeyPrefix: "owl_", defaultRateLimitPerSecond: 5 };
    const subject = replying(
      workspaceSettings,
      ({ method, body }) => {
        if (method === "PATCH") run.stop("the run was interrupted");
        return { workspace: method === "PATCH" ? { ...had, ...(body as object) } : had };
      },
      { run },
    );
    const inputs = { workspaceId: "ws_1", defaultKeyPrefix: "falcon_", defaultRateLimitPerSecond: 6 };
    const declared = { ...inputs, onDestroy: "restore", __secrets: [["defaultKeyPrefix"]] };
    await subject.create(declared);
    expect(subject.warnings.join()).toContain("defaultKeyPrefix [secret], defaultRateLimitPerSecond 5");
  });

  test("is left out of an error that names keys which a lost answer may have created", async () => {
    const keys: object[] = [];
    const subject = replying(apiKey, (asked) => {
      if (asked.method === "GET" && asked.path.endsWith("/api-key")) return { apiKeys: [...keys] };
      if (asked.method === "GET") return { workspace: { id: "ws_1" } };
      keys.push({ id: `key_of_${keys.length}`, name: nameIn(asked).toUpperCase(), customerId: "c" });
      throw new CallError("ambiguous", "the connection was reset");
    });
    const creating = (inputs: object) =>
      failureOf(subject.create(subject.check({ ...base, ...inputs }, undefined).inputs));
    const [own, others] = await Promise.all([
      creating({ name, __secrets: [["name"]] }),
      creating({ name: "ci" }),
    ]);
    expect(own.message).toMatch(/New in the workspace's list: key_of_0\. If no other stack/);
    expect(others.message).toMatch(/New in the workspace's list: key_of_1\. If no other stack/);
  });

  test("is not shown in the failure of another resource that declares the same value", () => {
    const subject = replying(apiKey, () => expect.unreachable("no request is made here"));
    const existingKey = "sk_of_both";
    const secrets = { __secrets: [["name"], ["workspaceId"], ["customerId"], ["existingKey"]] };
    const hidden = { workspaceId: "ws_of_owls", customerId: "owls", name, existingKey, ...secrets };
    expect(subject.check(hidden, undefined, "one").failures).toEqual([]);
    const { failures } = subject.check({ ...base, name: "ci", existingKey }, undefined, "two");
    expect(failures).toEqual([expect.stringMatching(/^existingKey: the resource one declares the same/)]);
    for (const text of [name, existingKey, "owls"]) expect(failures.join()).not.toContain(text);
  });

  test("is masked in an error that describes the existing scope", async () => {
    const there = { id: "sc_1", name: "Falcons", representation: "owls", description: "all" };
    const subject = replying(scope, () => ({ scopes: [there] }));
    const inputs = { workspaceId: "ws_1", name: "Owls", representation: "owls", __secrets: [["name"]] };
    await expect(subject.create(inputs)).rejects.toThrow(
      'already has it (sc_1), with name [secret] and description "all"',
    );
  });
});

describe("R16 the keys of a set", () => {
  const secrets = [["keys", "*", "name"]];
  const declared = (keys: object) => ({ ...of(keys, { customerId: "c" }), __secrets: secrets });

  test("with secret names are named by alias and id, including those that are still to be deleted", async () => {
    const set = service({ undeletable: true });
    const [before, after] = [declared({ a: { name } }), declared({ a: { name, keepers: { k: "2" } } })];
    const first = await set.create(before);
    const lines: string[] = [];
    const failed = await failureOf(set.update(first, after, before));
    lines.push(failed.message);
    expect(failed.lines).toEqual([
      expect.stringMatching(/^"a": Deleting the key in workspace ws_1 \(key_1\): /),
    ]);
    const { kept } = failed;
    set.diff(first.id, kept?.state ?? {}, set.check(after, after).inputs);
    expect(set.progress.at(-1)).toBe('Keys of workspace ws_1: 1 already replaced, still to delete: "key_1".');
    lines.push((await failureOf(set.delete(first.id, kept?.state ?? {}))).message);
    expect(lines.at(-1)).toMatch(/For each of 2 keys \("a", "key_1"\): the service answered 403/);
    expect([...lines, ...set.warnings, ...set.progress].join("\n")).not.toContain("Nightingale");
  });

  test("have a secret workspace masked in the preview's note", async () => {
    const set = service();
    const [before, after] = [of({ a: {} }, { customerId: "c" }), of({}, { customerId: "c" })].map(
      (inputs) => ({
        ...inputs,
        __secrets: [["workspaceId"]],
      }),
    );
    const { id, state } = await set.create(before ?? {});
    set.diff(id, state, set.check(after ?? {}, before).inputs);
    expect(set.progress).toEqual(['Keys of workspace [secret]: 1 to delete: "a".']);
  });

  test("that a failed create could not roll back are named by their ids", async () => {
    const run = openRun();
    const set = replying(
      apiKeySet,
      (asked) => {
        if (asked.method === "GET") return { apiKeys: [] };
        if (asked.method === "DELETE") throw new CallError("refused", `no ${name}`, 403);
        run.stop("the run was interrupted");
        return { apiKey: { id: `key_${idIn(asked)}`, ...(asked.body as object), key: "sk_1" } };
      },
      { run },
    );
    const { message } = await failureOf(set.create(set.check(declared({ a: { name } }), undefined).inputs));
    expect(set.warnings.join()).toContain("Keys of workspace ws_1 (key_api-key): the run ended");
    expect([message, ...set.warnings].join("\n")).not.toContain("Nightingale");
  });
});
