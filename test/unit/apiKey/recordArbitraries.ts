/** Generated records of the service, and generated inputs of a program, for property-based tests. */
import fc from "fast-check";
import type { ApiKeyRecord, KeyScope } from "../../../provider/client/service";
import { canonicalOf, type Grants, grants, spelling } from "./inputArbitraries";

const text = fc.constantFrom("ci", "CI", " ci ", "deploy", undefined);

/** A key's record as an answer may have it. */
export const record: fc.Arbitrary<ApiKeyRecord> = fc.record({
  id: fc.constant("key_1"),
  name: text,
  maskedKey: text,
  prefix: text,
  expiresAt: fc.constantFrom(60, undefined),
  scopes: fc.oneof(fc.constant(undefined), grants.chain(scopesOf)),
  enabled: fc.constantFrom(true, false, undefined),
  customerId: text,
  deleted: fc.constant(false),
  createdAt: text,
  updatedAt: text,
  lastUsedAt: text,
  billingId: text,
  key: fc.constant(undefined),
});

/** Scopes as the client parses them: four booleans each, with or without an id. */
function scopesOf(of: Grants): fc.Arbitrary<KeyScope[]> {
  return spelling(of).map((entries) =>
    entries.map(({ representation, create, read, update, del, ...id }) => ({
      ...id,
      representation,
      create: create === true,
      read: read === true,
      update: update === true,
      del: del === true,
    })),
  );
}

/** The inputs of an ApiKey in canonical form, as `check` returns them. */
export const declared: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(fc.constantFrom("ci", "CI", "deploy"), grants, fc.boolean())
  .map(([name, of, enabled]) => ({
    workspaceId: "ws_1",
    customerId: "cus_1",
    name,
    enabled,
    scopes: canonicalOf(of),
  }));
