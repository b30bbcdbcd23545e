/**
 * The state of a failure travels in headers, of which the engine takes 16 MiB in base64; more would end the connection.
 */
export const mostKept = 11 * 1_024 * 1_024;

/** At most so many bytes does a value take as a protobuf Value: each has its tags and lengths. */
export function encodedBytes(value: unknown): number {
  const framed = 24;
  if (typeof value === "string") return framed + Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return framed;
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + encodedBytes(entry), framed);
  return Object.entries(value).reduce(
    (sum, [name, entry]) => sum + framed + Buffer.byteLength(name) + encodedBytes(entry),
    framed,
  );
}

/** Whether the engine can keep a state of a failure, with what the host adds to it. */
export function isKeepable(state: unknown): boolean {
  return encodedBytes(state) + 1_024 <= mostKept;
}
