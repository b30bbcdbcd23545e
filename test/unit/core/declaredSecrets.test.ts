import { expect, test } from "vitest";
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

const base = { workspaceId: "ws_1", customerId: "c" };
/** Long enough to be masked wherever it appears. */
const name = "Nightingale Bank of the North";
const secretName = { name, __secrets: [["name"]] };

/** Refuses each write, and repeats the request in the error. */
const echoing = ({ method, path, body }: Asked): unknown => {
  if (method === "GET" && path.endsWith("/api-key")) return { apiKeys: [] };
  if (method === "GET" && path.endsWith("/scopes")) return { scopes: [] };
  if (method === "GET") return { workspace: { id: "ws_1", defaultRateLimitPerSecond: 5 } };
  throw new CallError("refused", `the service answered 400 "${JSON.stringify(body)}"`, 400);
};

interface Case {
  readonly definition: AnyDefinition;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly secrets: readonly (readonly string[])[];
  /** A pattern that the message matches. */
  readonly says: RegExp;
  readonly hidden: readonly string[];
}

const creating = /^Creating the key in workspace ws_1: /;
test.each<[string, Case]>([
  [
    "a key with a secret name",
    {
      ...{ definition: apiKey, inputs: { ...base, name }, secrets: [["name"]], hidden: [name] },
      says: /^Creating the key in workspace ws_1: the service answered 400 "\{.*"name":"\[secret\]"/,
    },
  ],
  [
    "a key with a secret name of one letter",
    {
      ...{ definition: apiKey, inputs: { ...base, name: "Q" }, secrets: [["name"]], hidden: ["Q", "q"] },
      says: creating,
    },
  ],
  [
    "a key in a secret workspace",
    {
      definition: apiKey,
      inputs: { ...base, workspaceId: "ws_of_the_owls", name: "ci" },
      secrets: [["workspaceId"]],
      says: /^Creating key "ci" in workspace \[secret\]: .* Check that workspace \[secret\] exists, /,
      hidden: ["ws_of_the_owls"],
    },
  ],
  [
    "a key with a secret number and one secret entry of metadata",
    {
      definition: apiKey,
      inputs: { ...base, name: "ci", expiresAt: 1987654321, metadata: { team: "red", token: "falcon" } },
      secrets: [["expiresAt"], ["metadata", "token"]],
      says: /"expiresAt":\[secret\],"metadata":\{"team":"red","token":"\[secret\]"\}/,
      hidden: ["1987654321", "falcon"],
    },
  ],
  [
    "a scope with a secret representation",
    {
      definition: scope,
      inputs: { workspaceId: "ws_1", name: "Owls", representation: "owls:read" },
      secrets: [["representation"]],
      says: /^Creating the scope in workspace ws_1: /,
      hidden: ["owls:read"],
    },
  ],
  [
    "a secret number of credits",
    {
      definition: customerBilling,
      inputs: { workspaceId: "ws_1", totalCredits: "76543.50" },
      secrets: [["totalCredits"]],
      says: /^Granting credits in workspace ws_1: the service answered 400 "\{"totalCredits":"\[secret\]"/,
      hidden: ["76543"],
    },
  ],
  [
    "a workspace's secret prefix",
    {
      definition: workspaceSettings,
      inputs: { workspaceId: "ws_1", defaultKeyPrefix: "owl_" },
      secrets: [["defaultKeyPrefix"]],
      says: /^Setting the defaults of workspace ws_1: the service answered 400 "\{.*"defaultKeyPrefix":"\[secret\]"\}/,
      hidden: ["owl_"],
    },
  ],
  [
    "a set with a secret name and a secret default",
    {
      definition: apiKeySet,
      inputs: of({ acme: { name }, beta: {} }, { customerId: "of the owls" }),
      secrets: [
        ["defaults", "customerId"],
        ["keys", "*", "name"],
      ],
      says: /^Creating the keys of workspace ws_1: 2 of 2 failed.*\nFor each of 2 keys \("acme", "beta"\): the service answered 400 "\{.*"name":"\[secret\]"/,
      hidden: [name, "of the owls"],
    },
  ],
])("R16 a declared secret is masked in an error in which the service repeats it: %s", async (_, one) => {
  const { definition, inputs, secrets, says, hidden } = one;
  const subject = replying(definition, echoing);
  const plain = await failureOf(subject.create(subject.check(inputs, undefined).inputs));
  expect(plain.message).toContain(hidden[0]);
  const checked = subject.check({ ...inputs, __secrets: secrets }, undefined);
  expect(checked.failures).toEqual([]);
  const { message } = await failureOf(subject.create(checked.inputs));
  expect(message).toMatch(says);
  for (const text of hidden) expect(message).not.toContain(text);
});

