/** Replaces secrets in messages. */
export const mask = "[secret]";
// Replaces secrets until all are found, so that a short one isn't found in "[secret]". It is no character, so no text
// should contain it.
const placeholder = "\ufdd0";

const jsonInner = (text: string): string => JSON.stringify(text).slice(1, -1);

const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, "0");
const unicodeEscaped = (text: string, awkward: RegExp): string =>
  jsonInner(text).replace(awkward, (char) => `\\u${hex(char)}`);

const percentEncoded = (text: string): string[] => {
  // Half a character, which can't be encoded, becomes U+FFFD.
  const whole = Buffer.from(text).toString();
  const component = encodeURIComponent(whole);
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const all = [component, encodeURI(whole), form];
  return [...all, ...all.map((one) => one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
};

const entities = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const ofList = new WeakMap<readonly string[], readonly string[]>();

/** The forms in which an answer may repeat a secret, the longest first: one may begin with another. */
function spellings(secrets: readonly string[]): readonly string[] {
  const found = ofList.get(secrets) ?? spelled(secrets);
  // A set of thousands of keys has as many secrets, and a line for each of many.
  ofList.set(secrets, found);
  return found;
}

function spelled(secrets: readonly string[]): readonly string[] {
  const all = secrets.flatMap((secret) => [
    secret,
    secret.trim(),
    secret.trim().replace(/\s+/g, " "),
    jsonInner(secret),
    jsonInner(jsonInner(secret)),
    jsonInner(secret).replaceAll("/", "\\/"),
    unicodeEscaped(secret, /[^\x20-\x7e]/g),
    unicodeEscaped(secret, /[^\x20-\x7e]|[<>&'+=/]/g),
    entities(secret),
    ...percentEncoded(secret),
  ]);
  const cased = all.flatMap((one) => [one, one.toLowerCase(), one.toUpperCase()]);
  return [...new Set(cased)].filter((one) => one !== "").sort((a, b) => b.length - a.length);
}

/**
 * The text, or its first `limit` characters, with every occurrence of the secrets replaced by "[secret]", also
 * where they appear in it JSON-escaped, URL-encoded or as HTML. A secret that the limit cuts through is dropped.
 */
export function maskSecrets(
  text: string,
  secrets: readonly string[],
  limit = Number.POSITIVE_INFINITY,
): string {
  const all = spellings(secrets);
  let hidden = text.slice(0, limit);
  for (const spelling of all) hidden = hidden.replaceAll(spelling, placeholder);
  if (text.length > limit) hidden = hidden.slice(0, Math.max(0, hidden.length - (all[0]?.length ?? 0)));
  return hidden.replaceAll(placeholder, mask);
}

/**
 * A record, or a list of them, without the secrets in any text but `key`: names end up in messages. A short secret
 * may be part of an ordinary name by chance, and stays.
 */
export function withoutSecrets<T>(value: T, secrets: readonly string[]): T {
  const long = secrets.filter((secret) => secret.length >= 16);
  const whole = JSON.stringify(value) ?? "";
  if (!long.some((secret) => whole.includes(jsonInner(secret)))) return value;
  const clean = (inner: unknown, name?: string): unknown => {
    if (typeof inner === "string") {
      return name === "key" ? inner : long.reduce((text, secret) => text.replaceAll(secret, mask), inner);
    }
    if (Array.isArray(inner)) return inner.map((entry) => clean(entry));
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([field, entry]) => [field, clean(entry, field)]));
  };
  return clean(value) as T;
}
