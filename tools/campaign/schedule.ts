import {
  defaultVariant,
  type Endpoint,
  type Fault,
  type KeyChange,
  namedVariants,
  type Variant,
  type VariantName,
  type WorkspaceChange,
} from "../../standin";
import { laterMs, variantValues } from "../../test/host/serverVariants";
import { type InterruptionKind, interruptions } from "./actor";
import { type Draw, drawing } from "./draw";
import { declaredKeys } from "./heldKeys";
import { drawPrograms, type ExistingKey, type Program, scopeSets } from "./program";
import { withSharing } from "./sharing";

/** The plan of one run of the campaign. It follows from its seed alone, and is plain data, so that it can be printed. */
export interface Schedule {
  readonly seed: number;
  readonly variantName: string;
  readonly variant: Variant;
  readonly workspaceId: string;
  /** Whether the engine runs the operations of one command at once. */
  readonly parallel: boolean;
  readonly existing: readonly ExistingKey[];
  readonly steps: readonly Step[];
  /** Trouble in the destroy at the end. */
  readonly ending: Trouble;
}

interface Step extends Trouble {
  readonly program: Program;
  /** How many days pass before the command: fewer than none where somebody sets the clock back. */
  readonly days: number;
  /** Changes that somebody else makes before the command, also those between its preview, which reads nothing, and itself. */
  readonly drifts: readonly Drift[];
  readonly command: "up" | "refresh";
}

/** Everything that goes wrong in one command. */
export interface Trouble {
  readonly faults: readonly CampaignFault[];
  readonly outage: Outage | undefined;
  readonly interruption: Interruption | undefined;
}

/** A fault rule, as data. */
interface CampaignFault {
  /** Default: all. */
  readonly endpoint?: readonly Endpoint[];
  readonly after: number;
  readonly times: number;
  readonly fault: Fault;
}

/** A key is named by its place in the program: its resource, its set and alias, or what it is to a rotating key. */
export type Drift =
  | { readonly kind: "editKey"; readonly place: string; readonly change: KeyChange }
  | { readonly kind: "useKey" | "deleteKey"; readonly place: string }
  | { readonly kind: "editWorkspace"; readonly change: WorkspaceChange };

/** The service is down from a moment of the command on, until this number of repetitions of it have failed. */
interface Outage {
  /** 0: before the command; else after this number of its requests were answered. */
  readonly afterRequests: number;
  readonly repetitions: number;
}

export interface Interruption {
  readonly kind: InterruptionKind;
  /** Counted in the command's requests. */
  readonly at: { readonly moment: "arrives" | "answered"; readonly writes: boolean; readonly nth: number };
}

export function drawSchedule(seed: number): Schedule {
  const draw = drawing(seed);
  const byHand = drawing(-seed);
  const [variantName, options] = drawVariant(draw);
  // A pause for the pace would take whole seconds; faults bring 429 too.
  const plain = { ...defaultVariant, ...options, rateLimitPerSecond: 0, laterMs };
  // Secrets come from errors that repeat the request.
  const echoing: Variant = draw.chance(25) ? { ...plain, errorEchoes: "request" } : plain;
  const cut = { listLimit: draw.number(2, 6), listPages: draw.one(variantValues.listPages) };
  const variant: Variant = draw.chance(15) ? { ...echoing, ...cut } : echoing;
  const workspaceId = { text: "ws_main", numeric: "4711", odd: "ws main/ü%2F?#" }[variant.ids];
  const idPrefix = { text: "key_existing_", numeric: "9000", odd: "key existing/ü%2F?#" }[variant.ids];
  const parallel = draw.chance(35);
  const existing: ExistingKey[] = [];
  const next = drawPrograms({ draw, workspaceId, parallel, idPrefix, existing });
  const drawn = Array.from({ length: draw.number(2, 6) }, next);
  const programs = draw.chance(50) ? drawn : withSharing(draw, workspaceId, drawn);
  const trouble = () => drawTrouble(draw, variant);
  const steps = programs.map((program, n): Step => {
    const command = n === 0 ? "up" : draw.one(["up", "up", "up", "refresh"] as const);
    const isRotating = program.some(({ kind }) => kind === "RotatingApiKey");
    const days = isRotating && n > 0 ? draw.one(pauses) : 0;
    const before = programs[n - 1] ?? [];
    const drifts = [...drawDrifts(draw, before), ...(command === "up" ? drawHandEdits(byHand, before) : [])];
    return { program, days, drifts, command, ...trouble() };
  });
  return { seed, variantName, variant, workspaceId, parallel, existing, steps, ending: trouble() };
}

/** Days: shorter than an overlap, longer than one, longer than it takes until a key is due, and back again. */
const pauses = [0, 0, 0.5, 1, 3, 8, 8, 8, 15, 31, 31, 31, 100, -1, -40] as const;

