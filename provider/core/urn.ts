/** The resource's name in the program: what follows the type, which may contain colons. */
export function nameIn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}
