import { stripVTControlCharacters } from "node:util";
import { maskSecrets } from "./secrets";

const longest = 300;
/** What is looked at of a text that is to be cut to 300 characters; stripping is not linear. */
const considered = 16_384;

/** The text on one line: no control, format or bidirectional characters, no HTML, 300 characters at most. */
export function plainText(text: string, secrets: readonly string[]): string {
  // Masked first, because a cut could leave a part of a secret; and again, because stripping may join its parts.
  let plain = maskSecrets(text, secrets, considered);
  plain = stripVTControlCharacters(plain)
    .replace(/[\p{Cf}\p{Cs}]/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ");
  plain = withoutHtml(plain).replace(/ +/g, " ").replaceAll('"', "'").trim();
  plain = maskSecrets(plain, secrets);
  const characters = [...plain];
  return characters.length <= longest ? plain : `${characters.slice(0, longest - 1).join("")}…`;
}

function withoutHtml(text: string): string {
  const visible = text.replace(/<(script|style)\b.*?<\/\1\s*>/gi, " ");
  return visible.replace(/<!--.*?-->|<[/!?]?[a-z][^<>]*>/gi, " ");
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function sentence(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (depth > 3 || !isObject(value)) return undefined;
  if (Array.isArray(value)) return joined(value.slice(0, 5).map((entry) => sentence(entry, depth + 1)));
  for (const place of ["message", "error", "errors", "detail", "title", "msg"]) {
    const inner = value[place];
    const found =
      sentence(inner, depth + 1) ?? (place === "errors" ? fieldErrors(inner, depth + 1) : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `errors` as an object with a message, or several, for each field. */
function fieldErrors(value: unknown, depth: number): string | undefined {
  if (!isObject(value) || Array.isArray(value)) return undefined;
  const entries = Object.entries(value).slice(0, 5);
  return joined(
    entries.map(([field, inner]) => {
      const found = sentence(inner, depth);
      return found === undefined ? undefined : `${field}: ${found}`;
    }),
  );
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  const found = parts.filter((part) => part !== undefined);
  return found.length === 0 ? undefined : found.join("; ");
}

/** The values of every `key` in an answer. */
function keysIn(value: unknown, depth = 0): string[] {
  if (depth > 8 || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "key" && (typeof inner === "string" || typeof inner === "number")
      ? [String(inner)]
      : keysIn(inner, depth + 1),
  );
}

// As JSON or the like within other text, plain and escaped.
const quotedKey = /(["'])key\1\s*:\s*(["'])((?:(?!\2)[^\\]|\\.)*)|\\"key\\"\s*:\s*\\"((?:[^"\\]|\\[^"])*)/gi;

/** A body, parsed if it is JSON, and what no message may contain of it. */
interface Said {
  readonly body: string;
  readonly parsed?: unknown;
  readonly secrets: readonly string[];
  /** The names of the request's fields: a `key` that is one of them is no secret. */
  readonly fieldNames: readonly string[];
}

/** The words for a message; `undefined` if there are none, or if the body has too many keys to be an error. */
function cleaned(words: string | undefined, { body, parsed, secrets, fieldNames }: Said): string | undefined {
  if (words === undefined) return undefined;
  const quoted = Array.from(body.matchAll(quotedKey), (match) => match[3] ?? match[4] ?? "");
  const keys = [...quoted, ...keysIn(parsed)].filter((key) => !fieldNames.includes(key));
  return keys.length > 100 ? undefined : plainText(words, [...secrets, ...keys]) || undefined;
}

/**
 * The service's own words in an error body, cleaned for a message; `undefined` when there are none. The body's
 * form is not known (interface, part 7): the usual places of a JSON body are tried, then the text itself.
 */
export function errorText(
  body: string,
  secrets: readonly string[],
  fieldNames: readonly string[] = [],
): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Plain text or HTML.
    return cleaned(body, { body, secrets, fieldNames });
  }
  return cleaned(sentence(parsed), { body, parsed, secrets, fieldNames });
}

/**
 * The error in JSON that should hold a record: some services answer 200 to what they refuse. A `message` counts only with
 * `success: false`; otherwise it may report a success, and contain the new secret.
 */
export function errorInPlace(
  body: string,
  secrets: readonly string[],
  fieldNames: readonly string[],
): string | undefined {
  const parsed: unknown = JSON.parse(body);
  if (!isObject(parsed)) return undefined;
  const { error, errors, message, success } = parsed;
  const words = sentence({ error, errors, ...(success === false && { detail: message }) });
  return cleaned(words, { body, parsed, secrets, fieldNames });
}
