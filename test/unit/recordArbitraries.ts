import fc from "fast-check";
import type { ApiKeyRecord, KeyScope } from "../../provider/client/apiKeys";
import { type Grants, grants, spelling } from "./scopeArbitraries";

/** Answers of the service, and what a program declares beside them, for property-based tests. */

const text = fc.constantFrom("ci", "CI", " ci ", "deploy", undefined);

/** A key as some answer tells it. */
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

/** Scopes as the client has parsed them: four booleans each, perhaps an id. */
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

/** The inputs of an ApiKey in canonical form, as check hands them on. */
export const declared: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(fc.constantFrom("ci", "CI", "deploy"), grants, fc.boolean())
  .map(([name, of, enabled]) => ({
    workspaceId: "ws_1",
    customerId: "cus_1",
    name,
    enabled,
    scopes: canonicalOf(of),
  }));

function canonicalOf(of: Grants): object[] {
  const sorted = [...of].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([representation, granted]) => ({
    representation,
    ...Object.fromEntries([...granted].map((permission) => [permission, true])),
  }));
}
