import { expect, it } from "vitest";
import type { Outcome } from "../../tools/engine/stack";
import { isAll } from "../all";
import { expectKept, expectQuiet, expectSilentUp, onlyError, sentTo, stepsFor } from "./expectations";
import { createFixture, type Fixture, type FixtureOptions } from "./fixture";

/** A program, and the values in it that must be seen nowhere. */
interface Declared {
  readonly hidden: readonly string[];
  readonly program: string;
}

/** Every kind of resource with secrets in its inputs; `turn` changes what can change in place. */
function everyKind(turn: string): Declared {
  const values = {
    name: `  Nightingale ${turn} `,
    customer: "whistler-77",
    prefix: "heronpfx",
    orders: `kestrel-${turn}`,
    note: "falcon-note",
    optional: `Wagtail ${turn}`,
    optionalNote: "dunlin-note",
    default: `ibis${turn}`,
    scopeName: "Secretary Bird",
    scope: "plover-scope",
    description: "rook-description",
    entry: `Jackdaw ${turn}`,
    entryCustomer: "jackdaw-78",
    entryPrefix: "goldcrestpfx",
    usual: `lapwing-${turn}`,
    meter: "siskin-meter",
  };
  const place = ["first", "second", "third"].indexOf(turn);
  const numbers = { expiresAt: 1987654321, rate: 43210 + 10_000 * place, credits: "76543.5" };
  const address = `198.51.100.${77 + place}`;
  const program = `import * as pulumi from "@pulumi/pulumi";
import { ApiKey, ApiKeySet, CustomerBilling, Scope, WorkspaceSettings } from "pulumi-apikeys";

const s = pulumi.secret;
const workspaceId = "ws_main";
const key = new ApiKey("key", {
  workspaceId,
  customerId: s("${values.customer}"),
  name: s("${values.name}"),
  prefix: s("${values.prefix}"),
  expiresAt: s(${numbers.expiresAt}),
  scopes: [{ representation: s("${values.orders}"), read: true }],
  metadata: { team: "red", token: s("${values.note}") },
});
new ApiKey("optional", { workspaceId, customerId: "open", name: "${values.optional}",
  metadata: { token: "${values.optionalNote}" } }, { additionalSecretOutputs: ["name", "metadata"] });
new WorkspaceSettings("settings", {
  workspaceId: "ws_third",
  defaultKeyPrefix: s("${values.default}"),
  defaultAllowedIPs: [s("${address}")],
  defaultRateLimitPerSecond: s(${numbers.rate}),
  onDestroy: "restore",
});
new Scope("scope", {
  workspaceId,
  name: s("${values.scopeName}"),
  representation: s("${values.scope}"),
  description: s("${values.description}"),
});
new ApiKeySet("set", {
  workspaceId: "ws_second",
  defaults: { customerId: "open", scopes: [{ representation: s("${values.usual}"), read: true }] },
  keys: {
    acme: { customerId: s("${values.entryCustomer}"), name: s("${values.entry}") },
    beta: { prefix: s("${values.entryPrefix}"), name: "Beta ${turn}" },
  },
});
new CustomerBilling("billing", {
  workspaceId,
  totalCredits: s("${numbers.credits}"),
  externalMeterId: s("${values.meter}"),
});
export const keyId = key.id;
`;
  const texts = [...Object.values(values), ...Object.values(numbers).map(String), address];
  return { hidden: texts.map((text) => text.trim()), program };
}

const formerPrefix = "egretprefix";
const tenants = [
  {
    name: "acme",
    accessToken: "token-of-the-secrets",
    workspaces: [
      { id: "ws_main", name: "Main" },
      { id: "ws_second", name: "Second" },
      { id: "ws_third", name: "Third", defaultKeyPrefix: formerPrefix, defaultRateLimitPerSecond: 30 },
    ],
  },
];

/** A fixture that knows which values it must never show, also in lower case, as the service may spell them. */
async function createSecretFixture(name: string, options: FixtureOptions) {
  const fixture = await createFixture(name, { tenants, ...options });
  const hidden = new Set<string>();
  return {
    fixture,
    hide: (...texts: readonly string[]) => {
      for (const text of texts) for (const one of [text, text.toLowerCase()]) hidden.add(one);
    },
    /** The output so far, the state and all files of the project contain none of the values. */
    async expectHidden() {
      expect(hidden.size).toBeGreaterThan(0);
      const exported = JSON.stringify(await fixture.stack.exportState());
      await expectKept([...hidden], [...fixture.printed, exported], fixture.project.dir);
    },
  };
}

/** With a program of every kind of resource, in which it hides all that is secret. */
async function createFixtureOfEveryKind(name: string) {
  const kept = await createSecretFixture(name, { variant: "normalizing" });
  const declare = async (turn: string) => {
    const { hidden, program } = everyKind(turn);
    kept.hide(formerPrefix, ...hidden);
    await kept.fixture.declare(program);
  };
  return { ...kept, declare };
}

