/** The state of a failure travels in gRPC headers. The engine accepts 16 MiB of base64; more ends the connection. */
export const mostKept = 11 * 1_024 * 1_024;

/** An upper bound for the bytes of a value as a protobuf Value, with its tags and lengths. */
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

/** Whether the engine can save this state after a failure, with what the host adds to it. */
export function isKeepable(state: unknown): boolean {
  return encodedBytes(state) + 1_024 <= mostKept;
}
