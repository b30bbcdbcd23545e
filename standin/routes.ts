import type { Endpoint } from "./types";

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