function drawVariant(draw: Draw): readonly [string, Partial<Variant>] {
  const which = draw.number(1, 100);
  if (which <= 25) return ["default", {}];
  if (which <= 65) {
    const name = draw.one(Object.keys(namedVariants) as VariantName[]);
    return [name, namedVariants[name]];
  }
  const options = Array.from({ length: draw.number(1, 4) }, () => {
    const option = draw.one(
      (Object.keys(variantValues) as (keyof Variant)[]).filter((one) => !undrawn.has(one)),
    );
    return [option, draw.one<unknown>(variantValues[option])] as const;
  });
  return [options.map(([option, value]) => `${option}=${value}`).join(" "), Object.fromEntries(options)];
}

const undrawn: ReadonlySet<keyof Variant> = new Set<keyof Variant>([
  // The same in all.
  "laterMs",
  // A new key that is to be taken back can't be told from one that is gone while requests do not find it.
  "newKeys",
  // They are drawn together.
  "listLimit",
  "listPages",
  // A fault does it, since no program converges on such a service.
  "createAnswer",
]);

function placesIn(program: Program): readonly string[] {
  return program.flatMap((declared) =>
    declaredKeys(declared).flatMap(({ place }) =>
      declared.kind === "RotatingApiKey" ? [place, `${place}.previous`] : [place],
    ),
  );
}

/** Draws changes made outside Pulumi. */
function drawDrifts(draw: Draw, program: Program): readonly Drift[] {
  const places = placesIn(program);
  return Array.from({ length: draw.one([0, 0, 0, 1, 1, 2]) }, (): Drift => {
    if (places.length === 0 || draw.chance(15)) {
      return { kind: "editWorkspace", change: { defaultRateLimitPerSecond: 50 } };
    }
    const place = draw.one(places);
    if (draw.chance(50)) return { kind: draw.one(["useKey", "deleteKey"]), place };
    const change = draw.one([
      { name: "renamed elsewhere" },
      { enabled: draw.chance(50) },
      { scopes: [{ representation: "orders", create: true, read: true, update: true, del: true }] },
      { scopes: draw.one(scopeSets) },
    ]);
    return { kind: "editKey", place, change };
  });
}

/** Draws changes made by hand between a preview and its update: of a right, of another field, or of both. */
function drawHandEdits(draw: Draw, program: Program): readonly Drift[] {
  const places = placesIn(program);
  if (!draw.chance(40)) return [];
  const [isRight, isOther] = draw.one([
    [true, false],
    [true, false],
    [false, true],
    [true, true],
  ] as const);
  if (places.length === 0 || draw.chance(25)) {
    const rights = { defaultAllowedIPs: draw.one([["10.9.9.9"], []]) };
    const change = { ...(isRight && rights), ...(isOther && { defaultRateLimitPerSecond: 70 }) };
    return [{ kind: "editWorkspace", change }];
  }
  const rights = draw.chance(60) ? { enabled: draw.chance(30) } : { scopes: draw.one(scopeSets) };
  const change = { ...(isRight && rights), ...(isOther && { name: "renamed by hand" }) };
  return [{ kind: "editKey", place: draw.one(places), change }];
}

function drawTrouble(draw: Draw, variant: Variant): Trouble {
  if (draw.chance(20)) return { faults: [], outage: undefined, interruption: undefined };
  return {
    faults: drawFaults(draw).filter((rule) => isDetectable(variant, rule)),
    outage: draw.chance(12)
      ? { afterRequests: draw.one([0, 0, 1, 2, 3, 5]), repetitions: draw.number(0, 3) }
      : undefined,
    interruption: draw.chance(25)
      ? {
          kind: draw.one(interruptions),
          at: {
            moment: draw.one(["arrives", "answered"]),
            writes: draw.chance(70),
            nth: draw.one([1, 1, 1, 2, 2, 3, 4]),
          },
        }
      : undefined,
  };
}

/** Whether lists lack records, and lead to no page that has them. */
export function isCut({ listLimit, listPages }: Variant): boolean {
  return listLimit > 0 && listPages !== "link" && listPages !== "next";
}

/** Leaves out untrue answers that only a list could contradict, if the service has no such list. */
function isDetectable(variant: Variant, { endpoint, fault }: CampaignFault): boolean {
  // A refusal after which the key, or the scope, is there: one look shows it.
  const { status = 500 } = fault.kind === "errorAfter" ? fault : {};
  const isCreate = endpoint?.some((one) => /^(create|migrate)/.test(one));
  if (isCreate && status < 500 && status !== 409) return variant.listLag === 0 && !isCut(variant);
  const isGone = fault.kind === "status" && (fault.status === 404 || fault.status === 410);
  if (isGone) return variant.listLag === 0 || endpoint === undefined;
  return fault.kind !== "otherRecord" || variant.keyLists === "answered";
}

const writes: readonly Endpoint[] = [
  "createApiKey",
  "migrateApiKey",
  "editApiKey",
  "deleteApiKey",
  "editWorkspace",
  "createScope",
  "createBilling",
];
const reads: readonly Endpoint[] = [
  "listApiKeys",
  "readApiKey",
  "readWorkspace",
  "listScopes",
  "listWorkspaces",
];

