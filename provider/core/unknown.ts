/**
 * Pulumi's unknown values. In previews, and in the diff of an update, they arrive as these strings, at any depth and
 * whatever the field's type. Source: Pulumi's provider protocol.
 */
export const unknownSentinels: readonly string[] = [
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9", // string
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // list
  "030794c1-ac77-496b-92df-f27374a8bd58", // asset
  "e48ece36-62e2-4504-bad9-02848725956a", // archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
];

/** An unknown value of any type. */
export const unknown = unknownSentinels[0] as string;

const sentinels = new Set<unknown>(unknownSentinels);

export function isUnknown(value: unknown): boolean {
  return sentinels.has(value);
}

/** Whether the value is unknown, or contains an unknown value. */
export function containsUnknown(value: unknown): boolean {
  return contains(value, isUnknown);
}

/** Whether `isIt` holds for the value itself or, at any depth of lists and objects, for a value in it. */
export function contains(value: unknown, isIt: (inner: unknown) => boolean): boolean {
  if (typeof value !== "object" || value === null) return isIt(value);
  return Object.values(value).some((inner) => contains(inner, isIt));
}
