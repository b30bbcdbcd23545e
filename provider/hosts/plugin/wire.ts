/** Properties on Pulumi's wire, where secrets are marked in place. */
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { isMarked, markedAt, type SecretPath } from "../../core/secrecy";
import { isRecord, type Properties } from "../../core/state";
import { propertiesOf, structOf } from "./struct";

interface Received {
  /** The values, secret or not. */
  readonly properties: Properties;
  /** The paths of those that are marked; a list is secret as a whole. */
  readonly secrets: readonly SecretPath[];
}

export function fromStruct(struct: Struct | undefined): Received {
  const secrets: SecretPath[] = [];
  // `isWhole`: the value at the path is secret as a whole, or not at all.
  const plain = (value: unknown, path: readonly string[], isWhole: boolean): unknown => {
    if (Array.isArray(value)) return value.map((entry) => plain(entry, path, true));
    if (isMarked(value)) {
      secrets.push(path as SecretPath);
      return plain(value.value, path, true);
    }
    return isRecord(value) ? entries(value, path, isWhole) : value;
  };
  const entries = (all: Properties, path: readonly string[], isWhole: boolean): Properties =>
    Object.fromEntries(
      Object.entries(all).map(([name, value]) => [
        name,
        plain(value, isWhole ? path : [...path, name], isWhole),
      ]),
    );
  return { properties: entries(propertiesOf(struct), [], false), secrets };
}

/** The properties with the values at these paths marked as secret. */
export function toStruct(properties: Properties, secrets: readonly SecretPath[] = []): Struct {
  return structOf(markedAt(properties, secrets));
}