test("R16 a declared secret is compared with the service's value like any other input", async () => {
  let held: Record<string, unknown> = {};
  const subject = replying(apiKey, ({ method, path, body }) => {
    if (method === "GET" && path.endsWith("/api-key")) return { apiKeys: [] };
    if (method !== "GET") held = { enabled: true, ...held, ...(body as object), id: "k" };
    return { apiKey: method === "POST" ? { ...held, key: "sk_1" } : held };
  });
  const { inputs } = subject.check({ ...base, ...secretName }, undefined);
  const { state } = await subject.create(inputs);
  expect(state).not.toHaveProperty("__observed");
  expect((await subject.read("k", state))?.state).toBe(state);
  const other = { name: `${name}, no longer` };
  held = { ...held, ...other };
  const { __secrets } = secretName;
  expect(await subject.read("k", state)).toMatchObject({ state: other, inputs: { ...other, __secrets } });
});

test("R16 a declared secret is masked in the error of an update that was not applied, and so is the service's value", async () => {
  const scopes = (representation: string) => [{ representation, read: true }];
  const had = { name: "Owl Ltd", enabled: false, scopes: scopes("owls") };
  const subject = replying(apiKey, ({ method }) =>
    method === "PATCH" ? {} : { apiKey: { ...had, id: "k" } },
  );
  const __secrets = [["name"], ["enabled"], ["scopes"]];
  const inputs = { ...base, name, enabled: true, scopes: scopes("falcons"), __secrets };
  const { message } = await failureOf(subject.update("k", { ...inputs, ...had, key: "sk_1" }, inputs));
  const one = (field: string) => `${field}: should be [secret], the service has [secret]`;
  expect(message).toContain([one("name"), one("scopes"), one("enabled")].join("; "));
  for (const text of [name, "Owl", "falcons", "owls"]) expect(message).not.toContain(text);
});

test("R16 a declared secret is masked in errors about settings that were not applied or not restored", async () => {
  let prefix = "owl_";
  const had = () => ({ id: "ws_1", defaultKeyPrefix: prefix, defaultRateLimitPerSecond: 5 });
  const subject = replying(workspaceSettings, ({ method }) =>
    method === "PATCH" ? {} : { workspace: had() },
  );
  const declared = {
    workspaceId: "ws_1",
    defaultRateLimitPerSecond: 5,
    onDestroy: "restore",
    defaultKeyPrefix: "falcon",
    __secrets: [["defaultKeyPrefix"]],
  };
  const created = await failureOf(subject.create(declared));
  expect(created.message).toContain("defaultKeyPrefix: should be [secret], the service has [secret]");
  prefix = "FALCON";
  const hidden = {
    __before: { defaultKeyPrefix: "kite" },
    __observed: { defaultKeyPrefix: prefix },
  };
  const state = { ...declared, ...hidden };
  const deleted = await failureOf(subject.delete("ws_1", state));
  expect(deleted.message).toContain("defaultKeyPrefix: should be [secret], the service has [secret]");
  for (const line of [created.message, deleted.message, ...subject.warnings])
    expect(line).not.toMatch(/owl|falcon|kite/i);
});

test("R16 a secret that only state has is masked in the error of an update", async () => {
  const values = ["owl_", "falcon", "FALCON CO", "kite"];
  const subject = replying(workspaceSettings, ({ method }) => {
    if (method === "GET") return { workspace: { id: "ws_1", defaultKeyPrefix: "FALCON CO" } };
    throw new CallError("refused", `not ${values.join(", nor ")}`, 400);
  });
  const prefix = (defaultKeyPrefix: string) => ({ defaultKeyPrefix });
  const hidden = {
    __observed: prefix("FALCON CO"),
    __before: prefix("kite"),
  };
  const state = { workspaceId: "ws_1", ...prefix("falcon"), __secrets: [["defaultKeyPrefix"]], ...hidden };
  // An input that is no longer secret is still masked until the update is done.
  const inputs = { workspaceId: "ws_1", ...prefix("owl_"), __secrets: [] };
  const { message } = await failureOf(subject.update("ws_1", state, inputs));
  expect(message).toContain(`: not ${"[secret], nor ".repeat(3)}[secret].`);
});

test("R16 a declared secret is masked in a warning that lists the settings which are not restored", async () => {
  const had = { id: "ws_1", defaultKeyPrefix: "owl_", defaultRateLimitPerSecond: 5 };
  const reply = ({ method, body }: Asked) => ({
    workspace: method === "PATCH" ? { ...had, ...(body as object) } : had,
  });
  const subject = replying(workspaceSettings, reply);
  const inputs = { workspaceId: "ws_1", defaultKeyPrefix: "falcon_", defaultRateLimitPerSecond: 6 };
  const secret = { ...inputs, onDestroy: "restore", __secrets: [["defaultKeyPrefix"]] };
  const { id, state } = await subject.create(secret);
  subject.check(secret, undefined, "renamed");
  await subject.delete(id, state);
  expect(subject.warnings.join()).toContain("defaultKeyPrefix [secret], defaultRateLimitPerSecond 5");
});

