/** The service's words, made fit for a message: one line without markup, without secrets. */
import { stripVTControlCharacters } from "node:util";

/** Replaces secrets in messages. */
export const mask = "[secret]";
// Stands for the mask until all secrets are replaced, so that a short one isn't found in it. It is not a character, so no
// text should contain it.
const placeholder = "\ufdd0";

const longest = 300;
/** A larger body is a page rather than an error. */
const mostRead = 16_384;

/** The text with all secrets replaced, also where it has them JSON-escaped or URL-encoded. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  // Half of a character can't be encoded.
  const inUrl = (secret: string) => encodeURIComponent(secret.toWellFormed());
  const all = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), inUrl(secret)]);
  // The longest first, because one may begin with another.
  const spellings = [...new Set(all)].filter(Boolean).sort((a, b) => b.length - a.length);
  let hidden = text.replaceAll(mask, placeholder);
  for (const spelling of spellings) hidden = hidden.replaceAll(spelling, placeholder);
  return hidden.replaceAll(placeholder, mask);
}

/** The text on one line, without markup and control characters, and 300 characters long at most. */
function plainText(text: string, secrets: readonly string[]): string {
  const plain = stripVTControlCharacters(maskSecrets(text, secrets))
    .replace(/[\p{Cf}\p{Cs}]/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(/<(script|style)\b.*?<\/\1\s*>/gi, " ")
    .replace(/<!--.*?-->|<[/!?]?[a-z][^<>]*>/gi, " ")
    .replace(/ +/g, " ")
    .replaceAll('"', "'")
    .trim();
  // Masked again, because stripping may join the parts of a secret; cut last, because a cut could leave a part of one.
  const characters = [...maskSecrets(plain, secrets)];
  return characters.length <= longest ? characters.join("") : `${characters.slice(0, longest - 1).join("")}…`;
}

/** A key in JSON, or in JSON within a string. The name of a field, which some errors have as `key`, is not a secret. */
const keyInJson = /(["'])key\1\s*:\s*(["'])((?:(?!\2)[^\\]|\\.)*)|\\"key\\"\s*:\s*\\"((?:[^"\\]|\\[^"])*)/gi;
const keysIn = (body: string) =>
  Array.from(body.matchAll(keyInJson), (match) => match[3] ?? match[4] ?? "").filter(
    (key) => !/^[a-z]{1,20}$/i.test(key),
  );

/** The message in JSON of unknown form, wherever services usually have it. */
function messageIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.trim() || undefined;
  if (typeof value !== "object" || value === null || depth > 3) return undefined;
  const inner = (part: unknown) => messageIn(part, depth + 1);
  if (Array.isArray(value)) return value.slice(0, 5).map(inner).filter(Boolean).join("; ") || undefined;
  const { message, error, errors, detail, title, msg } = value as Record<string, unknown>;
  const usual = [message, error, errors, detail, title, msg].map(inner).find(Boolean);
  // Some frameworks have nothing but a list of errors for each field, or within `errors` a text.
  const isOfField = (one: unknown) => Array.isArray(one) || (depth > 0 && typeof one === "string");
  if (usual !== undefined || !Object.values(value).every(isOfField)) return usual;
  return inner(Object.entries(value).map(([field, list]) => inner(list) && `${field}: ${inner(list)}`));
}

/**
 * The words of the service in the body of an error, if there are any. In a 2xx, most texts don't count, because they may
 * report a success, and contain the new secret.
 */
export function errorText(body: string, secrets: readonly string[], isSuccess = false): string | undefined {
  if (body.length > mostRead) return undefined;
  let words: string | undefined;
  try {
    const answer: unknown = JSON.parse(body);
    const { error, errors, message, success } = Object(answer) as Record<string, unknown>;
    words = messageIn(isSuccess ? { error, errors, detail: success === false && message } : answer);
  } catch {
    words = isSuccess || body.includes("\ufffd") ? undefined : body;
  }
  return (words && plainText(words, [...secrets, ...keysIn(body)])) || undefined;
}
