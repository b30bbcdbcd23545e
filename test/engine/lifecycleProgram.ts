import * as pulumi from "@pulumi/pulumi";
import { ApiKey, ApiKeySet, CustomerBilling, RotatingApiKey, Scope, WorkspaceSettings } from "pulumi-apikeys";

/** Each step has the changes of those before it. */
const steps = ["created", "respelled", "edited", "replaced", "vanished"];
const step = process.env["APIKEYS_STEP"] ?? "created";
const has = (change: string) => steps.indexOf(step) >= steps.indexOf(change);
const [respelled, edited, replaced] = [has("respelled"), has("edited"), has("replaced")];

const base = { workspaceId: "ws_main", customerId: "customer" };
const orders = { representation: "orders", read: true };
const carts = { representation: "carts", del: true };

const plain = new ApiKey("plain", base);
const named = new ApiKey("named", { ...base, name: edited ? "new name" : "old name" });
new ApiKey("switched", { ...base, enabled: !edited });
new ApiKey("scoped", { ...base, scopes: edited ? [orders, carts] : [{ ...orders, update: true }] });
const moved = new ApiKey("moved", { ...base, customerId: replaced ? "another" : "customer" });
const keepers = { month: replaced ? "june" : "may" };
new ApiKey("swapped", { ...base, keepers }, { deleteBeforeReplace: true });
new ApiKey("vanishing", { ...base, enabled: !has("vanished") });
const theirs = ApiKey.get("theirs", "key_theirs", { workspaceId: "ws_main" });

const empty = { name: "spelled", enabled: true, prefix: "", metadata: {}, keepers: {} };
const respelledScopes = [carts, { ...orders, create: false }, { representation: "none", del: false }];
const spelled = respelled
  ? { ...base, ...empty, scopes: respelledScopes }
  : { ...base, scopes: [orders, carts] };
// A state of another kind, which an alias brings.
const aliases = ["pulumi-nodejs:dynamic/apikeys:ApiKey", "apikeys:index:ApiKey"].map((type) => ({ type }));
if (step === "aliased") new RotatingApiKey("spelled", { ...base, rotateEvery: "90d" }, { aliases });
else new ApiKey("spelled", spelled);

const set = new ApiKeySet("set", {
  workspaceId: "ws_main",
  defaults: { customerId: "customer", scopes: [{ ...orders, representation: edited ? "bills" : "orders" }] },
  keys: {
    usual: {},
    narrowed: { scopes: [edited ? orders : { ...orders, update: true }] },
    prefixed: { prefix: replaced ? "new" : "old" },
    "by hand": { ...(respelled && { enabled: true }) },
    ...(replaced
      ? { late: {}, latter: { name: "former", renamedFrom: "former" } }
      : { early: {}, former: { name: "former" } }),
  },
});
const rotating = new RotatingApiKey("rotating", { ...base, rotateEvery: "90d", enabled: !edited });

const addresses = respelled ? ["10.1.9.9/16", "10.0.0.1/32", "10.0.0.1"] : ["10.0.0.1", "10.1.0.0/16"];
const settings = new WorkspaceSettings("settings", {
  workspaceId: "ws_settings",
  defaultAllowedIPs: addresses,
  defaultRateLimitPerSecond: edited ? 50 : 10,
  onDestroy: "restore",
});
new WorkspaceSettings("moving", {
  workspaceId: replaced ? "ws_entered" : "ws_left",
  defaultExpiration: 60,
  onDestroy: "restore",
});
const scope = new Scope("scope", { workspaceId: "ws_main", name: "Orders", representation: "orders" });
const representation = replaced ? "carts" : "baskets";
new Scope("renamed", { workspaceId: "ws_main", name: "Carts", representation });
const billing = new CustomerBilling("credits", {
  workspaceId: "ws_main",
  totalCredits: respelled ? 100 : "100.0",
  grant: replaced ? "june" : "may",
});

const absent = pulumi.output<unknown[]>([
  ...[named.externalMeterId, plain.effectiveExpiresAt, set.defaults, settings.defaultKeyPrefix],
  ...[rotating.previousKey, rotating.retiresAt, scope.description, billing.externalMeterId, theirs.prefix],
]);
new ApiKey("user of absent", { ...base, name: absent.apply((all) => `after ${all.filter(Boolean).length}`) });
const text = (output: pulumi.Output<string | undefined>) => output.apply((value) => value ?? "");
new ApiKey("user of named", { ...base, keepers: { of: text(named.maskedKey) } });
new ApiKey("user of moved", { ...base, keepers: { of: text(moved.maskedKey) } });
const usual = set.maskedKeys.apply((masked) => masked["usual"] ?? "");
new ApiKey("user of set", { ...base, keepers: { of: usual, secret: set.key("usual") } });

const wrong = { workspaceId: "", custmerId: "customer", metadata: "in the dark", existingKey: "in the dark" };
if (step === "wrong") new ApiKey("wrong", { ...wrong, prefix: "in the dark" } as never);

export const secrets = pulumi.all([plain.key, named.key, rotating.key, set.key("usual")]);
