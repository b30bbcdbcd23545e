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

/** How an answer may repeat secrets, the longest first, because one may begin with another. */
function spellings(secrets: readonly string[]): readonly string[] {
  // Half of a character can't be encoded.
  const inUrl = (secret: string) => encodeURIComponent(secret.toWellFormed());
  const all = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), inUrl(secret)]);
  return [...new Set(all)].filter((spelling) => spelling !== "").sort((a, b) => b.length - a.length);
}

/** The text with all secrets replaced, also where it has them JSON-escaped or URL-encoded. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  let hidden = text.replaceAll(mask, placeholder);
  for (const spelling of spellings(secrets)) hidden = hidden.replaceAll(spelling, placeholder);
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

function cleaned(words: string | undefined, body: string, secrets: readonly string[]): string | undefined {
  return (words && plainText(words, [...secrets, ...keysIn(body)])) || undefined;
}

/** The message in JSON of unknown form, wherever services usually have it. */
function messageIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.trim() || undefined;
  if (typeof value !== "object" || value === null || depth > 3) return undefined;
  const inner = (part: unknown) => messageIn(part, depth + 1);
  if (Array.isArray(value)) return value.slice(0, 5).map(inner).filter(Boolean).join("; ") || undefined;
  const { message, error, errors, detail, title, msg } = value as Record<string, unknown>;
  // Django has nothing but a list of errors for each field.
  const lists = depth === 0 && Object.values(value).every(Array.isArray) ? fieldErrors(value) : undefined;
  for (const part of [message, error, errors, fieldErrors(errors), detail, title, msg, lists]) {
    const found = inner(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `errors` as an object with a message, or several, for each field. */
function fieldErrors(errors: unknown): readonly string[] {
  if (typeof errors !== "object" || errors === null || Array.isArray(errors)) return [];
  return Object.entries(errors).flatMap(([field, inner]) => {
    const found = messageIn(inner, 2);
    return found === undefined ? [] : [`${field}: ${found}`];
  });
}

/** The words of the service in the body of an error, if there are any. */
export function errorText(body: string, secrets: readonly string[]): string | undefined {
  if (body.length > mostRead) return undefined;
  try {
    return cleaned(messageIn(JSON.parse(body)), body, secrets);
  } catch {
    return cleaned(body, body, secrets);
  }
}

/**
 * The error in a 2xx without a record. A `message` counts only with `success: false`: otherwise it may report a success, and
 * contain the new secret.
 */
export function errorInPlace(body: string, answer: unknown, secrets: readonly string[]): string | undefined {
  if (typeof answer !== "object" || answer === null || body.length > mostRead) return undefined;
  const { error, errors, message, success } = answer as Record<string, unknown>;
  return cleaned(messageIn({ error, errors, detail: success === false && message }), body, secrets);
}
