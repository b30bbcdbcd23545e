/** Customer billing: its records (interface, section 2) and the call that creates one (4.12). */

import { type Call, send, type Written } from "./call";
import { identifier, mirroredFlag, mirroredText, record } from "./fields";
import { apiPath } from "./paths";
import { reader } from "./reading";

/** Body of 4.12; credits are numeric text. */
export interface CreateBilling {
  readonly totalCredits: string;
  readonly allowOverages: boolean;
  readonly spendCap?: string | undefined;
  readonly externalMeterId?: string | undefined;
  readonly workspaceId: string;
}

/** A customer billing record. Credits are numeric text. */
export const billing = record({
  id: identifier,
  totalCredits: mirroredText,
  usedCredits: mirroredText,
  allowOverages: mirroredFlag,
  spendCap: mirroredText,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

export type BillingRecord = ReturnType<typeof billing>;

const newBilling = reader("billing", billing);

/** 4.12. On a connection of its own, and repeated only when it was not sent: each POST grants credits. */
export async function createBilling(call: Call, body: CreateBilling): Promise<Written<BillingRecord>> {
  const path = apiPath`/api/v1/customer-billing`;
  return send(call, { method: "POST", path, policy: "never", body }, newBilling);
}
