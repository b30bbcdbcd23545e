import { type Answer, type Call, finishRefusal, refuse } from "./answer";
import {
  createApiKey,
  deleteApiKey,
  editApiKey,
  listApiKeys,
  migrateApiKey,
  readApiKey,
} from "./keyOperations";
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

/** What a request line asks for. */
export type Route =
  | { kind: "endpoint"; endpoint: Endpoint; params: readonly string[] }
  | { kind: "wrongMethod"; allowed: readonly string[] }
  | { kind: "unknownPath" };

// The paths of the interface, section 4, without the prefix; * is a path parameter.
const table: Readonly<Record<Endpoint, readonly [method: string, path: string]>> = {
  listApiKeys: ["GET", "workspace/*/api-key"],
  readApiKey: ["GET", "workspace/*/api-key/*"],
  createApiKey: ["POST", "api-key"],
  migrateApiKey: ["POST", "api-key/migrate"],
  editApiKey: ["PATCH", "workspace/*/api-key/*"],
  deleteApiKey: ["DELETE", "workspace/*/api-key/*"],
  listWorkspaces: ["GET", "workspace"],
  readWorkspace: ["GET", "workspace/*"],
  editWorkspace: ["PATCH", "workspace/*"],
  listScopes: ["GET", "workspace/*/scopes"],
  createScope: ["POST", "workspace/*/scope"],
  createBilling: ["POST", "customer-billing"],
};

const routes = Object.entries(table).map(([endpoint, [method, path]]) => ({
  endpoint: endpoint as Endpoint,
  method,
  pattern: new RegExp(`^/api/v1/${path.replaceAll("*", "([^/]+)")}$`),
}));

/** Finds the endpoint for a method and a raw path (still percent-encoded, with or without a query). */
export function findRoute(method: string, rawPath: string): Route {
  const path = rawPath.split("?", 1)[0] ?? "";
  const allowed: string[] = [];
  for (const route of routes) {
    const match = route.pattern.exec(path);
    if (match === null) continue;
    if (route.method !== method) allowed.push(route.method);
    else {
      const params = match.slice(1).map(decode);
      if (params.includes(undefined)) return { kind: "unknownPath" };
      return { kind: "endpoint", endpoint: route.endpoint, params: params as string[] };
    }
  }
  return allowed.length > 0 ? { kind: "wrongMethod", allowed } : { kind: "unknownPath" };
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Counts each tenant's requests per second. */
export interface RateLimiter {
  /** Counts a request. Returns the refusal if the request exceeds the limit. */
  judge(tenant: string, variant: Variant): Answer | undefined;
}

export function createRateLimiter(now: () => number = Date.now): RateLimiter {
  const seen = new Map<string, { second: number; requests: number }>();
  return {
    judge(tenant, { rateLimitPerSecond, retryAfter }) {
      if (rateLimitPerSecond <= 0) return undefined;
      const second = Math.floor(now() / 1000);
      const last = seen.get(tenant);
      const requests = last?.second === second ? last.requests + 1 : 1;
      seen.set(tenant, { second, requests });
      if (requests <= rateLimitPerSecond) return undefined;
      const date = new Date((second + 1) * 1000).toUTCString();
      const header = { seconds: { "retry-after": "1" }, date: { "retry-after": date }, none: {} };
      return refuse(429, "too many requests", header[retryAfter]);
    },
  };
}
