import type { Endpoint, StandIn, TenantOptions, Variant } from "../../standin";

/** The source text after a resource's name in the program. */
export type Declaration = string;

/** A declaration, and the one that replaces it. */
export interface Pair {
  readonly before: Declaration;
  readonly after: Declaration;
}

/** A field that changes in place, tested with a resource of its own. */
interface ManagedField extends Pair {
  readonly field: string;
  /** The field's value before and after, in canonical form. Nothing else differs. */
  readonly values: readonly [before: unknown, after: unknown];
  /** The paths that the plugin's preview shows as changed. Default: the field. */
  readonly paths?: readonly string[];
  /** The requests that confirm the update, beside those of the suite. Default: none. */
  readonly confirmedBy?: readonly string[];
  /** Changes the field outside Pulumi to `drifted`. */
  drift(service: StandIn, id: string): void;
  readonly drifted: unknown;
}

/** A resource with secrets in its inputs. */
interface Hidden {
  readonly declaration: Declaration;
  /** Strings that must never be printed. */
  readonly texts: readonly string[];
  /** Changes a field outside Pulumi, so that a refresh returns new inputs. */
  drift(service: StandIn, id: string): void;
}

/** Deletions outside Pulumi. */
interface Deletion {
  /** Ways in which the service deletes. */
  readonly ways: readonly Partial<Variant>[];
  /** What is deleted; `after` differs in a field that changes in place. */
  readonly resource: Pair;
  by(service: StandIn, id: string): void;
}

/** What the lifecycle suite needs to know about a resource. What doesn't apply to it is left out. */
export interface LifecycleCase {
  readonly kind: string;
  /** Default: the stand-in's. */
  readonly tenants?: readonly TenantOptions[];
  /** A program with these resources. It exports `<name>Id` of each and, if there is a secret, `<name>Secret`. */
  program(resources: Readonly<Record<string, Declaration>>): string;
  /** Methods of the requests that each operation sends for one resource, the write last. */
  readonly calls: {
    /** A list that the creates of one workspace share, so the number of its requests depends on timing. */
    readonly shared?: Endpoint;
    readonly create: readonly string[];
    readonly update: readonly string[];
    readonly delete: readonly string[];
  };
  readonly managed?: readonly ManagedField[];
  /** Outputs that an update may change, so they are unknown in its preview. */
  readonly computed?: readonly string[];
  /** The same values written differently, by what differs. */
  readonly respelled: Readonly<Record<string, Pair>>;
  /** Fields whose change replaces the resource. */
  readonly replacing: Readonly<Record<string, Pair>>;
  /** Replacements with deleteBeforeReplace. */
  readonly deletesFirst?: readonly Pair[];
  /** Changes made outside Pulumi to fixed fields, in the first resource of `replacing`, and the warning of the refresh if there is one. */
  readonly fixed?: readonly { drift(service: StandIn, id: string): void; readonly warns?: string }[];
  readonly deletion?: Deletion;
  readonly hidden?: readonly Hidden[];
  /** The secret of an object, as the service has it. */
  secretOf?(service: StandIn, id: string): string | undefined;
  /** What destroy should have removed but is still in the service. */
  leftOver?(service: StandIn): readonly unknown[];
}
