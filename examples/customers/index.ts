import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { type ApiKeyArgs, ApiKeySet, CustomerBilling } from "pulumi-apikeys";

interface Plan {
  readonly scopes: NonNullable<ApiKeyArgs["scopes"]>;
  /** What a customer of it is granted once. */
  readonly credits?: string;
}

interface Customer {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
}

const plans: Readonly<Record<string, Plan>> = {
  free: { scopes: [{ representation: "orders", read: true }] },
  pro: {
    scopes: [{ representation: "orders", create: true, read: true, update: true }],
    credits: "1000",
  },
  enterprise: {
    scopes: [
      { representation: "orders", create: true, read: true, update: true, del: true },
      { representation: "reports", read: true },
    ],
    credits: "25000",
  },
};

/** One line a customer: id,name,plan. No field is quoted, so none holds a comma. */
function customersIn(file: string): readonly Customer[] {
  const [head, ...lines] = readFileSync(join(__dirname, file), "utf8").trim().split(/\r?\n/);
  if (head !== "id,name,plan") throw new pulumi.RunError(`${file}: the first line must be id,name,plan`);
  const seen = new Set<string>();
  return lines.map((line, place) => {
    const wrong = (what: string) => new pulumi.RunError(`${file}, line ${place + 2}: ${what}`);
    const [id = "", name = "", plan = "", ...more] = line.split(",").map((field) => field.trim());
    if (id === "" || name === "" || more.length > 0) throw wrong("must be id,name,plan");
    if (seen.has(id)) throw wrong(`${id} stands there twice`);
    seen.add(id);
    if (!Object.hasOwn(plans, plan)) throw wrong(`the plan must be one of ${Object.keys(plans).join(", ")}`);
    return { id, name, plan };
  });
}

const config = new pulumi.Config();
const workspaceId = config.require("workspaceId");
const customers = customersIn("customers.csv").map((customer) => ({
  ...customer,
  ...(plans[customer.plan] as Plan),
}));

// The same for a customer's key and its credits. All have one, since a key that gets another one is replaced: its
// secret would change with the plan.
const meterOf = (id: string) => `meter-${id}`;

// The customer's id is the alias, since it never changes: another name or plan edits the key in place. All plans in one
// set for the same reason: a key can't go from one set to another.
const keys = new ApiKeySet("customers", {
  workspaceId,
  keys: Object.fromEntries(
    customers.map(({ id, name, scopes }) => [
      id,
      { customerId: id, name, scopes, externalMeterId: meterOf(id) },
    ]),
  ),
});

// The credits of a plan, granted once to each customer of it. Protected, since credits that are dropped and declared
// again are granted again: so an up fails when a customer leaves a plan that has some, until `pulumi state unprotect`
// lets go of that grant. The credits stay in the service.
for (const { id, plan, credits } of customers) {
  if (credits === undefined) continue;
  new CustomerBilling(
    `credits-${id}-${plan}`,
    { workspaceId, totalCredits: credits, externalMeterId: meterOf(id) },
    { protect: true },
  );
}

// For the application: which key is whose. Written when the keys are there, and nothing in it is secret.
pulumi.all([keys.ids, keys.maskedKeys]).apply(([ids, masked]) => {
  if (pulumi.runtime.isDryRun()) return;
  const shown = Object.entries(ids).map(([id, keyId]) => [id, { keyId, maskedKey: masked[id] }]);
  writeFileSync(join(__dirname, "keys.json"), `${JSON.stringify(Object.fromEntries(shown), undefined, 2)}\n`);
});

// For whoever hands the keys out: `pulumi stack output secrets --show-secrets --json`. Encrypted in state, and nowhere else.
export const secrets = keys.secrets;
