const certificate = /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_|ERR_SSL_|EPROTO)/;

function textOf(error: unknown, field: "code" | "message" | "name"): string {
  const value =
    typeof error === "object" && error !== null ? (error as Record<string, unknown>)[field] : undefined;
  return typeof value === "string" ? value : "";
}

/**
 * Why a connection failed, in our own words: what the libraries say can hold headers, so nothing of theirs but a
 * code gets through.
 */
export function failurePhrase(error: unknown, host: string, started: boolean): string {
  const code = textOf(error, "code");
  const when = started ? "before the service answered" : "before the request was sent";
  if (code === "ECONNREFUSED") return "the connection was refused";
  if (code === "ENOTFOUND") return `the host name ${host} is not known`;
  if (code === "EAI_AGAIN") return `the host name ${host} could not be resolved`;
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH") return `the host ${host} can't be reached`;
  if (code === "ECONNRESET" || code === "EPIPE") return `the connection was reset ${when}`;
  if (code === "UND_ERR_SOCKET") return `the connection was closed ${when}`;
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") return "the connection timed out";
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "the answer's headers are too large";
  if (textOf(error, "name") === "HTTPParserError" || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    return "the answer is not HTTP";
  }
  if (code === "UND_ERR_PRX_CONN") return "the proxy closed the connection";
  const refusedBy = /^Proxy response \((\d{3})\)/.exec(textOf(error, "message"));
  if (refusedBy !== null) return `the proxy answered ${refusedBy[1]}`;
  if (proxyWantsLogin(error)) return "the proxy answered 407";
  if (certificate.test(code)) return `the TLS connection to ${host} failed (${code})`;
  if (code === "UND_ERR_INVALID_ARG")
    return "the request can't be sent, most likely because of a character in the access token";
  return /^[A-Z][A-Z0-9_]{1,50}$/.test(code) ? `the connection failed (${code})` : "the connection failed";
}

/** A plain HTTP proxy's 407, which undici reports after the request has started; the service never saw it. */
export function proxyWantsLogin(error: unknown): boolean {
  return textOf(error, "message") === "Proxy Authentication Required (407)";
}

/** Whether the same would happen again. */
export function isLasting(error: unknown): boolean {
  return textOf(error, "code") === "UND_ERR_INVALID_ARG";
}
