import type { Answer } from "./answer";
import { type Delivery, drip, garbled, half, padded, reset, sent } from "./deliver";
import type { Fault, Faults } from "./faults";
import { type Kind, type Shown, show } from "./records";
import type { Store } from "./store";
import type { Variant } from "./variant";

/** An exchange that a fault can change. */
export interface Exchange {
  readonly store: Store;
  readonly variant: Variant;
  readonly tenant: string | undefined;
  /** Processes the request, in this variant. */
  carryOut(shown?: Partial<Variant>): Answer;
  /** The answer as if the request had been processed, in this variant. The store stays as it is. */
  pretend(shown: Partial<Variant>): Answer;
  /** An error answer in the variant's form. */
  refuse(status: number, message: string, headers?: Answer["headers"]): Answer;
}

/** How an exchange ends with a fault. */
const deliveries: {
  readonly [Kind in keyof Faults]: (exchange: Exchange, fault: Faults[Kind]) => Delivery;
} = {
  resetBefore: () => reset,
  resetAfter(exchange) {
    exchange.carryOut();
    return reset;
  },
  errorAfter(exchange, { status = 500 }) {
    exchange.carryOut();
    return sent(exchange.refuse(status, "something went wrong"));
  },
  twice(exchange) {
    exchange.carryOut();
    return sent(exchange.carryOut());
  },
  status(exchange, { status, body, headers = {} }) {
    return sent(
      body === undefined ? exchange.refuse(status, "injected", headers) : { status, body, headers },
    );
  },
  truncated: (exchange) => sent(exchange.carryOut(), half),
  garbled: (exchange) => sent({ ...exchange.carryOut(), status: 200 }, garbled),
  hang(exchange, { carriedOut = false }) {
    if (carriedOut) exchange.carryOut();
    return () => {};
  },
  drip: (exchange, { bytesPerSecond }) => sent(exchange.carryOut(), drip(bytesPerSecond)),
  hugeBody: (exchange, { bytes }) => sent(exchange.carryOut(), padded(bytes)),
  otherRecord: (exchange) => sent(withOtherRecord(exchange.carryOut(), exchange)),
  withoutKey: (exchange) => sent(exchange.carryOut({ createAnswer: "withoutKey" })),
  withoutEffect: (exchange, fault) => sent(withoutEffect(exchange, fault)),
  emptyBody(exchange, { status = 200 }) {
    exchange.carryOut();
    return sent({ status });
  },
};

/** Ends an exchange with the fault or, without a fault, as usual. */
export function spoil(fault: Fault | undefined, exchange: Exchange): Delivery {
  if (fault === undefined) return sent(exchange.carryOut());
  // Each kind has a function for its own options.
  return (deliveries[fault.kind] as (exchange: Exchange, fault: Fault) => Delivery)(exchange, fault);
}

const before = { patchAnswer: "before", deleteAnswer: "before" } as const;

function withoutEffect(exchange: Exchange, { answer: how, status }: Faults["withoutEffect"]): Answer {
  const answer = exchange.pretend(how === "before" ? before : {});
  if (answer.status >= 300) return answer;
  const answered = { ...answer, status: status ?? answer.status };
  if (how === "nothing") return { status: answered.status };
  return how === "emptyObject" ? { ...answered, body: {} } : answered;
}

/** The answer with a different record of the tenant or, if there is none, an invented one. */
function withOtherRecord(answer: Answer, { store, variant, tenant }: Exchange): Answer {
  const body = answer.body as Record<string, Shown | null> | undefined;
  const stored = {
    apiKey: store.keys,
    workspace: store.workspaces,
    scope: store.scopes,
    billing: store.billings,
  };
  for (const [name, records] of Object.entries(stored)) {
    const record = body?.[name];
    if (!record) continue;
    // Only the answers of create and migrate show a secret.
    const hidden = "key" in record ? {} : { key: undefined };
    for (const other of records.values()) {
      const workspaceId = "tenant" in other ? other.id : other.workspaceId;
      if (store.workspaces.get(workspaceId)?.tenant !== tenant) continue;
      const candidate = show(name as Kind, { ...other, ...hidden }, variant);
      if (candidate["id"] !== record["id"]) return { ...answer, body: { ...body, [name]: candidate } };
    }
    const { id } = record;
    const invented = { ...record, id: typeof id === "number" ? id + 1 : `${id}-other` };
    return { ...answer, body: { ...body, [name]: invented } };
  }
  return answer;
}
