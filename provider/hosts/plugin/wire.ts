/**
 * The engine's properties on Pulumi's wire, where secrets are marked in place. They are read and written as plain values:
 * google-protobuf keeps several objects for each value, which for a set of a thousand keys takes more time and memory than
 * all else that the plugin does.
 */
import type { BinaryReader, BinaryWriter, Message } from "google-protobuf";
import { NullValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { isMarked, markedAt, type SecretPath } from "../../core/secrecy";
import { isRecord, type Properties } from "../../core/state";

const values = new WeakMap<Struct, Properties>();

// Every message that has a Struct calls these.
Struct.deserializeBinaryFromReader = (struct, reader) => {
  values.set(struct, readStruct(reader));
  return struct;
};
Struct.serializeBinaryToWriter = (struct, writer) => writeStruct(values.get(struct) ?? {}, writer);

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
    if (!isRecord(value)) return value;
    if (isMarked(value)) {
      secrets.push(path as SecretPath);
      return plain(value.value, path, true);
    }
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([name, inner]) => [name, plain(inner, isWhole ? path : [...path, name], isWhole)]),
    );
  };
  const properties = plain((struct && values.get(struct)) ?? {}, [], false) as Properties;
  return { properties, secrets };
}

/** The properties with the values at these paths marked as secret. */
export function toStruct(properties: Properties, secrets: readonly SecretPath[] = []): Struct {
  const struct = new Struct();
  values.set(struct, markedAt(properties, secrets));
  return struct;
}

/** Calls `read` for each field; it must take or skip the field's value. */
function eachField(reader: BinaryReader, read: (field: number) => void): void {
  while (reader.nextField() && !reader.isEndGroup()) read(reader.getFieldNumber());
}

function within<T>(reader: BinaryReader, read: (reader: BinaryReader) => T): T {
  let found: T | undefined;
  reader.readMessage(undefined as never, () => {
    found = read(reader);
  });
  return found as T;
}

function readStruct(reader: BinaryReader): Properties {
  const entries: (readonly [string, unknown])[] = [];
  eachField(reader, (field) => {
    if (field === 1) entries.push(within(reader, readEntry));
    else reader.skipField();
  });
  // On the wire they have no order; messages about them need one.
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function readEntry(reader: BinaryReader): readonly [string, unknown] {
  let name = "";
  let value: unknown = null;
  eachField(reader, (field) => {
    if (field === 1) name = reader.readString();
    else if (field === 2) value = within(reader, readValue);
    else reader.skipField();
  });
  return [name, value];
}

function readValue(reader: BinaryReader): unknown {
  let value: unknown = null;
  eachField(reader, (field) => {
    if (field === 2) value = reader.readDouble();
    else if (field === 3) value = reader.readString();
    else if (field === 4) value = reader.readBool();
    else if (field === 5) value = within(reader, readStruct);
    else if (field === 6) value = within(reader, readList);
    else reader.skipField();
  });
  return value;
}

function readList(reader: BinaryReader): readonly unknown[] {
  const list: unknown[] = [];
  eachField(reader, (field) => {
    if (field === 1) list.push(within(reader, readValue));
    else reader.skipField();
  });
  return list;
}

function inside(writer: BinaryWriter, field: number, write: () => void): void {
  writer.writeMessage(field, {} as Message, write);
}

function writeStruct(properties: Properties, writer: BinaryWriter): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    inside(writer, 1, () => {
      writer.writeString(1, name);
      inside(writer, 2, () => writeValue(value, writer));
    });
  }
}

function writeValue(value: unknown, writer: BinaryWriter): void {
  if (typeof value === "number") writer.writeDouble(2, value);
  else if (typeof value === "string") writer.writeString(3, value);
  else if (typeof value === "boolean") writer.writeBool(4, value);
  else if (isRecord(value)) inside(writer, 5, () => writeStruct(value, writer));
  else if (Array.isArray(value)) {
    inside(writer, 6, () => {
      for (const one of value) inside(writer, 1, () => writeValue(one, writer));
    });
  } else writer.writeEnum(1, NullValue.NULL_VALUE);
}