/** By the resource's name. */
async function outputsOf({ stack }: Fixture) {
  const { resources = [] } = await stack.exportState({ showSecrets: true });
  return new Map(resources.map(({ urn, outputs }) => [urn.split("::").at(-1) ?? "", outputs ?? {}]));
}

function succeeded(outcome: Outcome): Outcome {
  expect(outcome.ok, outcome.output).toBe(true);
  return outcome;
}

it("R16 values that the program made secret are neither in outputs, messages and files of any command, nor in plain text in state", async () => {
  const { declare, ...kept } = await createFixtureOfEveryKind("declared-secrets");
  const { fixture } = kept;
  await declare("first");
  succeeded(await fixture.stack.up({ diff: true }));
  expect(fixture.service.keys().map(({ name }) => name)).toContain("nightingale first");
  await kept.expectHidden();
  const outputs = await outputsOf(fixture);
  const { name, __observed, effectivePrefix, createdAt } = outputs.get("key") ?? {};
  for (const value of [name, __observed, effectivePrefix, createdAt])
    expect(value).toHaveProperty("plaintext");
  expect(outputs.get("set")?.["ids"]).toHaveProperty("plaintext");
  // Inputs that are not secret stay in plain text.
  expect(outputs.get("optional")).toMatchObject({ workspaceId: "ws_main", customerId: "open" });
  expect(Object.keys(outputs.get("set")?.["keys"] ?? {})).toEqual(["acme", "beta"]);
  // The destroy restores settings, which the "normalizing" variant would rewrite.
  fixture.service.setVariant({});
  const { output } = succeeded(await fixture.stack.destroy());
  expect(output).toMatch(/The scope in workspace ws_main \(\S+\) stays in the service/);
  expect(output).toMatch(/The credits of \S+ in workspace ws_main stay in the service/);
  await kept.expectHidden();
});

it.runIf(isAll)(
  "R16 values that the program made secret stay so in refreshes and in updates that fail",
  async () => {
    const { declare, ...kept } = await createFixtureOfEveryKind("declared-secrets-again");
    const { fixture } = kept;
    await declare("first");
    const keyNamed = (name: string) =>
      fixture.service.keys({ deleted: false }).find((key) => key.name.toLowerCase() === name.toLowerCase())
        ?.id ?? `no key ${name}`;
    succeeded(await fixture.stack.up({ diff: true }));
    succeeded(await fixture.stack.preview({ diff: true }));
    await expectQuiet(fixture);

    // A refresh finds these values in their place. They are secret too.
    const drift = {
      name: "Bittern",
      optional: "Dipper",
      scope: "curlew-scope",
      prefix: "teal_",
      customer: "cust-wigeon",
      entry: "Sanderling",
      default: "gadwall_",
      address: "203.0.113.99/32",
      rate: 98760,
    };
    kept.hide(...Object.values(drift).map(String));
    fixture.service.editKey(keyNamed("nightingale first"), {
      name: drift.name,
      scopes: [{ representation: drift.scope, read: true }],
      prefix: drift.prefix,
      customerId: drift.customer,
    });
    fixture.service.editKey(keyNamed("wagtail first"), { name: drift.optional });
    fixture.service.editKey(keyNamed("jackdaw first"), { name: drift.entry, scopes: [] });
    fixture.service.editKey(keyNamed("beta first"), {
      scopes: [{ representation: drift.scope, update: true }],
    });
    fixture.service.editWorkspace("ws_third", {
      defaultKeyPrefix: drift.default,
      defaultAllowedIPs: [drift.address],
      defaultRateLimitPerSecond: drift.rate,
    });
    const refresh = succeeded(await fixture.stack.refresh());
    expect(stepsFor(refresh, "key")).toMatchObject([{ op: "update" }]);
    const drifted = succeeded(await fixture.stack.preview({ diff: true }));
    expect(drifted.changes, drifted.output).toMatchObject({ update: 4 });
    expect(stepsFor(drifted, "set")[0]?.diffs).toEqual(["keys"]);
    await kept.expectHidden();
    succeeded(await fixture.stack.previewRefresh({ diff: true }));
    succeeded(await fixture.stack.up({ diff: true }));
    await kept.expectHidden();

    // The service refuses the update, with an echo of the request.
    fixture.service.setVariant({ errorEchoes: "request" });
    fixture.service.inject({
      endpoint: ["editApiKey", "editWorkspace"],
      times: Number.POSITIVE_INFINITY,
      fault: { kind: "status", status: 400 },
    });
    await declare("second");
    const refused = await fixture.stack.up({ diff: true });
    const line = onlyError(refused, "key");
    expect(line).toMatch(/^Updating the key in workspace ws_main \(key_\w+\): the service answered 400/);
    expect(line).toContain("{'name':'[secret]','scopes':[{'representation':'[secret]'");
    await kept.expectHidden();
    fixture.service.clearFaults();
    fixture.service.setVariant({});

    // The update fails halfway, which state stores.
    await declare("third");
    // The service answers 200, but applies nothing.
    fixture.service.inject({
      endpoint: ["editApiKey", "editWorkspace"],
      times: Number.POSITIVE_INFINITY,
      fault: { kind: "status", status: 200, body: {} },
    });
    const halfway = await fixture.stack.up({ diff: true, args: ["--continue-on-error"] });
    fixture.service.clearFaults();
    expect(halfway.ok).toBe(false);
    expect(halfway.output).toContain("name: should be [secret], the service has [secret]");
    expect(halfway.output).toContain("scopes: should be [secret], the service has [secret]");
    expect(halfway.output).toContain("defaultKeyPrefix: should be [secret], the service has [secret]");
    await kept.expectHidden();
    const { resources = [] } = await fixture.stack.exportState();
    const broken = resources.filter(({ initErrors = [] }) => initErrors.length > 0);
    expect(broken.map(({ urn }) => urn.split("::").at(-1)).toSorted()).toEqual([
      "key",
      "optional",
      "set",
      "settings",
    ]);
    succeeded(await fixture.stack.refresh({ args: ["--diff"] }));
    await kept.expectHidden();
    succeeded(await fixture.stack.up({ diff: true }));
    await expectSilentUp(fixture);
    fixture.service.inject({ endpoint: "deleteApiKey", times: 3, fault: { kind: "status", status: 403 } });
    const failed = await fixture.stack.destroy();
    fixture.service.clearFaults();
    expect(failed.error).toMatch(
      /Deleting the key in workspace ws_\w+ \(key_\w+\): the service answered 403/,
    );
    await kept.expectHidden();
    succeeded(await fixture.stack.up());
  },
);

