import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { someOf } from "../all";
import type { HostileAnswer, Meaning } from "../client/hostileAnswer";
import { hostileAnswers } from "../client/hostileAnswers";
import { answer, startWireServer, type WireServer } from "../client/wireServer";
import { type Held, HostFailure, type Properties } from "./host";
import { least, scopes } from "./outcomes";
import { accessToken, openScene, type Scene } from "./scene";
import { type Gauge, gauge } from "./watched";

const existing = "sk_existing_0123456789";
const workspaces = ["ws_main", "ws_new", "ws_read", "ws_update", "ws_delete"];
const settings = { defaultRateLimitPerSecond: 7, defaultKeyPrefix: "p", onDestroy: "restore" };
/** One of each kind. */
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
  ...[
    "terminal codes and reversed text",
    "secrets in string fields",
    "an id that is an object",
    "NUL in a header",
  ],
  ...["301 to another origin", "Retry-After far away"],
];
const answers = someOf(hostileAnswers("http://127.0.0.1:1", accessToken), ({ name }) => few.includes(name));
const paced = answers.filter(({ meaning }) => meaning === "throttled").map(({ name }) => name);
const others = answers.filter(({ meaning }) => meaning !== "throttled").map(({ name }) => name);

let elsewhere: WireServer;
let folder: string;
beforeAll(async () => {
  elsewhere = await startWireServer(() => answer(200, {}));
  folder = await mkdtemp(join(tmpdir(), "hostile-"));
});
afterAll(async () => {
  expect(elsewhere.requests).toEqual([]);
  await elsewhere.close();
  await rm(folder, { recursive: true, force: true });
});

const answerNamed = (name: string) =>
  hostileAnswers(elsewhere.url, accessToken).find((one) => one.name === name) as HostileAnswer;

async function open(file: string): Promise<Scene & { readonly gauge: Gauge }> {
  const watched = gauge(join(folder, file), { hurried: true });
  return { ...(await openScene({ workspaces, env: watched.env })), gauge: watched };
}

type Operations = Readonly<Record<string, () => Promise<unknown>>>;

let rounds = 0;

/** Every operation that makes a request, on an object of its own. */
async function operations({ host, standIn, key }: Scene): Promise<Operations> {
  const made = async (kind: string, declared: Properties): Promise<[Held, Properties]> => {
    const { inputs, failures } = await host.resource(kind).check(declared);
    expect(failures).toEqual([]);
    return [await host.resource(kind).create(inputs), inputs];
  };
  for (const { id } of standIn.keys()) standIn.deleteKey(id);
  for (const id of workspaces) for (const scope of standIn.scopes(id)) standIn.deleteScope(scope.id);
  rounds += 1;
  // A new name each time, because a create whose answer was lost is not sent again.
  const declared = { ...least, name: `ci ${rounds}`, scopes };
  const [settingsOf, scopeOf] = [host.resource("WorkspaceSettings"), host.resource("Scope")];
  const settingsIn = (workspaceId: string) => made("WorkspaceSettings", { workspaceId, ...settings });
  const [read] = await made("ApiKey", declared);
  const [updated, inputs] = await made("ApiKey", declared);
  const [deleted] = await made("ApiKey", declared);
  const [settingsRead] = await settingsIn("ws_read");
  const [settingsHeld, settingsInputs] = await settingsIn("ws_update");
  const [settingsDeleted] = await settingsIn("ws_delete");
  const [scopeRead, scopeInputs] = await made("Scope", {
    workspaceId: "ws_main",
    name: "Docs",
    representation: "docs",
  });
  const billing = { workspaceId: "ws_main", totalCredits: "100" };
  return {
    "ApiKey create": () => key.create(inputs),
    "ApiKey take over": () => key.create({ ...inputs, existingKey: `${existing}_${rounds}` }),
    "ApiKey read": () => key.read(read),
    "ApiKey update": () => key.update(updated, { ...inputs, name: "new", enabled: false }),
    "ApiKey delete": () => key.delete(deleted),
    "WorkspaceSettings create": () => settingsOf.create({ ...settingsInputs, workspaceId: "ws_new" }),
    "WorkspaceSettings read": () => settingsOf.read(settingsRead),
    "WorkspaceSettings update": () =>
      settingsOf.update(settingsHeld, { ...settingsInputs, defaultRateLimitPerSecond: 9 }),
    "WorkspaceSettings delete": () => settingsOf.delete(settingsDeleted),
    "Scope create": () => scopeOf.create({ ...scopeInputs, representation: "other" }),
    "Scope read": () => scopeOf.read(scopeRead),
    "CustomerBilling create": () => host.resource("CustomerBilling").create(billing),
  };
}

function expectWellFormed(operation: string, text: string): void {
  expect(text, operation).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
  expect(text.length, operation).toBeLessThanOrEqual(4_020);
  expect(text, operation).not.toContain("a bug in pulumi-apikeys");
  for (const secret of [accessToken, existing]) expect(text, operation).not.toContain(secret);
}

/** What an answer means that no operation can succeed with. */
const unusable: readonly Meaning[] = ["lost", "ambiguous", "refused"];

/** Runs all operations at once while requests get this answer. Each ends in a result or a well-formed failure. */
async function endure(scene: Scene, { fault, meaning }: HostileAnswer): Promise<void> {
  const all = await operations(scene);
  scene.standIn.clearRequests();
  // After its pause, a throttled request succeeds.
  scene.standIn.inject({ fault, times: meaning === "throttled" ? 1 : Number.POSITIVE_INFINITY });
  const ended = await Promise.allSettled(Object.values(all).map((run) => run()));
  expect(scene.standIn.requests.some((request) => request.fault === fault.kind)).toBe(true);
  scene.standIn.clearFaults();
  for (const [place, operation] of Object.keys(all).entries()) {
    const one = ended[place];
    // A 404 to the next GET confirms a deletion, however its own answer was lost (R7).
    const mayEndWell = !unusable.includes(meaning) || operation === "ApiKey delete";
    if (one?.status !== "rejected") {
      expect(mayEndWell, `${operation} succeeded`).toBe(true);
      continue;
    }
    expect(one.reason, operation).toBeInstanceOf(HostFailure);
    // Any other code means that the connection ended, and all other calls with it.
    expect([operation, (one.reason as HostFailure).code]).toEqual([operation, 2]);
    expectWellFormed(operation, (one.reason as Error).message);
  }
}

/** Warnings and failures, a line each. */
function expectWellFormedLines(printed: string): void {
  for (const line of printed.split("\n")) {
    expectWellFormed("", line);
    expect(line).toMatch(/^$|^pulumi-apikeys: |^warning: |^Waiting for /);
  }
}

describe("one dynamic host", () => {
  let scene: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    scene = await open("all");
  });
  afterAll(async () => {
    const peak = await scene.gauge.peak();
    process.stdout.write(`peak memory of the host after all hostile answers: ${peak} MiB\n`);
    expectWellFormedLines(await scene.close());
  });

  test.each(someOf(others, (name) => !["a truncated body", "HTML called JSON"].includes(name)))(
    "survives %s, and answers every call",
    async (name) => {
      await endure(scene, answerNamed(name));
    },
  );
});

test.each(paced)(
  "a new dynamic host survives a hostile pause (%s), and finishes every call",
  async (name) => {
    const scene = await open("paced");
    await endure(scene, answerNamed(name));
    expectWellFormedLines(await scene.close());
  },
);
