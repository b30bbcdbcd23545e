/** The command `pulumi-apikeys probe`, on the stand-in's variants and on services that are no such thing. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { topics } from "../../cli/probe/question";
import { defaultVariant, namedVariants, type StandIn, startStandIn, type Variant } from "../../standin";
import type { LoggedRequest } from "../../standin/faults";
import type { Endpoint } from "../../standin/types";
import { isAll, someOf } from "../all";
import { variantValues } from "../host/serverVariants";
import { runCli } from "../runCli";
import { probe, seenOn, serviceOn, toWrite } from "./probing";

/** Whether the client reads pages like these to the end. */
const isRead = (pages: unknown) => pages === "link" || pages === "next";

/** What no client can see: the options of a variant that a probe with --write finds, as it finds them. */
function visibleIn(variant: Variant): Partial<Variant> {
  const seen: Partial<Record<keyof Variant, unknown>> = { ...variant };
  const hide = (...options: (keyof Variant)[]) => {
    for (const option of options) delete seen[option];
  };
  // It would take a scope, credits, settings, another account, or a key that never expires; or is measured.
  hide("duplicateScope", "decimals", "addresses", "laterMs", "rateLimitPerSecond");
  if (variant.otherTenant !== "empty") hide("otherTenant");
  if (variant.expiresAt !== "rounded") hide("expiresAt");
  if (variant.errorBody === "empty") hide("errorEchoes");
  // A late write shows nothing in its answer.
  const isLate = variant.writes !== "atOnce";
  const isUnclear = (answer: string) =>
    variant.writes === "queued"
      ? answer !== "emptyObject"
      : !["nothing", "emptyBody", "emptyObject"].includes(answer);
  if (isLate && isUnclear(variant.patchAnswer)) hide("patchAnswer");
  if (isLate && isUnclear(variant.deleteAnswer)) hide("deleteAnswer");
  // All zero values are left out, also of what is absent.
  if (variant.zeroValues === "omitted") {
    hide("scopeFlags");
    if (variant.absent === "empty") seen.absent = "omitted";
  }
  // Without ids, an edit never removes a permission.
  if (variant.scopeIds === "none" && variant.patchScopes === "merges") seen.patchScopes = "neverNarrows";
  const isShort = variant.listLimit > 0 && variant.listLimit < 4;
  if (!isShort) seen.listLimit = 0;
  const pages: unknown = Object(variant).listPages;
  if (pages === "link" && !isShort) Object.assign(seen, { listPages: "none" });
  const isCut = isShort && !isRead(pages);
  if (variant.keyLists !== "answered") hide("listLimit", "listRecords", "listPages" as never);
  else if (isCut && variant.listRecords !== "brief") hide("listRecords");
  if (variant.keyLists !== "answered" || isCut) {
    hide("listLag");
    seen.delete =
      variant.delete.startsWith("marks") && variant.delete !== "marksAndOnlyLists" ? "marks" : "removes";
  }
  return seen as Partial<Variant>;
}

const variants = fc
  .record(
    Object.fromEntries(
      Object.entries({ ...variantValues, rateLimitPerSecond: [0] }).map(([option, values]) => [
        option,
        // A 501 is repeated, after pauses of seconds.
        fc.constantFrom<unknown>(...values.filter((value) => value !== 501)),
      ]),
    ),
  )
  .map((given) => ({ ...given, laterMs: 100 }) as Variant)
  // Each page counts as a request for the list.
  .filter((given) => given.listLag === 0 || !isRead(Object(given).listPages));

async function expectTwin(variant: Variant): Promise<void> {
  const service = await serviceOn(variant);
  const first = await seenOn(service, ...toWrite).finally(() => service.close());
  const { laterMs: _, rateLimitPerSecond: __, ...seen } = first.variant;
  expect(seen).toEqual(visibleIn(variant));
  if (variant.rateLimitPerSecond > 0)
    expect(first.variant.rateLimitPerSecond).toBe(variant.rateLimitPerSecond);
  const { variant: given, others, unseen } = first;
  const twin = await serviceOn(JSON.parse(JSON.stringify({ variant: given })));
  const again = await seenOn(twin, ...toWrite).finally(() => twin.close());
  const measured = { laterMs: 0, rateLimitPerSecond: 0 };
  expect({ ...again.variant, ...measured, others: again.others, unseen: Object.keys(again.unseen) }).toEqual({
    ...{ ...given, ...measured },
    others,
    unseen: Object.keys(unseen),
  });
}

