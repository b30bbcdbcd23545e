/**
 * The words of an error in one line, without codes: for tests that are about neither. test/unit/core/errors.test.ts tests how
 * messages are laid out.
 */
export function inWords(message: string): string {
  return message.replaceAll(/APIKEYS\d{4}: /g, "").replaceAll("\n", " ");
}
