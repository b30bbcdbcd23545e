import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { type ApiKeyArgs, ApiKeySet, CustomerBilling } from "pulumi-apikeys";

interface Plan {
  readonly scopes: NonNullable<ApiKeyArgs["scopes"]>;
  /** The credits that a customer with this plan is granted once. */
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

/** One line per customer: id,name,plan. Fields are not quoted, so they can't contain a comma. */
function customersIn(file: string): readonly Customer[] {
  const [head, ...lines] = readFileSync(join(__dirname, file), "utf8").trim().split(/\r?\n/);
  if (head !== "id,name,plan") throw new pulumi.RunError(`${file}: the first line must be id,name,plan`);
  const seen = new Set<string>();
  return lines.map((line, index) => {
    const wrong = (what: string) => new pulumi.RunError(`${file}, line ${index + 2}: ${what}`);
    const [id = "", name = "", plan = "", ...more] = line.split(",").map((field) => field.trim());
    if (id === "" || name === "" || more.length > 0) throw wrong("must be id,name,plan");
    if (seen.has(id)) throw wrong(`${id} is listed twice`);
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

// Links a customer's key to its credits. Every customer has a meter, even without credits: if a key got its meter
// later, it would be replaced, and its secret would change with the plan.
const meterOf = (id: string) => `meter-${id}`;

// The customer's id is the alias, because it never changes: a new name or plan updates the key in place. All plans are
// in one set, because a key that moves to another set loses its secret.
const keys = new ApiKeySet("customers", {
  workspaceId,
  keys: Object.fromEntries(
    customers.map(({ id, name, scopes }) => [
      id,
      { customerId: id, name, scopes, externalMeterId: meterOf(id) },
    ]),
  ),
});

// The credits of a plan, granted once to each of its customers. They are protected, because credits that are removed
// and declared again are granted again. So when a customer leaves a plan with credits, the update fails until you run
// `pulumi state unprotect` for that grant. The credits stay in the service.
for (const { id, plan, credits } of customers) {
  if (credits === undefined) continue;
  new CustomerBilling(
    `credits-${id}-${plan}`,
    { workspaceId, totalCredits: credits, externalMeterId: meterOf(id) },
    { protect: true },
  );
}

// Tells the application which key belongs to which customer. Written once the keys exist; contains no secrets.
pulumi.all([keys.ids, keys.maskedKeys]).apply(([ids, masked]) => {
  if (pulumi.runtime.isDryRun()) return;
  const shown = Object.entries(ids).map(([id, keyId]) => [id, { keyId, maskedKey: masked[id] }]);
  writeFileSync(join(__dirname, "keys.json"), `${JSON.stringify(Object.fromEntries(shown), undefined, 2)}\n`);
});

// To hand out the keys, run `pulumi stack output secrets --show-secrets --json`. The secrets are only in state,
// encrypted.
export const secrets = keys.secrets;
