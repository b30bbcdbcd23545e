import type { Dialect, Endpoint, StandIn, TenantOptions } from "../../standin";

/** What follows a resource's name in the program, as text. */
export type Declaration = string;

/** A declaration and one that takes its place. */
export interface Pair {
  readonly before: Declaration;
  readonly after: Declaration;
}

/** A field that changes in place, shown by a resource of its own. */
interface ManagedField extends Pair {
  readonly field: string;
  /** The field's value before and after, in canonical form. Nothing else differs. */
  readonly values: readonly [before: unknown, after: unknown];
  /** Where the values differ, as the plugin's preview shows it. Default: the field. */
  readonly paths?: readonly string[];
  /** Somebody else changes the field; its value is then `drifted`. */
  drift(service: StandIn, id: string): void;
  readonly drifted: unknown;
}

/** A resource with secrets in its inputs. */
interface Hidden {
  readonly declaration: Declaration;
  /** What no output may ever show. */
  readonly texts: readonly string[];
  /** Somebody else changes a field, so that a refresh writes the inputs anew. */
  drift(service: StandIn, id: string): void;
}

/** What the lifecycle suite has to know of a resource. What the resource doesn't have is an empty list. */
export interface LifecycleCase {
  readonly kind: string;
  /** Default: the stand-in's. */
  readonly tenants?: readonly TenantOptions[];
  /** A program with these resources. Of each it puts out `<name>Id` and, where there is one, `<name>Secret`. */
  program(resources: Readonly<Record<string, Declaration>>): string;
  /** Methods of the requests that each operation makes for one resource, the write last. */
  readonly calls: {
    /** A list that creates of one workspace share, so that how often it is asked for is a matter of time. */
    readonly shared?: Endpoint;
    readonly create: readonly string[];
    readonly update: readonly string[];
    readonly delete: readonly string[];
  };
  readonly managed: readonly ManagedField[];
  /** Outputs that an update may change, so that no preview of one knows them. */
  readonly computed: readonly string[];
  /** Other spellings of the same, by what differs. */
  readonly respelled: Readonly<Record<string, Pair>>;
  /** Fields whose change makes another object. */
  readonly replacing: Readonly<Record<string, Pair>>;
  /** Replacements for which the program asks that the old object goes first. */
  readonly deletesFirst: readonly Pair[];
  /** Ways in which the service may delete. */
  readonly deleting: readonly Partial<Dialect>[];
  /** What somebody else changes in the first of `replacing` although nobody can, and what the refresh warns of. */
  readonly fixed: readonly { drift(service: StandIn, id: string): void; readonly warns: string }[];
  /** A resource that somebody else deletes; `after` differs in a field that changes in place. */
  readonly deletable: Pair;
  delete(service: StandIn, id: string): void;
  readonly hidden: readonly Hidden[];
  /** The secret of an object, as the service knows it. */
  secretOf(service: StandIn, id: string): string | undefined;
  /** What is in the service that destroy should have removed. */
  leftOver(service: StandIn): readonly unknown[];
}
