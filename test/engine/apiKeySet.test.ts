import { expect, it } from "vitest";
import { expectSilentUp, sentTo, stepsFor } from "./expectations";
import { createFixture, type Fixture } from "./fixture";

/** A program with one ApiKeySet, named "set". */
const program = (keys: string, more = "", defaults = "") => `
import { ApiKeySet } from "pulumi-apikeys";
const set = new ApiKeySet("set", { workspaceId: "ws_main", defaults: { ${defaults} }, keys: { ${keys} } });
${more}
`;

it("key(alias) of an undeclared alias fails the preview before any key is created, in one line", async () => {
  const fixture = await createFixture("undeclared", {
    program: program('plain: { customerId: "customer" }', 'export const used = set.key("nobody");'),
  });
  const preview = await fixture.stack.preview();
  expect(preview.ok, preview.output).toBe(false);
  expect(preview.output).toContain('ApiKeySet "set" has no key "nobody".');
  expect(preview.output).not.toMatch(/^\s+at /m);
  expect(sentTo(fixture.service)).toEqual([]);
});

/** In the dynamic host, the engine takes null for nothing. */
it("K2 a set whose entries have null in place of a default is updated if that is all that changes, also after a failure", async () => {
  const keys = (beta: string) =>
    `alpha: { customerId: "customer" }, beta: { customerId: "customer", ${beta} }`;
  const fixture = await createFixture("nulls", { program: program(keys("")) });
  const idOf = ({ service }: Fixture) =>
    service.keys({ deleted: false }).find((key) => key.name === "beta")?.id;
  const up = async (refresh: boolean) => {
    const before = idOf(fixture);
    const outcome = await fixture.stack.up({ refresh });
    expect(outcome.ok, outcome.output).toBe(true);
    expect(idOf(fixture)).not.toBe(before);
    return outcome;
  };
  await up(false);
  const rotated = 'keepers: { rotated: "today" }';
  await fixture.declare(program(keys(""), "", rotated));
  const isBeta = ({ body }: { body: unknown }) => (body as { name?: unknown }).name === "beta";
  fixture.service.inject({ endpoint: "createApiKey", when: isBeta, fault: { kind: "status", status: 422 } });
  expect((await fixture.stack.up({ refresh: true })).ok).toBe(false);
  await up(true);
  await expectSilentUp(fixture);

  await fixture.declare(program(keys("keepers: null"), "", rotated));
  const updated = await up(false);
  expect(stepsFor(updated, "set").map(({ op }) => op)).toEqual(["update"]);
  await expectSilentUp(fixture);
});