const named = someOf(Object.entries(namedVariants), ([name]) =>
  ["default", "graphqlish", "rails", "queued"].includes(name),
);
test.each(named)(
  "a probe sees the options of the variant %s, and those of its twin are equal",
  { timeout: 120_000 },
  async (_, variant) => {
    await expectTwin({ ...defaultVariant, ...variant, laterMs: 100 });
  },
);

test("a probe sees the options of random variants, and those of their twins are equal", {
  timeout: 300_000,
}, async () => {
  await fc.assert(fc.asyncProperty(variants, expectTwin), {
    ...{
      seed: 20_261_128,
      numRuns: isAll ? 50 : 2,
      interruptAfterTimeLimit: 280_000,
      markInterruptAsFailure: true,
    },
  });
});

/** The probe's own keys that still exist. */
const probeKeys = (service: StandIn) =>
  service.keys({ deleted: false }).filter(({ name }) => /pulumi.probe/i.test(name));

test("a probe without --write sends GETs alone, and prints neither secrets nor ids of the user's objects", async () => {
  const service = await serviceOn("strictRest");
  onTestFinished(() => service.close());
  for (const form of [[], ["--json"]]) {
    const { out, err, code } = await probe(service, form);
    expect([code, err]).toEqual([0, ""]);
    const hidden = [...service.secrets(), ...service.keys().map(({ id }) => id), "ws_main"];
    expect(hidden.filter((text) => out.includes(text))).toEqual([]);
  }
  expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
});

test("a probe with --write prints no secret, creates keys without rights, and leaves none", async () => {
  const service = await serviceOn({ errorEchoes: "request" });
  onTestFinished(() => service.close());
  for (const form of [[], ["--json"]]) {
    const { out, err } = await probe(service, [...toWrite, ...form]);
    expect(service.secrets().filter((secret) => (out + err).includes(secret))).toEqual([]);
  }
  const made = service.requests.filter(({ method }) => method === "POST");
  expect(made.length).toBe(6);
  for (const { body } of made) expect(body).toMatchObject({ scopes: [], enabled: false });
  expect(probeKeys(service)).toEqual([]);
});

const interrupted: readonly (readonly [string, Partial<Variant>, Endpoint | undefined])[] = [
  ["default", {}, undefined],
  ["the variant softDelete", namedVariants.softDelete, undefined],
  ["a service that shows new keys late", { newKeys: "later", laterMs: 20 }, undefined],
  ["the variant queued", { ...namedVariants.queued, laterMs: 20 }, undefined],
  ["a service whose answers to creates are lost", {}, "createApiKey"],
  ["a service whose answers to migrations are lost", { listLag: 1 }, "migrateApiKey"],
  ["a service without lists, whose answers to creates are lost", { keyLists: 403 }, "createApiKey"],
];
test.each(someOf(interrupted, ([name]) => /default|migrations are lost$/.test(name)))(
  "a probe that is interrupted at any request leaves no key that it does not name: %s",
  { timeout: 300_000 },
  async (_, variant, lost) => {
    let writesUntil = 1;
    for (let n = 1; n <= writesUntil; n += isAll ? 1 : 9) {
      const service = await serviceOn(variant);
      if (lost !== undefined) service.inject({ endpoint: lost, fault: { kind: "resetAfter" } });
      const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
      const isNth = (request: LoggedRequest) => {
        if (request.n === n) stop();
        return false;
      };
      service.inject({ when: isNth, fault: { kind: "resetBefore" } });
      const { err } = await probe(service, toWrite, stopped);
      writesUntil = Math.max(writesUntil, service.requests.length);
      await service.settled();
      const unnamed = probeKeys(service).filter(
        ({ id, name }) => !err.includes(id) && !err.includes(`it: ${name.trim()}`),
      );
      expect(unnamed.map(({ name }) => `${name} after request ${n}: ${err}`)).toEqual([]);
      await service.close();
    }
    expect(writesUntil).toBeGreaterThan(20);
  },
);

