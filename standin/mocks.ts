/** Mocks for unit tests: they give each resource the outputs that a new one would have. See docs/testing.md. */
import type * as pulumi from "@pulumi/pulumi";
import { mask, newId, newSecret } from "./identity";
import { defaultVariant } from "./variant";

// biome-ignore lint/suspicious/noExplicitAny: inputs have any shape.
type Properties = Readonly<Record<string, any>>;

/** A resource that the program has declared. Its values are in plain text, secrets too. */
export interface MockedResource {
  /** The class, such as `ApiKey`. For a resource of another package: its type. */
  readonly kind: string;
  /** The resource's name in the program. */
  readonly name: string;
  /** Its id. */
  readonly id: string;
  /** The inputs that the program declares. */
  readonly inputs: pulumi.runtime.MockResourceArgs["inputs"];
  /** The inputs, and what the service and the provider add. */
  readonly outputs: pulumi.runtime.MockResourceResult["state"];
  /** The URN and the id of its explicit Provider. */
  readonly provider: string | undefined;
  /** Whether the program only reads it, with `get`. */
  readonly isRead: boolean;
}

/** The result of {@link mocks}. */
export interface Mocks extends pulumi.runtime.Mocks {
  /** All resources so far, in the order in which Pulumi registered them. */
  readonly resources: readonly MockedResource[];
}

/**
 * Mocks for `pulumi.runtime.setMocks`. Ids and secrets look like those of a real service. As after an update, `key`,
 * `secrets` and `previousKey` are Pulumi secrets, and `name`, `scopes` and `enabled` have defaults. A RotatingApiKey
 * looks like one after its first rotation. A resource of another package has its inputs as outputs.
 */
export function mocks(): Mocks {
  const resources: MockedResource[] = [];
  const newResource = ({ type, name, inputs, provider, id: given }: pulumi.runtime.MockResourceArgs) => {
    const kind = /\bapikeys:(?:index:)?(\w+)$/.exec(type)?.[1] ?? type;
    const declared = withoutHidden(inputs);
    const isRead = inputs["__external"] === true;
    const plain = revealed(declared) as Properties;
    const { id: made, ...computed } = (isRead ? undefined : outputs[kind]?.(name, plain)) ?? {};
    const id: string = given || made || `${name}-id`;
    const state = { ...computed, ...declared };
    const shown = { inputs: plain, outputs: revealed(state) as Properties };
    resources.push({ kind, name, id, ...shown, provider: provider || undefined, isRead });
    return { id, state };
  };
  return { newResource, call: ({ inputs }: pulumi.runtime.MockCallArgs) => inputs, resources };
}

const anyId = (kind: "key" | "sc" | "bill") => newId(kind, defaultVariant);

/** The outputs that the service and the provider add to the inputs of each class. */
const outputs: Readonly<Record<string, (name: string, inputs: Properties) => Properties>> = {
  ApiKey: (name, inputs) => ({ name, scopes: [], enabled: true, ...times(), ...newKey(inputs) }),
  RotatingApiKey: (name, inputs) => {
    const previous = newKey(inputs);
    const { id: keyId, ...current } = newKey({ prefix: inputs["prefix"] });
    return {
      ...{ name, scopes: [], enabled: true, overlap: "7d", retire: "afterOverlap", ...times() },
      ...{ id: `rotating-${anyId("key")}`, keyId, ...current },
      ...{ previousKeyId: previous["id"], previousKey: previous["key"] },
    };
  },
  ApiKeySet: (_, { keys = {}, defaults = {} }) => {
    const made = Object.entries<Properties>(keys).map(
      ([alias, entry]) => [alias, newKey({ ...defaults, ...entry })] as const,
    );
    const byAlias = (field: string) =>
      Object.fromEntries(made.flatMap(([alias, key]) => (field in key ? [[alias, key[field]]] : [])));
    return {
      id: `keys-${anyId("key")}`,
      ids: byAlias("id"),
      maskedKeys: byAlias("maskedKey"),
      secrets: secret(revealed(byAlias("key"))),
    };
  },
  WorkspaceSettings: (_, { workspaceId }) => ({ id: workspaceId, name: "Main", teamId: "team_1" }),
  Scope: (name) => ({ name, id: anyId("sc"), ...times() }),
  CustomerBilling: (_, { billingId = anyId("bill") }) => ({ id: billingId, billingId, grant: "initial" }),
};

function times(): Properties {
  const now = new Date().toISOString();
  return { createdAt: now, updatedAt: now };
}

/** The service shows no secret of a key that is adopted, but the program may give it. */
function newKey({ existingId, existingKey, prefix }: Properties): Properties {
  if (existingId && !existingKey) return { id: existingId };
  const value: string = existingKey ?? newSecret(prefix ?? undefined);
  return { id: existingId ?? anyId("key"), key: secret(value), maskedKey: mask(value) };
}

/** Names that begin with `__` are the package's own. */
function withoutHidden(inputs: Properties): Properties {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !name.startsWith("__")));
}

/** How Pulumi marks a secret in what it passes to mocks and takes from them. */
const mark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

function secret(value: unknown): Properties {
  return { ...mark, value };
}

/** The value with its secrets in plain text, at any depth. */
function revealed(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(revealed);
  const [sign] = Object.keys(mark) as [keyof typeof mark];
  if ((value as Properties)[sign] === mark[sign]) return revealed((value as Properties)["value"]);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, revealed(each)]));
}
