import type { Endpoint, Fault, KeyChange, KeyScopeChange, Variant, WorkspaceChange } from "../../standin";

/** What one run of the campaign does: made from its seed alone, and plain data, so that it can be printed. */
export interface Schedule {
  readonly seed: number;
  /** The name by which the variant is told. */
  readonly variantName: string;
  readonly variant: Variant;
  readonly workspaceId: string;
  /** Whether the engine runs the operations of one command at once. */
  readonly parallel: boolean;
  /** Keys that somebody else has made before the first command, and programs adopt. */
  readonly existing: readonly ExistingKey[];
  readonly steps: readonly Step[];
  /** What goes wrong in the destroy at the end. */
  readonly ending: Trouble;
}

export type Properties = Readonly<Record<string, unknown>>;
export type Kind =
  | "ApiKey"
  | "ApiKeySet"
  | "RotatingApiKey"
  | "WorkspaceSettings"
  | "Scope"
  | "CustomerBilling";

export interface ExistingKey {
  readonly id: string;
  readonly customerId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly scopes: readonly KeyScopeChange[];
}

/** One resource of a program. */
export interface Declared {
  readonly name: string;
  readonly kind: Kind;
  readonly inputs: Properties;
  /** The option retainOnDelete. */
  readonly retain?: boolean | undefined;
  /** The key that another resource has: its id, which only a run tells, is to be declared too, or no longer. */
  readonly shares?: { readonly place: string; readonly adopts: boolean };
}
export type Program = readonly Declared[];

export interface Step extends Trouble {
  readonly program: Program;
  /** How many days pass before the command: fewer than none where somebody sets the clock back. */
  readonly days: number;
  /** Changes that somebody else makes before the command. */
  readonly drifts: readonly Drift[];
  readonly command: "up" | "refresh" | "upRefresh";
}

/** What goes wrong in one command. */
export interface Trouble {
  readonly faults: readonly CampaignFault[];
  readonly outage: Outage | undefined;
  readonly interruption: Interruption | undefined;
}

/** A fault rule, as data. */
export interface CampaignFault {
  /** Default: all. */
  readonly endpoint?: readonly Endpoint[];
  readonly method?: string;
  readonly after: number;
  readonly times: number;
  readonly fault: Fault;
}

/** A key is named by its place in the program: its resource, its set and alias, or what it is to a rotating key. */
export type Drift =
  | { readonly kind: "editKey"; readonly place: string; readonly change: KeyChange }
  | { readonly kind: "useKey"; readonly place: string }
  | { readonly kind: "deleteKey"; readonly place: string }
  | { readonly kind: "editWorkspace"; readonly change: WorkspaceChange };

/** The service is down from a moment of the command on, until so many repetitions of it have failed. */
export interface Outage {
  /** 0: before the command; else after so many of its requests were answered. */
  readonly afterRequests: number;
  readonly repetitions: number;
}

export interface Interruption {
  readonly kind: InterruptionKind;
  /** Counted in the command's requests. */
  readonly at: { readonly moment: "arrives" | "answered"; readonly writes: boolean; readonly nth: number };
}

/**
 * - ctrlC: the engine waits for what is under way, and begins nothing more.
 * - twoCtrlC: the host is told at once; results are thrown away.
 * - engineKilled: the same, but the host isn't told, and its stderr has no reader any more.
 * - hostKilled: what is under way in the host ends there and then.
 */
export type InterruptionKind = "ctrlC" | "twoCtrlC" | "engineKilled" | "hostKilled";