test.each(someOf([401, 404, 500], (status) => status === 404))(
  "a probe whose deletions get %s names its keys, and fails",
  { timeout: 60_000 },
  async (status) => {
    const service = await serviceOn({});
    onTestFinished(() => service.close());
    service.inject({
      endpoint: "deleteApiKey",
      times: Number.POSITIVE_INFINITY,
      fault: { kind: "status", status },
    });
    const { err, code } = await probe(service, toWrite);
    expect(code).toBe(1);
    expect(probeKeys(service).length).toBeGreaterThan(0);
    for (const { id } of probeKeys(service)) expect(err).toContain(id);
  },
);

const odd = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      null,
      0,
      1,
      "",
      "x",
      "7",
      true,
      false,
      [],
      {},
      [null],
      ["x"],
      [{}],
      [[]],
    ),
  },
  fc.jsonValue({ maxDepth: 2 }),
);
const record = fc.dictionary(
  fc.constantFrom(
    "id",
    "name",
    "scopes",
    "enabled",
    "deleted",
    "createdAt",
    "expiresAt",
    "key",
    "prefix",
    "lastUsedAt",
    "next",
  ),
  fc.oneof(fc.constantFrom<unknown>(7, "7", "k", true, null, [{ representation: "a", id: 1 }]), odd),
);
const body = fc.oneof(
  fc
    .record(
      {
        workspaces: fc.oneof(fc.array(record), odd),
        workspace: fc.oneof(record, odd),
        apiKeys: fc.oneof(fc.array(record), odd),
        apiKey: fc.oneof(record, odd),
        scopes: fc.oneof(fc.array(record), odd),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  odd.map((value) => JSON.stringify(value)),
  fc.constantFrom("", "<!doctype html><title>Sign in</title>", '{"workspaces": [', "null"),
);
const answers = fc.record({
  status: fc.constantFrom(
    200,
    200,
    200,
    200,
    201,
    202,
    204,
    301,
    400,
    401,
    403,
    404,
    409,
    410,
    422,
    500,
    503,
  ),
  headers: fc.constantFrom(
    {},
    { date: "x" },
    { date: new Date().toUTCString() },
    { link: "<?page=2>; rel=next" },
    { location: "/login" },
  ),
  body,
});

test("a probe of a service that answers anything ends without a bug, and prints no secret", {
  timeout: 300_000,
}, async () => {
  const anything = async (given: readonly { status: number; headers: object; body: string }[]) => {
    let n = 0;
    const server = createServer((_request, response) => {
      const {
        status,
        headers,
        body: text,
      } = given[n++ % given.length] ?? { status: 200, headers: {}, body: "" };
      response.writeHead(status, { ...headers }).end(status === 204 ? undefined : text);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const service = { url: `http://127.0.0.1:${port}`, accessToken: "tok_probe_of_anything" };
    const { out, err, code } = await probe(service, toWrite).finally(() => server.close());
    expect([0, 1, 2]).toContain(code);
    expect(`${out}${err}`).not.toMatch(/APIKEYS9001|tok_probe_of_anything|undefined|\[object/);
  };
  const usable = {
    status: 200,
    headers: {},
    body: '{"workspaces":[{"id":"w"}],"workspace":{"id":"ws_main"}}',
  };
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 20 }), (given) =>
      anything([usable, ...given]),
    ),
    {
      numRuns: isAll ? 60 : 1,
      seed: 20_261_128,
      interruptAfterTimeLimit: 250_000,
      markInterruptAsFailure: true,
    },
  );
});

test("a probe saves a description of the service, like which a stand-in runs, and says what has changed since", async () => {
  const folder = await mkdtemp(join(tmpdir(), "probe-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "service.json");
  const service = await serviceOn("rails");
  onTestFinished(() => service.close());
  expect((await probe(service, [...toWrite, "--save", file])).code).toBe(0);
  const text = await readFile(file, "utf8");
  const hidden = ["ws_main", service.url, ...service.secrets(), ...service.keys().map(({ id }) => id)];
  expect(hidden.filter((each) => text.includes(each))).toEqual([]);
  const { variant, unseen } = JSON.parse(text);
  expect(new Set([...Object.keys(variant), ...Object.keys(unseen)])).toEqual(
    new Set(Object.keys(defaultVariant)),
  );

  const same = await probe(service, [...toWrite, "--against", file]);
  expect([same.code, same.err]).toEqual([0, expect.stringContaining("Changed since then: nothing.")]);
  service.setVariant({ ...namedVariants.rails, names: "asSent", absent: "omitted" });
  const changed = await probe(service, ["--against", file]);
  expect([changed.code, changed.err]).toEqual([
    1,
    expect.stringContaining("absent was null, and is omitted."),
  ]);
  expect((await probe(service, [...toWrite, "--against", file])).err).toContain(
    "names was trimmed, and is asSent",
  );

  const twin = await startStandIn({ variant: JSON.parse(text) });
  await twin.close();
  const edited = { variant: { ...variant, names: "shouted" } };
  await expect(startStandIn({ variant: edited })).rejects.toThrow(
    "no value shouted of a variant's option names",
  );
  const run = await runCli(["standin", "--port", "0", "--like", file]);
  expect([run.code, run.out]).toEqual([0, expect.stringContaining(`Variant ${file}`)]);
  await writeFile(file, "{}");
  for (const args of [
    ["standin", "--like", file],
    ["standin", "--like", folder],
  ])
    expect((await runCli(args)).code).toBe(1);
  expect(await probe(service, ["--against", file])).toMatchObject({
    code: 2,
    err: expect.stringContaining("not one that --save wrote"),
  });
});

test.each([
  [
    "a web page",
    { status: 200, body: "<html>Sign in" },
    /✗ A web page answers: the service answered 200, but/,
  ],
  ["a redirect", { status: 302, body: "" }, /✗ It can't be read: the service answered 302/],
  ["a refusal", { status: 401, body: "" }, /✗ It can't be read: the service answered 401/],
])("a probe that %s answers exits with 2, and writes nothing", async (_, answer, printed) => {
  const service = await serviceOn({});
  onTestFinished(() => service.close());
  service.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "status", ...answer } });
  const { out, code } = await probe(service, toWrite);
  expect([code, out]).toEqual([2, expect.stringMatching(printed)]);
  expect(service.requests.every(({ method }) => method === "GET")).toBe(true);
});

test("a probe without settings, of a base URL that is wrong, or that nothing answers exits with 2", async () => {
  expect(await runCli(["probe"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("Set APIKEYS_BASE_URL and"),
  });
  const twice = { url: "https://api.example.com/api/v1", accessToken: "tok" };
  expect(await probe(twice, [])).toMatchObject({ code: 2, err: expect.stringContaining("ends in /api/v1") });
  const service = await serviceOn({});
  await service.close();
  expect(await probe(service, [])).toMatchObject({
    code: 2,
    out: expect.stringContaining("the connection was refused"),
  });
  expect(await runCli(["probe", "--write"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("--write needs"),
  });
});

test.each([
  [{}, /✓ Keys in the list: 3 .*pages: none/s],
  [{ listLimit: 2, listPages: "hasMore" }, /! Keys in the list: 2 .*hasMore/s],
  [{ listLimit: 2, listPages: "total" }, /! Keys in the list: 2 .*total/s],
  [{ listLimit: 2, listPages: "link" }, /! Keys in the list: 3 .*link/s],
  [{ keyLists: 403 }, /! The list of keys: .*set APIKEYS_NO_KEY_LIST=true for one command/s],
] as const)("a probe of a service with the list %j shows where a setting helps", async (variant, printed) => {
  const service = await serviceOn(variant);
  onTestFinished(() => service.close());
  expect(await probe(service, [])).toMatchObject({ code: 0, out: expect.stringMatching(printed) });
});

test("each page that a probe names is there", () => {
  for (const place of Object.values(topics)) {
    const [page = "", anchor] = place.split("#");
    const heads = Array.from(readFileSync(page, "utf8").matchAll(/^#+ (.*)$/gm), ([, head = ""]) => head);
    const anchors = heads.map((head) =>
      head
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    expect(anchor === undefined || anchors.includes(anchor), place).toBe(true);
  }
});