test("R16 a secret name is left out of an error that names keys which a lost answer may have created", async () => {
  const keys: object[] = [];
  const subject = replying(apiKey, (asked) => {
    if (asked.method === "GET" && asked.path.endsWith("/api-key")) return { apiKeys: [...keys] };
    if (asked.method === "GET") return { workspace: { id: "ws_1" } };
    keys.push({ id: `key_of_${keys.length}`, name: nameIn(asked).toUpperCase(), customerId: "c" });
    throw new CallError("ambiguous", "the connection was reset");
  });
  const failures = [secretName, { name: "ci" }].map((inputs) =>
    failureOf(subject.create(subject.check({ ...base, ...inputs }, undefined).inputs)),
  );
  const [own, others] = (await Promise.all(failures)).map(({ message }) => message);
  expect(own).toMatch(/Keys that may be the new one: key_of_0\.$/);
  expect(others).toMatch(/Keys that may be the new one: key_of_1\.$/);
});

test("R16 a declared secret is not shown in the failure of another resource that declares the same value", () => {
  const subject = replying(apiKey, () => expect.unreachable("no request is made here"));
  const existingKey = "sk_of_both";
  const hidden = { workspaceId: "ws_of_owls", customerId: "owls", name, existingKey };
  const __secrets = Object.keys(hidden).map((input) => [input]);
  expect(subject.check({ ...hidden, __secrets }, undefined, "one").failures).toEqual([]);
  const { failures } = subject.check({ ...base, name: "ci", existingKey }, undefined, "two");
  expect(failures).toEqual([
    expect.stringMatching(/^existingKey: the resource one has or declares the same/),
  ]);
  for (const text of [name, existingKey, "owls"]) expect(failures.join()).not.toContain(text);
});

test("R16 a declared secret is masked in an error that describes the existing scope", async () => {
  const there = { id: "sc_1", name: "Falcons", representation: "owls", description: "all" };
  const subject = replying(scope, () => ({ scopes: [there] }));
  const inputs = { workspaceId: "ws_1", name: "Owls", representation: "owls", __secrets: [["name"]] };
  await expect(subject.create(inputs)).rejects.toThrow(
    'already has it (sc_1), with name [secret] and description "all"',
  );
});

const declared = (keys: object) => ({ ...of(keys, { customerId: "c" }), __secrets: [["keys", "*", "name"]] });

test("R16 keys of a set with secret names are named by alias and id, including those still to be deleted", async () => {
  const set = service({ undeletable: true });
  const [before, after] = [declared({ a: { name } }), declared({ a: { name, keepers: { k: "2" } } })];
  const first = await set.create(before);
  const failed = await failureOf(set.update(first, after, before));
  expect(failed.options.lines).toEqual([
    expect.stringMatching(/^"a": Deleting the key in workspace ws_1 \(key_1\): /),
  ]);
  const state = failed.kept?.state ?? {};
  set.diff(first.id, state, set.check(after, after).inputs);
  expect(set.notes.at(-1)).toBe('1 already replaced, still to delete: "key_1".');
  const { message } = await failureOf(set.delete(first.id, state));
  expect(message).toMatch(/For each of 2 keys \("a", "key_1"\): the service answered 403/);
  const all = [failed.message, message, ...set.warnings, ...set.notes].join("\n");
  expect(all).not.toContain("Nightingale");
});

test.each([[["keys", "a"]], [["keys"]]])(
  "R16 a former name that was secret with all of %j is in no later message",
  async (path) => {
    const set = service({ undeletable: true });
    const [before = {}, after = {}] = [{ name }, { name: "Wren", keepers: { k: "2" } }].map((entry) => ({
      ...of({ a: { customerId: "cus_of_a", ...entry } }),
      __secrets: [path],
    }));
    const first = await set.create(before);
    const { kept } = await failureOf(set.update(first, after, before));
    set.diff(first.id, kept?.state ?? {}, set.check(after, after).inputs);
    expect(set.notes.at(-1)).toMatch(/1 already replaced, still to delete: "key_1"\.$/);
  },
);

test("R16 a secret workspace is not in the line of a set's preview", async () => {
  const set = service();
  const [before, after] = [{ a: {} }, {}].map((keys) => ({
    ...of(keys, { customerId: "c" }),
    __secrets: [["workspaceId"]],
  }));
  const { id, state } = await set.create(before ?? {});
  set.diff(id, state, set.check(after ?? {}, before).inputs);
  expect(set.notes).toEqual(['1 to delete: "a".']);
});

test("R16 keys of a set with secret names that could not be rolled back are named by their ids", async () => {
  const run = openRun();
  const reply = (asked: Asked) => {
    if (asked.method === "GET") return { apiKeys: [] };
    if (asked.method === "DELETE") throw new CallError("refused", `no ${name}`, 403);
    run.stop("the run was interrupted");
    return { apiKey: { id: `key_${idIn(asked)}`, ...(asked.body as object), key: "sk_1" } };
  };
  const set = replying(apiKeySet, reply, { run });
  const { message } = await failureOf(set.create(set.check(declared({ a: { name } }), undefined).inputs));
  expect(set.warnings.join()).toContain("Keys of workspace ws_1 (key_api-key): the run ended");
  expect([message, ...set.warnings].join("\n")).not.toContain("Nightingale");
});