it("R16 values that the program makes secret, or no longer secret, take one update of each resource, and no request", async () => {
  const fixture = await createFixture("changed-secrecy", { tenants, variant: "normalizing" });
  const texts = ["Nightingale", "heronpfx", "kestrel", "ibispfx", "plover", "Jackdaw", "lapwing", "76543"];
  const declare = (mark: "s" | "") =>
    fixture.declare(`import * as pulumi from "@pulumi/pulumi";
import { ApiKey, ApiKeySet, CustomerBilling, Scope, WorkspaceSettings } from "pulumi-apikeys";

const s = pulumi.secret;
const workspaceId = "ws_main";
new ApiKey("key", {
  workspaceId,
  customerId: "open",
  name: ${mark}("  Nightingale "),
  prefix: ${mark}("heronpfx"),
  scopes: [{ representation: ${mark}("kestrel"), read: true }],
});
new ApiKey("optional", { workspaceId, customerId: "open", name: "Nightingale, optional" },
  ${mark === "s" ? '{ additionalSecretOutputs: ["name"] }' : "{}"});
new WorkspaceSettings("settings", { workspaceId: "ws_third", defaultKeyPrefix: ${mark}("ibispfx") });
new Scope("scope", { workspaceId, name: "Birds", representation: ${mark}("plover") });
new ApiKeySet("set", {
  workspaceId: "ws_second",
  defaults: { customerId: "open", scopes: [{ representation: ${mark}("lapwing"), read: true }] },
  keys: { acme: { name: ${mark}("Jackdaw") }, beta: {} },
});
new CustomerBilling("billing", { workspaceId, totalCredits: ${mark}("76543") });
`);
  const state = async () => {
    const { resources = [] } = await fixture.stack.exportState();
    return new Map(
      resources.map(({ urn, inputs, outputs }) => {
        const text = JSON.stringify({ inputs, outputs }).toLowerCase();
        return [urn.split("::").at(-1) ?? "", texts.filter((one) => text.includes(one.toLowerCase()))];
      }),
    );
  };
  const inPlain = new Map([
    ["key", ["Nightingale", "heronpfx", "kestrel"]],
    ["optional", ["Nightingale"]],
    ["settings", ["ibispfx"]],
    ["scope", ["plover"]],
    ["set", ["Jackdaw", "lapwing"]],
    ["billing", ["76543"]],
  ]);
  const kinds = [...inPlain.keys()];
  await declare("");
  succeeded(await fixture.stack.up());
  for (const mark of isAll ? (["s", "", "s"] as const) : (["s"] as const)) {
    await declare(mark);
    fixture.service.clearRequests();
    const preview = succeeded(await fixture.stack.preview({ diff: true }));
    const up = succeeded(await fixture.stack.up());
    for (const { changes, output } of [preview, up])
      expect(changes, output).toEqual({ same: 1, update: kinds.length });
    for (const { detailedDiff, diffs } of up.steps) {
      expect([...diffs, ...Object.keys(detailedDiff)].filter((name) => name.startsWith("__"))).toEqual([]);
    }
    expect(sentTo(fixture.service)).toEqual([]);
    const now = await state();
    for (const name of kinds)
      expect(now.get(name)?.toSorted(), name).toEqual(mark === "s" ? [] : inPlain.get(name)?.toSorted());
    await expectSilentUp(fixture);
    if (isAll) await expectQuiet(fixture);
  }
});