function drawFaults(draw: Draw): readonly CampaignFault[] {
  const count = () => ({
    times: draw.one([1, 1, 1, 1, 2, 3, 4, 6]),
    after: draw.one([0, 0, 0, 1, 2]),
  });
  const faults = Array.from({ length: draw.number(0, 3) }, (): CampaignFault => {
    const rule = { fault: draw.one(kinds)(draw), ...count() };
    // A token of another tenant.
    if (is404(rule)) return { ...rule, times: rule.times + 3 };
    const where = draw.number(1, 100);
    if (where <= 60) return { ...rule, endpoint: [draw.one(writes)] };
    return where <= 85 ? { ...rule, endpoint: [draw.one(reads)] } : rule;
  });
  if (draw.chance(70)) return faults;
  // Two untrue answers that agree with each other can't be told from the truth.
  const others = faults.slice(1).filter((rule) => !is404(rule));
  return [{ ...count(), ...draw.one(untrue)(draw) }, ...others];
}

function is404({ fault }: CampaignFault): boolean {
  return fault.kind === "status" && fault.status === 404;
}

/** Untrue answers that a plausible service gives. */
const untrue: readonly ((
  draw: Draw,
) => Pick<CampaignFault, "endpoint" | "fault"> & { readonly times?: number })[] = [
  // Gone, though it lives.
  (draw) => ({
    endpoint: [draw.one(["readApiKey", "editApiKey", "deleteApiKey", "readWorkspace", "editWorkspace"])],
    fault: { kind: "status", status: draw.one([404, 410]) },
  }),
  // The same for a whole route, and for longer than the provider waits.
  (draw) => ({
    endpoint: draw.one<Endpoint[]>([["readApiKey"], ["readApiKey", "editApiKey", "deleteApiKey"]]),
    fault: { kind: "status", status: 404 },
    times: 60,
  }),
  // A proxy repeats it. Of credits, nobody can know.
  (draw) => ({ endpoint: [draw.one(["createApiKey", "migrateApiKey"])], fault: { kind: "twice" } }),
  // Success, though nothing was written. None has the record as it should be: the provider believes that (R4, R7).
  (draw) => ({
    endpoint: [draw.one(["editApiKey", "editWorkspace", "deleteApiKey"])],
    fault: { kind: "withoutEffect", answer: draw.one(["before", "nothing", "emptyObject"]), status: 200 },
  }),
  (draw) => ({
    endpoint: [draw.one(["editApiKey", "editWorkspace", "deleteApiKey"])],
    fault: { kind: "withoutEffect", answer: "before", status: 202 },
  }),
  // Refused, though it was done: something between sent it twice, and hands back the second answer.
  (draw) => ({
    endpoint: [draw.one(["createApiKey", "migrateApiKey", "createScope", "createBilling"])],
    fault: { kind: "errorAfter", status: draw.one([409, 409, 404, 405, 410]) },
  }),
  (draw) => ({
    endpoint: ["deleteApiKey"],
    fault: { kind: "errorAfter", status: draw.one([400, 404, 409, 410, 422]) },
  }),
];

/** Where redirects lead: the service's log shows who follows them. */
export const astray = "/astray";

/** The lost answers, on which secrets and credits depend, come more often than the rest. */
const kinds: readonly ((draw: Draw) => Fault)[] = [
  () => ({ kind: "resetBefore" }),
  () => ({ kind: "resetAfter" }),
  () => ({ kind: "resetAfter" }),
  (draw) => ({ kind: "errorAfter", status: draw.one([500, 502, 503, 504]) }),
  (draw) => ({ kind: "status", status: draw.one([400, 401, 403, 404, 409, 429, 500, 502, 503, 504]) }),
  () => ({ kind: "truncated" }),
  () => ({ kind: "garbled" }),
  () => ({ kind: "hang" }),
  () => ({ kind: "hang", carriedOut: true }),
  (draw) => ({ kind: "drip", bytesPerSecond: draw.one([20, 20_000]) }),
  (draw) => {
    const wait = draw.one(["1", "0", "30", "3600", "soon", "Fri, 31 Dec 2199 23:59:59 GMT", "-5", undefined]);
    return { kind: "status", status: 429, headers: wait === undefined ? {} : { "retry-after": wait } };
  },
  (draw) => ({
    kind: "status",
    status: draw.one([301, 302, 303, 307, 308]),
    headers: { location: astray },
  }),
  (draw) => ({ kind: "hugeBody", bytes: draw.one([70_000, 4_300_000]) }),
  // A page to sign in.
  (draw) => ({ kind: "status", status: draw.one([200, 502]), body: "<!doctype html>" }),
  () => ({ kind: "otherRecord" }),
  () => ({ kind: "withoutKey" }),
  (draw) => ({ kind: "emptyBody", status: draw.one([200, 204]) }),
];
