import { stripVTControlCharacters } from "node:util";
import { maskSecrets } from "./secrets";

const longest = 300;
/** What is looked at of a text that is to be cut to 300 characters; stripping is not linear. */
const considered = 16_384;

/** The text on one line: no control, format or bidirectional characters, no HTML, 300 characters at most. */
export function plainText(text: string, secrets: readonly string[], limit = longest): string {
  // Masked before anything is cut or stripped, and once more when that has joined what stood apart.
  let plain = maskSecrets(text, secrets).slice(0, considered);
  plain = stripVTControlCharacters(plain)
    .replace(/[\p{Cf}\p{Cs}]/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ");
  plain = withoutHtml(plain).replace(/ +/g, " ").replaceAll('"', "'").trim();
  plain = maskSecrets(plain, secrets);
  const characters = [...plain];
  return characters.length <= limit ? plain : `${characters.slice(0, limit - 1).join("")}…`;
}

function withoutHtml(text: string): string {
  let before: string;
  let after = text.replace(/<(script|style)\b.*?<\/\1\s*>/gi, " ");
  do {
    before = after;
    after = before.replace(/<!--.*?-->|<[/!?]?[a-z][^<>]*>/gi, " ");
  } while (after !== before);
  return after;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function sentence(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (depth > 3 || !isObject(value)) return undefined;
  if (Array.isArray(value)) {
    const parts = value.slice(0, 5).map((entry) => sentence(entry, depth + 1));
    const found = parts.filter((part) => part !== undefined);
    return found.length === 0 ? undefined : found.join("; ");
  }
  for (const place of ["message", "error", "errors", "detail", "title"]) {
    const found = sentence(value[place], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The values of every `key` in an answer, except those that only name a field of the request. */
function keysIn(value: unknown, fieldNames: readonly string[], depth = 0): string[] {
  if (depth > 8 || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "key" && (typeof inner === "string" || typeof inner === "number")
      ? fieldNames.includes(String(inner))
        ? []
        : [String(inner)]
      : keysIn(inner, fieldNames, depth + 1),
  );
}

const quotedKey = /\\?"key\\?"\s*:\s*\\?"((?:[^"\\]|\\[^"])*)/gi;

/**
 * What the service said in an error body, made fit for a message, or `undefined` when it said nothing. The body's
 * form is not known (interface, part 7): the usual places of a JSON body are tried, then the text itself.
 */
export function errorText(
  body: string,
  secrets: readonly string[],
  fieldNames: readonly string[] = [],
): string | undefined {
  let said: string | undefined = body;
  let hidden = [...body.matchAll(quotedKey)]
    .map((match) => match[1] ?? "")
    .filter((key) => !fieldNames.includes(key));
  try {
    const parsed: unknown = JSON.parse(body);
    hidden = [...hidden, ...keysIn(parsed, fieldNames)];
    said = sentence(parsed);
  } catch {
    // Plain text or HTML.
  }
  const text = said === undefined ? "" : plainText(said, [...secrets, ...hidden]);
  return text === "" ? undefined : text;
}
