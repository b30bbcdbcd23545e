import type { Dispatcher } from "undici";
import { CallError } from "./callError";

/** Whether a parsed host is this machine: 127.0.0.0/8, ::1 or localhost. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

// HTTP/1.1 only: there a request that has not started has certainly not been written.
const options = (connectMs: number) =>
  ({ allowH2: false, connectTimeout: connectMs, headersTimeout: 0, bodyTimeout: 0 }) as const;

/**
 * Loaded at the first request: a process that only checks and compares needs no HTTP. undici's index takes twice as
 * long, because it loads mocks and caches too; it serves if a version of undici has this file elsewhere. By require,
 * because CommonJS can't import in Jest.
 */
const undici = (): typeof import("undici") => require("undici");
const loadAgent = (): typeof import("undici").Agent => {
  try {
    return require("undici/lib/dispatcher/agent.js");
  } catch {
    return undici().Agent;
  }
};

function loaded<T>(load: () => T): T {
  try {
    return load();
  } catch {
    throw new CallError("notSent", "the HTTP library could not be loaded; it needs Node.js 22.19 or newer");
  }
}

/** A proxy without a scheme is http, as for Pulumi's CLI and curl. */
const proxyUrl = (value = "") => (value === "" || value.includes("://") ? value : `http://${value}`);

/** Gives the dispatcher for an origin. */
export function openAgents(env: NodeJS.ProcessEnv, connectMs: number) {
  const agents = new Map<string, Promise<Dispatcher>>();
  let closed = false;

  async function open(origin: string): Promise<Dispatcher> {
    const httpProxy = proxyUrl(env["http_proxy"] ?? env["HTTP_PROXY"]);
    const httpsProxy = proxyUrl(env["https_proxy"] ?? env["HTTPS_PROXY"]);
    // undici would send loopback through the proxy too, token and all.
    if (isLoopback(new URL(origin).hostname) || (httpProxy === "" && httpsProxy === "")) {
      const Agent = loaded(loadAgent);
      return new Agent(options(connectMs));
    }
    const { EnvHttpProxyAgent } = loaded(undici);
    const noProxy = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
    try {
      return new EnvHttpProxyAgent({ ...options(connectMs), httpProxy, httpsProxy, noProxy });
    } catch {
      throw new CallError("notSent", "HTTP_PROXY or HTTPS_PROXY is not the URL of a proxy");
    }
  }

  const refuseIfClosed = (): void => {
    if (closed) throw new CallError("notSent", "the client was closed");
  };

  return {
    /** One that keeps its connections; the same for the life of the process. */
    async kept(origin: string): Promise<Dispatcher> {
      refuseIfClosed();
      const agent = agents.get(origin) ?? open(origin);
      agents.set(origin, agent);
      return agent;
    },
    /** One that has no connection yet; to be destroyed after its request. */
    async fresh(origin: string): Promise<Dispatcher> {
      refuseIfClosed();
      return open(origin);
    },
    async close(): Promise<void> {
      closed = true;
      const opened = await Promise.allSettled(agents.values());
      agents.clear();
      await Promise.all(opened.map((one) => (one.status === "fulfilled" ? one.value.destroy() : undefined)));
    },
  };
}
