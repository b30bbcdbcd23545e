import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CallError } from "../../provider/client/send";
import { type StandIn, startStandIn } from "../../standin";
import { someOf } from "../all";
import * as api from "./api";
import { callTo, newBilling, newKey, token } from "./calls";
import type { HostileAnswer, Meaning } from "./hostileAnswer";
import { hostileAnswers } from "./hostileAnswers";
import { answer, startWireServer, type WireServer } from "./wireServer";

const existing = "sk_existing_0123456789";
const ws = { workspaceId: "ws_main" };
const timeOuts = { connectMs: 2_000, headersMs: 120, exchangeMs: 240 };
/** For answers that arrive at once, but are so large or deep that reading them takes time. */
const patient = { connectMs: 5_000, headersMs: 5_000, exchangeMs: 15_000 };

interface Asking {
  readonly shape: "one" | "new" | "list";
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly run: (call: api.Call, keyId: string) => Promise<unknown>;
}

/** A call of each method, shape of answer and way to send it. Every call reads its answer alike (unit/client/fuzzAnswers). */
const endpoints: Readonly<Record<string, Asking>> = {
  editApiKey: {
    shape: "one",
    method: "PATCH",
    run: (call, keyId) => api.editApiKey(call, { ...ws, keyId }, { name: "b" }),
  },
  readApiKey: { shape: "one", method: "GET", run: (call, keyId) => api.readApiKey(call, { ...ws, keyId }) },
  listApiKeys: { shape: "list", method: "GET", run: (call) => api.listApiKeys(call, ws) },
  migrateApiKey: {
    shape: "new",
    method: "POST",
    run: (call) => api.migrateApiKey(call, { ...newKey, key: existing, metadata: {} }),
  },
  deleteApiKey: {
    shape: "one",
    method: "DELETE",
    run: (call, keyId) => api.deleteApiKey(call, { ...ws, keyId }),
  },
  createBilling: { shape: "new", method: "POST", run: (call) => api.createBilling(call, newBilling) },
};

/** How the call must end: "record", "lost" (a write without a usable record), or the verdict of its CallError. */
function expected(meaning: Meaning, { shape, method }: Asking): string {
  const lost = method === "GET" ? "ambiguous" : "lost";
  switch (meaning) {
    case "usable":
      return "record";
    case "lost":
      return lost;
    case "foreign":
      return shape === "one" ? lost : "record";
    case "throttled":
      return "refused";
    default:
      return meaning;
  }
}

function expectFit(text: string): void {
  expect(text).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
  expect(text.length).toBeLessThan(600);
  for (const secret of [token, encodeURIComponent(token), existing]) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/sk_[a-z0-9]/i);
}

const echo = `${token}-${existing}`;
/** These take seconds. */
const slow = ["a slow drip", "5,000 headers"];
const named = someOf(
  hostileAnswers("http://127.0.0.1:1", echo).map(({ name }) => name),
  (name) => !slow.includes(name),
);

describe.each(named)("a hostile answer (%s)", (name) => {
  let standIn: StandIn;
  let elsewhere: WireServer;
  let hostile: HostileAnswer;
  beforeAll(async () => {
    elsewhere = await startWireServer(() => answer(200, {}));
    hostile = hostileAnswers(elsewhere.url, echo).find((one) => one.name === name) as HostileAnswer;
    const workspaces = [{ id: "ws_main" }, { id: "ws_second" }];
    standIn = await startStandIn({ tenants: [{ name: "t", accessToken: token, workspaces }] });
  });
  afterAll(async () => {
    await standIn.close();
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });
  beforeEach(() => {
    standIn.clearFaults();
    for (const { id } of standIn.keys()) standIn.deleteKey(id);
    // An empty list has no record that could be hostile.
    standIn.addKey({ workspaceId: "ws_main", name: "other" });
  });

  it.each(Object.entries(endpoints))(
    "has the expected result, and leaks nothing, if the call is %s",
    async (_endpoint, asking) => {
      const { fault, meaning, says } = hostile;
      const { id } = standIn.addKey({ workspaceId: "ws_main", name: "a" });
      standIn.inject({ times: Number.POSITIVE_INFINITY, fault });
      const short = ["hang", "drip"].includes(fault.kind);
      const call = callTo(standIn.url, { timeOuts: short ? timeOuts : patient });
      const outcome = await asking.run(call, id).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(CallError);
        expectFit(outcome.message);
        expect((outcome as CallError).verdict).toBe(expected(meaning, asking));
        if (says !== undefined) expect(outcome.message).toMatch(says);
        return;
      }
      const { record, problem } =
        asking.method === "GET" ? { record: outcome } : (outcome as api.Written<unknown>);
      expect(record === undefined ? "lost" : "record").toBe(expected(meaning, asking));
      if (problem !== undefined) expectFit(problem);
      if (problem !== undefined && says !== undefined) expect(problem).toMatch(says);
      for (const { id: shown, deleted = false } of [record ?? []].flat() as {
        id: unknown;
        deleted?: boolean;
      }[]) {
        expect(typeof shown).toBe("string");
        expect(deleted && asking.method !== "DELETE").toBe(false);
      }
    },
  );
});
