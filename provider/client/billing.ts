/** Customer billing: its records (interface, section 2) and the call that creates one (4.12). */

import { type Call, type Written, write } from "./call";
import { type Decode, identifier, mirroredFlag, mirroredText, record } from "./fields";
import { apiPath } from "./paths";
import { reader } from "./reading";

/** A customer billing record (interface, section 2). Credits are numeric text. */
export interface BillingRecord {
  readonly id: string;
  readonly totalCredits: string | undefined;
  readonly usedCredits: string | undefined;
  readonly allowOverages: boolean | undefined;
  readonly spendCap: string | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** Body of 4.12; credits are numeric text. */
export interface CreateBilling {
  readonly totalCredits: string;
  readonly allowOverages: boolean;
  readonly spendCap?: string | undefined;
  readonly externalMeterId?: string | undefined;
  readonly workspaceId: string;
}

const billing: Decode<BillingRecord> = record({
  id: identifier,
  totalCredits: mirroredText,
  usedCredits: mirroredText,
  allowOverages: mirroredFlag,
  spendCap: mirroredText,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

export const billingAnswer = record({ billing });

const newBilling = reader(billingAnswer, (answer) => answer.billing);

/** 4.12. On a connection of its own, and repeated only when it was not sent: each POST grants credits. */
export async function createBilling(call: Call, body: CreateBilling): Promise<Written<BillingRecord>> {
  const path = apiPath`/api/v1/customer-billing`;
  return write(call, { method: "POST", path, policy: "never", body }, newBilling);
}
