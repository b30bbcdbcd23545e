import { expect, test } from "vitest";
import type { Fault } from "../../standin";
import { startInHost } from "../../tools/campaign/inHost";
import { startInPlugin } from "../../tools/campaign/inPlugin";
import { startInProcess } from "../../tools/campaign/inProcess";
import { isAll, someOf } from "../all";
import { type Case, presetCases } from "../host/knobs";
import { type Life, type LifeOptions, live } from "./year";
import { yearFaults } from "./yearFaults";

/** Rotations of thirty days in a year of previews and ups, each retired after a week. */
const aYear = { rotations: 12, retirements: 11, findings: [] };

function yearOn({ dialect, workspaceId }: Case, options: Partial<LifeOptions> = {}): Promise<Life> {
  return live({
    start: startInProcess,
    dialect: { ...dialect, rateLimitPerSecond: 0 },
    workspaceId,
    ...options,
  });
}

/** The ones that differ most in what rotation asks of a service. */
const cases = someOf(presetCases, ({ name }) => /default|goJson|queued/.test(name));

test.each(cases)("$name: a key works all year, and no more than two live", async (one) => {
  const year = await yearOn(one);
  expect(year).toMatchObject({ ...aYear, red: 0 });
  expect(year.oldest).toBeLessThan(32);
});

const troubled: readonly { readonly fault: Fault; readonly times: number }[] = yearFaults.flatMap((fault) =>
  [1, 5].map((times) => ({ fault, times })),
);

test.each(cases)("$name: nor does a fault in each step end that", async (one) => {
  let year: Life | undefined;
  for (const given of isAll ? troubled : troubled.filter((_, n) => n % 22 === 0)) {
    year = await yearOn(one, { trouble: (_, nth) => ({ ...given, request: nth + 1 }) });
    expect(year).toMatchObject({ ...aYear });
  }
});

test.each([
  ["host", startInHost],
  ["plugin", startInPlugin],
])("in the %s", async (_, start) => {
  const life = await live({ start, days: [0, 31, 33, 30, 39] });
  expect(life).toMatchObject({ rotations: 1, retirements: 1, red: 0, findings: [] });
});
