export const masked = "[secret]";

const jsonInner = (text: string): string => JSON.stringify(text).slice(1, -1);
const unicodeEscaped = (text: string): string =>
  jsonInner(text).replace(
    /[^\x20-\x7e]|[<>&'+=/]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function encoded(text: string): string[] {
  try {
    const component = encodeURIComponent(text);
    return [
      component,
      encodeURI(text),
      component.replaceAll("%20", "+"),
      new URLSearchParams([["", text]]).toString().slice(1),
    ];
  } catch {
    return [];
  }
}

const entities = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function spellings(secret: string): string[] {
  const json = jsonInner(secret);
  return [
    secret,
    json,
    jsonInner(json),
    json.replaceAll("/", "\\/"),
    unicodeEscaped(secret),
    entities(secret),
    ...encoded(secret),
    secret.trim(),
  ];
}

/**
 * The text with every occurrence of the secrets replaced by "[secret]", in upper or lower case, also where they
 * stand in it JSON-escaped, URL-encoded or as HTML.
 */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  // The longest first: of two secrets one may begin with the other.
  const all = [...new Set(secrets.flatMap(spellings))]
    .filter((spelling) => spelling !== "")
    .sort((a, b) => b.length - a.length);
  if (all.length === 0) return text;
  const pattern = all.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|");
  return text.replace(new RegExp(pattern, "gi"), masked);
}
