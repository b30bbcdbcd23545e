/** The schema's types, from those of the SDK. */
import ts from "typescript";
import type { Member, Sdk } from "./sdk";

interface TypeSpec {
  readonly type?: string;
  readonly items?: TypeSpec;
  readonly additionalProperties?: TypeSpec;
  readonly $ref?: string;
}

export interface PropertySpec extends TypeSpec {
  readonly description: string;
  readonly secret?: true;
  readonly willReplaceOnChanges?: true;
}

export interface ObjectSpec {
  readonly description?: string;
  readonly type: "object";
  readonly properties: Readonly<Record<string, PropertySpec>>;
  readonly required?: readonly string[];
}

/** Where in a value its secrets are: the names that lead to them, "*" for any; `true` for the value itself. */
type Secret = true | readonly string[] | undefined;

export interface Types {
  property(member: Member, owner: string, secret?: Secret): PropertySpec;
  object(type: ts.Type, owner: string, secret?: Secret): ObjectSpec;
  /** The objects with a name that came up so far, by token. */
  readonly named: Readonly<Record<string, ObjectSpec>>;
}

const { TypeFlags } = ts;

export function typesOf(sdk: Sdk): Types {
  const named: Record<string, ObjectSpec> = {};

  function property({ name, type, comment }: Member, owner: string, secret?: Secret): PropertySpec {
    if (comment === "") throw new Error(`${owner}.${name} has no doc comment in sdk/`);
    const spec = specOf(type, `${owner}.${name}`, secret === true ? undefined : secret);
    return { ...spec, description: comment, ...(isSecret(secret) && { secret: true }) };
  }

  function object(type: ts.Type, owner: string, secret?: Secret): ObjectSpec {
    const members = sdk.members(type);
    const required = members.filter(({ optional }) => !optional).map(({ name }) => name);
    return {
      type: "object",
      properties: Object.fromEntries(
        members.map((member) => [member.name, property(member, owner, below(secret, member.name))]),
      ),
      ...(required.length > 0 && { required }),
    };
  }

  function specOf(type: ts.Type, where: string, secret: Secret): TypeSpec {
    const known = sdk.known(type);
    const may = (flag: ts.TypeFlags) => known.some(({ flags }) => (flags & flag) !== 0);
    if (may(TypeFlags.Any | TypeFlags.Unknown)) return { $ref: "pulumi.json#/Any" };
    // A value that may also be a number is passed on as a string, which loses nothing.
    if (may(TypeFlags.StringLike)) return { type: "string" };
    if (may(TypeFlags.NumberLike)) return { type: isSmall(where) ? "integer" : "number" };
    if (may(TypeFlags.BooleanLike)) return { type: "boolean" };
    const [only, ...others] = known;
    if (only === undefined || others.length > 0) throw new Error(`${where} has no type in a schema`);
    const items = sdk.entryOf(only);
    if (items !== undefined) return { type: "array", items: specOf(items, where, below(secret, "*")) };
    const values = only.getStringIndexType();
    if (values !== undefined) {
      return { type: "object", additionalProperties: specOf(values, where, below(secret, "*")) };
    }
    return { $ref: `#/types/${nameObject(only, where, secret)}` };
  }

  /** A class of arguments and what it becomes are one type in a schema. */
  function nameObject(type: ts.Type, where: string, secret: Secret): string {
    const name = (type.aliasSymbol ?? type.symbol).name;
    if (name.startsWith("__")) throw new Error(`${where} is an object whose type has no name in sdk/`);
    const token = `apikeys:index:${name.replace(/Args$/, "")}`;
    named[token] ??= { description: sdk.comment(name), ...object(type, name, secret) };
    return token;
  }

  return { property, object, named };
}

/**
 * All numbers are whole, but an integer has 32 bits in C# and Java: a time in milliseconds doesn't fit, and C# turns one that
 * the service returns into another number.
 */
function isSmall(where: string): boolean {
  return where.endsWith(".defaultRateLimitPerSecond");
}

function isSecret(secret: Secret): boolean {
  return secret === true || secret?.length === 0;
}

function below(secret: Secret, name: string): Secret {
  if (secret === true || secret === undefined) return undefined;
  const [first, ...rest] = secret;
  return first === name ? rest : undefined;
}
