const withoutCodes = (text: string) => text.replaceAll(/APIKEYS\d{4}: /g, "");

/**
 * The words of an error in one line, without codes: for tests that are about neither. test/unit/core/errors.test.ts tests how
 * messages are laid out.
 */
export function inWords(message: string): string {
  const [first = "", ...rest] = message.split("\n").map(withoutCodes);
  // A summary that was cut is followed by all of it.
  const isCut = first.includes("…") && rest[0]?.startsWith(first.slice(0, 60));
  return (isCut ? rest : [first, ...rest]).join(" ");
}
