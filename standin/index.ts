/**
 * The stand-in: an in-memory fake of the service for tests. A real HTTP server on 127.0.0.1 with all twelve endpoints,
 * a request log, faults, and methods that change its data as if outside Pulumi. It needs nothing but Node.js. Besides,
 * mocks for unit tests without a service. See docs/testing.md.
 *
 * @module pulumi-apikeys/testing
 */
import { mocks } from "./mocks";
import { startStandIn } from "./standIn";

// A function that Pulumi uploads to run elsewhere loads these there: it can't carry modules that are not exported.
const entry = "pulumi-apikeys/testing";
for (const [name, each] of Object.entries({ mocks, startStandIn })) {
  const load = (...args: readonly unknown[]) => require(entry)[name](...args);
  Object.assign(each, { captureReplacement: () => load });
}

export type { Fault, FaultRule, Faults, LoggedRequest } from "./faults";
export { type MockedResource, type Mocks, mocks } from "./mocks";
export {
  defaultTenants,
  type KeyChange,
  type KeyScopeChange,
  type NewKey,
  type StandIn,
  type StandInOptions,
  startStandIn,
} from "./standIn";
export type {
  Endpoint,
  StoredBilling,
  StoredKey,
  StoredKeyScope,
  StoredRecord,
  StoredScope,
  StoredWorkspace,
  TenantOptions,
  WorkspaceChange,
} from "./types";
export {
  defaultVariant,
  namedVariants,
  type ProbedService,
  type Variant,
  type VariantName,
  variantOptions,
} from "./variant";
