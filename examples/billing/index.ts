import * as pulumi from "@pulumi/pulumi";
import { ApiKey, CustomerBilling } from "pulumi-apikeys";

const config = new pulumi.Config();
const workspaceId = config.require("workspaceId");
const customerId = config.require("customerId");

// The one field that a key and its credits have in common. What is made of it is between the meter and the service.
const externalMeterId = `meter-${customerId}`;

const key = new ApiKey("acme", {
  workspaceId,
  customerId,
  externalMeterId,
  scopes: [{ representation: "orders", read: true }],
});

// What the customer was ever given. The service can't take credits back, so lines are added at the end and never
// changed: to grant more, add a line such as { grant: "top-up-1", credits: "500" }.
const grants = [{ grant: "initial", credits: "1000" }];

// A resource for each line, so that state knows every record. Protected, since what is dropped by mistake and declared
// again is granted again. Before `pulumi destroy`: `pulumi state unprotect --all`. The credits stay in the service.
const billings = grants.map(
  ({ grant, credits }, place) =>
    new CustomerBilling(
      `credits-${place + 1}`,
      { workspaceId, totalCredits: credits, spendCap: "250", externalMeterId, grant },
      { protect: true },
    ),
);

export const acmeKey = key.key;
export const billingIds = billings.map(({ billingId }) => billingId);
