import * as pulumi from "@pulumi/pulumi";
import { ApiKey, CustomerBilling } from "pulumi-apikeys";

const config = new pulumi.Config();
const workspaceId = config.require("workspaceId");
const customerId = config.require("customerId");

// The only field that links a key to its credits. The meter and the service decide what it means.
const externalMeterId = `meter-${customerId}`;

const key = new ApiKey("acme", {
  workspaceId,
  customerId,
  externalMeterId,
  scopes: [{ representation: "orders", read: true }],
});

// All grants that the customer ever received. The service can't take credits back, so never change a line. To grant
// more, add a line at the end, such as { grant: "top-up-1", credits: "500" }.
const grants = [{ grant: "initial", credits: "1000" }];

// One resource for each line, so that state has every record. They are protected, because credits that are removed by
// mistake and declared again are granted again. Before `pulumi destroy`, run `pulumi state unprotect --all`. The
// credits stay in the service.
const billings = grants.map(
  ({ grant, credits }, index) =>
    new CustomerBilling(
      `credits-${index + 1}`,
      { workspaceId, totalCredits: credits, spendCap: "250", externalMeterId, grant },
      { protect: true },
    ),
);

export const acmeKey = key.key;
export const billingIds = billings.map(({ billingId }) => billingId);
