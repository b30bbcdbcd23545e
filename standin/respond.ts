import { type Answer, finishRefusal, refuse } from "./answer";
import type { Call } from "./call";
import {
  createApiKey,
  deleteApiKey,
  editApiKey,
  listApiKeys,
  migrateApiKey,
  readApiKey,
} from "./keyOperations";
import type { RateLimiter } from "./rateLimit";
import type { Route } from "./routes";
import type { Store } from "./store";
import type { Endpoint } from "./types";
import { findProblem, hasBody } from "./validate";
import type { Variant } from "./variant";
import {
  createBilling,
  createScope,
  editWorkspace,
  listScopes,
  listWorkspaces,
  readWorkspace,
} from "./workspaceOperations";

// findProblem has checked the body against the endpoint's shape before an operation sees it.
// biome-ignore lint/suspicious/noExplicitAny: each operation names its own body
const operations: Readonly<Record<Endpoint, (call: Call<any>) => Answer>> = {
  listApiKeys,
  readApiKey,
  createApiKey,
  migrateApiKey,
  editApiKey,
  deleteApiKey,
  listWorkspaces,
  readWorkspace,
  editWorkspace,
  listScopes,
  createScope,
  createBilling,
};

/** A request as it was received. */
export interface Incoming {
  route: Route;
  /** Name of the tenant whose token was sent. */
  tenant: string | undefined;
  authorization: string | undefined;
  contentType: string | undefined;
  text: string;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
}

/** The service's answer to a request. Carries out a write. */
export function respond(incoming: Incoming, store: Store, variant: Variant, limiter: RateLimiter): Answer {
  const echo = `${incoming.authorization ?? "no authorization"}; ${incoming.text}`;
  return finishRefusal(judge(incoming, store, variant, limiter), variant, echo);
}

function judge(incoming: Incoming, store: Store, variant: Variant, limiter: RateLimiter): Answer {
  const { route, tenant, text, json } = incoming;
  if (route.kind === "unknownPath") return refuse(404, "there is nothing at this path");
  if (route.kind === "wrongMethod") {
    return refuse(405, "this path does not support the method", { allow: route.allowed.join(", ") });
  }
  if (tenant === undefined) {
    return refuse(401, "the access token is missing or unknown", { "www-authenticate": "Bearer" });
  }
  const limited = limiter.judge(tenant, variant);
  if (limited !== undefined) return limited;
  const { endpoint, params } = route;
  if (!hasBody(endpoint)) {
    if (text !== "") return refuse(variant.invalidStatus, "this request takes no body");
  } else {
    const mediaType = incoming.contentType?.split(";", 1)[0]?.trim().toLowerCase();
    if (mediaType !== "application/json") return refuse(415, "the body must be application/json");
    if (json === undefined) return refuse(400, "the body is not JSON");
    const problem = findProblem(endpoint, json, variant);
    if (problem !== undefined) return refuse(variant.invalidStatus, problem);
  }
  return operations[endpoint]({ store, variant, tenant, params, body: json });
}
