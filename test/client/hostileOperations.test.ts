/** Every operation that makes a request, while requests get a hostile answer: a result or a well-formed failure. */
import { expect, onTestFinished, test } from "vitest";
import { Failure } from "../../provider/core/errors";
import { startStandIn } from "../../standin";
import { someOf } from "../all";
import type { HostileAnswer, Meaning } from "./hostileAnswer";
import { hostileAnswers } from "./hostileAnswers";
import { type Process, type State, startProcess } from "./lifecycles";
import { answer, startWireServer } from "./wireServer";

const accessToken = "token-of-the-operations";
const existingKey = "sk_existing_0123456789";
const workspaces = ["ws_main", "ws_new", "ws_read", "ws_update", "ws_delete"].map((id) => ({ id }));
const few = [
  ...[
    "10 MB",
    "deep objects",
    "a truncated body",
    "another record",
    "HTML called JSON",
    "no HTTP",
    "a reset",
  ],
  ...["terminal codes and reversed text", "secrets in string fields", "an id that is an object"],
  ...["NUL in a header", "301 to another origin", "Retry-After far away"],
];
/** These end only with a time-out: client/hostile has shorter ones. */
const slow = /slow drip|without end|no answer|gzip bomb/;
const named = someOf(
  hostileAnswers("http://127.0.0.1:1", accessToken).map(({ name }) => name),
  (name) => few.includes(name),
).filter((name) => !slow.test(name));

/** Every operation that makes a request, on an object of its own. */
async function operations(process: Process): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  const made = async (kind: string, declared: State) => {
    const { inputs } = process.of(kind).check(declared, undefined);
    return { inputs, ...(await process.of(kind).create(inputs)) };
  };
  const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci" };
  const declared = { ...least, scopes: [{ representation: "orders", read: true }] };
  const settings = { defaultRateLimitPerSecond: 7, defaultKeyPrefix: "p", onDestroy: "restore" };
  const [key, workspace, scopes] = ["ApiKey", "WorkspaceSettings", "Scope"].map((kind) => process.of(kind));
  if (!key || !workspace || !scopes) throw new Error("a kind is missing");
  const [read, updated, deleted] = [
    await made("ApiKey", declared),
    await made("ApiKey", declared),
    await made("ApiKey", declared),
  ];
  const settingsIn = (workspaceId: string) => made("WorkspaceSettings", { workspaceId, ...settings });
  const [seen, changed, restored] = [
    await settingsIn("ws_read"),
    await settingsIn("ws_update"),
    await settingsIn("ws_delete"),
  ];
  const scope = await made("Scope", { workspaceId: "ws_main", name: "Docs", representation: "docs" });
  const grant = { workspaceId: "ws_main", totalCredits: "100" };
  return {
    "ApiKey create": () => key.create(updated.inputs),
    "ApiKey migrate": () => key.create({ ...updated.inputs, existingKey }),
    "ApiKey read": () => key.read(read.id, read.state),
    "ApiKey update": () => key.update(updated.id, updated.state, { ...updated.inputs, enabled: false }),
    "ApiKey delete": () => key.delete(deleted.id, deleted.state),
    "WorkspaceSettings create": () => workspace.create({ ...seen.inputs, workspaceId: "ws_new" }),
    "WorkspaceSettings read": () => workspace.read(seen.id, seen.state),
    "WorkspaceSettings update": () =>
      workspace.update(changed.id, changed.state, { ...changed.inputs, defaultRateLimitPerSecond: 9 }),
    "WorkspaceSettings delete": () => workspace.delete(restored.id, restored.state),
    "Scope create": () => scopes.create({ ...scope.inputs, representation: "other" }),
    "Scope read": () => scopes.read(scope.id, scope.state),
    "CustomerBilling create": () => process.of("CustomerBilling").create(grant),
  };
}

function expectWellFormed(text: string, about: string): void {
  expect(text, about).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
  expect(text.length, about).toBeLessThanOrEqual(4_020);
  expect(text, about).not.toContain("a bug in pulumi-apikeys");
  for (const secret of [accessToken, existingKey]) expect(text, about).not.toContain(secret);
}

/** What an answer means that no operation can succeed with. */
const unusable: readonly Meaning[] = ["lost", "ambiguous", "refused"];

test.each(named)("every operation ends in a result or a well-formed failure, despite %s", async (name) => {
  const elsewhere = await startWireServer(() => answer(200, {}));
  const standIn = await startStandIn({ tenants: [{ name: "acme", accessToken, workspaces }] });
  const process = startProcess(standIn);
  onTestFinished(async () => {
    await process.close();
    await Promise.all([standIn.close(), elsewhere.close()]);
  });
  const hostile = hostileAnswers(elsewhere.url, accessToken).find((one) => one.name === name);
  const { fault, meaning } = hostile as HostileAnswer;
  const all = await operations(process);
  standIn.clearRequests();
  // After its pause, a throttled request succeeds.
  standIn.inject({ fault, times: meaning === "throttled" ? 1 : Number.POSITIVE_INFINITY });
  const ended = await Promise.allSettled(Object.values(all).map((run) => run()));
  expect(standIn.requests.some((request) => request.fault === fault.kind)).toBe(true);
  expect(elsewhere.requests).toEqual([]);
  for (const [place, operation] of Object.keys(all).entries()) {
    const one = ended[place];
    if (one?.status === "rejected") {
      expect(one.reason, operation).toBeInstanceOf(Failure);
      expectWellFormed((one.reason as Failure).message, operation);
    } else {
      // A 404 to the next GET confirms a deletion, however its own answer was lost (R7).
      expect(!unusable.includes(meaning) || operation === "ApiKey delete", operation).toBe(true);
    }
  }
  for (const warning of process.warnings) expectWellFormed(warning, name);
});
