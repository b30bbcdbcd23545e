/**
 * The stand-in, an in-memory fake of the service for tests: a real HTTP server on 127.0.0.1 with all twelve endpoints,
 * a request log, faults, and hooks to change data outside of the client. It requires nothing but Node.js.
 *
 * @example const standIn = await startStandIn({ dialect: "softDelete" }); process.env.APIKEYS_BASE_URL = standIn.url;
 * process.env.APIKEYS_ACCESS_TOKEN = standIn.accessToken; // … await standIn.close();
 *
 * @packageDocumentation
 */
export { type Dialect, defaultDialect } from "./dialect";
export type { FaultRule } from "./faultPlan";
export type { Fault } from "./faults";
export type { KeyChange, KeyScopeChange } from "./hooks";
export { type PresetName, presets } from "./presets";
export { defaultTenants, type StandIn, type StandInOptions, startStandIn } from "./server";
export type {
  Endpoint,
  LoggedRequest,
  StoredBilling,
  StoredKey,
  StoredKeyScope,
  StoredScope,
  StoredWorkspace,
  Tenant,
  TenantOptions,
  Workspace,
} from "./types";
