/** What a host says of a refused token, of waits and of requests, and what ends a wait. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Fixture, type FixtureOptions, failureOf, openFixture, openPluginFixture } from "./fixture";
import type { Host, Properties } from "./host";
import type { PluginHost } from "./plugin";

const least = { workspaceId: "ws_main", customerId: "cus_1" };
const throttled = { kind: "status", status: 429, headers: { "retry-after": "60" } } as const;
const waits = 'POST /api/v1/api-key waits 60 s: the service answered 429 "injected"';
const refused = "Workspace ws_main can't be read with the access token, so an update may fail";

async function opened<F extends Fixture>(open: (options: FixtureOptions) => Promise<F>, options = {}) {
  const at = await open(options);
  onTestFinished(async () => void (await at.close()));
  return at;
}

/** What the SDK and the engine tell the provider in a preview. */
const previews = {
  "the dynamic host": async ({ host }: Fixture, inputs: Properties) =>
    host.resource("ApiKey").check({ ...inputs, __preview: true }),
  "the plugin": async ({ host }: Fixture, inputs: Properties) =>
    (host as PluginHost).resource("ApiKey").preview(inputs),
};

describe.each<[keyof typeof previews, (options: FixtureOptions) => Promise<Fixture<Host>>]>([
  ["the dynamic host", openFixture],
  ["the plugin", openPluginFixture],
])("%s", (name, open) => {
  test.each<[string, Readonly<Record<string, string>>, number | undefined, boolean]>([
    ["refuses", { APIKEYS_ACCESS_TOKEN: "wrong" }, undefined, true],
    ["refuses, though nobody wants to know,", { APIKEYS_NO_TOKEN_CHECK: "1" }, 403, false],
    ["can't check", {}, 500, false],
    ["doesn't know the workspace of", {}, 404, false],
    ["accepts", {}, undefined, false],
  ])(
    `R12 a preview of ${name} reads the workspace once, and warns of a token that the service %s if the answer comes soon after the end`,
    async (_what, env, status, isWarned) => {
      const fixture = await opened(open, { env, latencyMs: 300 });
      if (status !== undefined)
        fixture.standIn.inject({ endpoint: "readWorkspace", fault: { kind: "status", status }, times: 9 });
      const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
      for (const inputs of [{ ...least, workspaceId: unknown }, least, { ...least, name: "another" }])
        await previews[name](fixture, inputs);
      const printed = await fixture.close();
      expect(printed.split(refused).length - 1).toBe(isWarned ? 1 : 0);
      if (isWarned) expect(printed).toContain("came from the environment variable APIKEYS_ACCESS_TOKEN. Set");
      const sent = fixture.standIn.requests.map(({ endpoint }) => endpoint);
      // A failure of the service is repeated like that of any other GET.
      expect([...new Set(sent)]).toEqual("APIKEYS_NO_TOKEN_CHECK" in env ? [] : ["readWorkspace"]);
      if (status !== 500) expect(sent.length).toBeLessThan(2);
    },
  );

  test(`R12 a check of ${name} sends nothing outside of previews`, async () => {
    const fixture = await opened(open, { env: { APIKEYS_ACCESS_TOKEN: "wrong" } });
    await fixture.key.check({ ...least, __preview: false });
    expect(await fixture.close()).toBe("");
    expect(fixture.standIn.requests).toEqual([]);
  });

  test(`R20 a wait in ${name} is shown, ends with the run, and the error names its cause`, async () => {
    const fixture = await opened(open);
    fixture.standIn.inject({ endpoint: "createApiKey", fault: throttled });
    const { inputs } = await fixture.key.check(least);
    const failing = failureOf(fixture.key.create(inputs));
    await vi.waitFor(() => expect(fixture.host.output.stderr).toContain(waits), 10_000);
    process.kill(fixture.host.pid, "SIGINT");
    const { details } = await failing;
    expect(details).toContain("the service answered 429");
    expect(details).toContain("asked to wait 60 s; nothing more was sent, because the run was interrupted.");
    expect(details).toMatch(/Nothing was created\.\nRun the command again later\.$/);
    expect((await fixture.close()).split(waits)).toHaveLength(2);
  });
});

test("customTimeouts end the waits of their operation in the plugin, and of no other", async () => {
  const fixture = await opened(openPluginFixture);
  const { host, standIn } = fixture;
  const { inputs } = await fixture.key.check(least);
  standIn.inject({ endpoint: "createApiKey", fault: throttled });
  const { details } = await failureOf(fixture.key.create(inputs, 1));
  expect(details).toContain(
    "nothing more was sent, because its customTimeouts (1 s) ran out.\nNothing was created.",
  );
  expect(host.logged).toMatchObject([{ isEphemeral: true, message: expect.stringContaining(waits) }]);
  expect(standIn.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("R16 the lines of APIKEYS_DEBUG come from the plugin as messages of their resource, without secrets", async () => {
  const { host, key } = await opened(openPluginFixture, { env: { APIKEYS_DEBUG: "1" } });
  const { inputs } = await key.check(least);
  await key.create(inputs);
  const { urn } = key;
  expect(host.logged).toMatchObject([
    { urn, severity: "info", message: expect.stringMatching(/^apikeys: GET .* 200 attempt 1/) },
    { urn, severity: "info", message: expect.stringMatching(/^apikeys: POST .* 201 attempt 1/) },
  ]);
});
