import type { IncomingHttpHeaders } from "node:http";
import querystring from "node:querystring";
import { type Answer, type Call, Refusal, refusalAnswer } from "./answer";
import * as keys from "./keyOperations";
import type { Store } from "./store";
import { type Endpoint, endpoints } from "./types";
import { checkBody, hasBody } from "./validate";
import type { Variant } from "./variant";
import * as workspaces from "./workspaceOperations";

// checkBody has checked the body before an operation sees it.
// biome-ignore lint/suspicious/noExplicitAny: each operation names its own body
type Operation = (call: Call<any>) => Answer;

const operations: Readonly<Record<Endpoint, Operation>> = { ...keys, ...workspaces };

const routes = Object.entries(endpoints).map(([endpoint, route]) => {
  const [method = "", path = ""] = route.split(" ");
  const pattern = new RegExp(`^/api/v1/${path.replaceAll("*", "([^/]+)")}$`);
  return { endpoint: endpoint as Endpoint, method, pattern };
});

/** A request line, parsed. */
interface Route {
  readonly endpoint: Endpoint | undefined;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The page that the query asks for. */
  readonly page: number;
  /** The path parameters, decoded. */
  readonly params: readonly string[];
  /** The methods of the path. */
  readonly allowed: readonly string[];
}

/** Finds the endpoint for a method and a raw path (still percent-encoded, with or without a query). */
export function findRoute(method: string, rawPath: string): Route {
  const [path = "", query] = rawPath.split("?", 2);
  const page = Number(new URLSearchParams(query).get("page")) || 1;
  const matching = routes.filter(({ pattern }) => pattern.test(path));
  const route = matching.find((each) => each.method === method);
  const params = route?.pattern.exec(path)?.slice(1).map(querystring.unescape) ?? [];
  return { endpoint: route?.endpoint, path, page, params, allowed: matching.map((each) => each.method) };
}

/** A request as it was received. */
export interface Incoming {
  readonly route: Route;
  /** Name of the tenant whose token was sent. */
  readonly tenant: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

/** The data, and how the service behaves. */
export interface Service {
  readonly store: Store;
  readonly variant: Variant;
}

/** The service's answer to a request. Carries out a write. */
export function respond(incoming: Incoming, service: Service): Answer {
  try {
    return answer(incoming, service);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusalAnswer(error, service.variant, incoming);
  }
}

function answer({ route, tenant, headers, text, json }: Incoming, service: Service): Answer {
  const { store, variant } = service;
  const { endpoint, path, page, params, allowed } = route;
  if (allowed.length === 0) throw new Refusal(404, "there is nothing at this path");
  if (endpoint === undefined)
    throw new Refusal(405, "this path does not support the method", { allow: allowed.join(", ") });
  if (tenant === undefined)
    throw new Refusal(401, "the access token is missing or unknown", { "www-authenticate": "Bearer" });
  limitRate(tenant, variant, store);
  if (!hasBody(endpoint)) {
    if (text !== "") throw new Refusal(400, "this request takes no body");
  } else {
    const mediaType = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
    if (mediaType !== "application/json") throw new Refusal(415, "the body must be application/json");
    if (json === undefined) throw new Refusal(400, "the body is not JSON");
    checkBody(endpoint, json);
  }
  return operations[endpoint]({ store, variant, tenant, path, page, params, body: json });
}

function limitRate(tenant: string, { rateLimitPerSecond }: Variant, { counts }: Store): void {
  if (rateLimitPerSecond <= 0) return;
  const second = Math.floor(Date.now() / 1000);
  const last = counts.get(tenant);
  const requests = last?.second === second ? last.requests + 1 : 1;
  counts.set(tenant, { second, requests });
  if (requests > rateLimitPerSecond) throw new Refusal(429, "too many requests", { "retry-after": "1" });
}
