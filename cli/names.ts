import { capitalised } from "../provider/core/text";

/** Names for declarations in a program, derived from names in the service, which may contain anything. */

const longest = 64;

/** A name for a resource or an alias: letters and digits of any script, "-" and "_". */
export function resourceName(name = ""): string {
  return cut(name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}_]+/gu, "-"));
}

/** A name that can become an identifier, as in Pulumi's own code generators: ASCII, with a letter first. */
export function plainName(name = ""): string {
  const ascii = name.normalize("NFKD").replace(/\p{M}+/gu, "");
  const made = cut(ascii.replace(/\W+/g, "-"));
  return /^\d/.test(made) ? `key-${made}` : made;
}

/** Shortens a name and removes separators at its ends. State has no alias that begins with two underscores. */
function cut(name: string): string {
  const made = name.replace(/^[-_]+/, "");
  const short = Array.from(made).slice(0, longest).join("").replace(/-+$/, "");
  return short === "" ? "key" : short;
}

/** Names that no constant can have, and those that the program uses itself. */
const reserved = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export exports
  extends false finally for function globalThis if implements import in instanceof interface keyIds let module new null
  package private protected public require return static super switch this throw true try typeof undefined var void
  while with workspaceId yield`.split(/\s+/),
);

/** The name of a constant: camel case, so that it hides no class, and ASCII, for old compilers. */
export function identifier(name: string): string {
  const [first = "", ...others] = plainName(name).split(/[-_]+/);
  const isShouted = first === first.toUpperCase();
  const begun = isShouted ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1);
  const made = begun + others.map(capitalised).join("");
  return reserved.has(made) ? `${made}Key` : made;
}

/** Makes names unique by appending numbers. Case is ignored, because names that differ only in case are easily confused. */
export function uniqueNames(taken: Iterable<string> = []): (name: string, separator: string) => string {
  const used = new Set(Array.from(taken, (name) => name.toLowerCase()));
  const last = new Map<string, number>();
  return (name, separator) => {
    let unique = name;
    for (let n = last.get(name) ?? 2; used.has(unique.toLowerCase()); n += 1) {
      unique = `${name}${separator}${n}`;
      last.set(name, n + 1);
    }
    used.add(unique.toLowerCase());
    return unique;
  };
}
