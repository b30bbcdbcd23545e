import { describe, expect, test } from "vitest";
import { startInPlugin } from "../../tools/campaign/inPlugin";
import { startInProcess } from "../../tools/campaign/inProcess";
import { isAll, someOf } from "../all";
import { type Case, presetCases } from "../host/serverVariants";
import { describeInAll } from "../inAll";
import { type Life, type LifeOptions, live, type Scene } from "./year";
import { yearFaults } from "./yearFaults";

/** A year of previews and updates of a key that is rotated every 30 days, with an overlap of a week. */
function yearOn({ variant, workspaceId }: Case, options: Partial<LifeOptions> = {}): Promise<Life> {
  const quick = { ...variant, rateLimitPerSecond: 0 };
  return live({ start: startInProcess, variant: quick, workspaceId, ...options });
}

/** The last overlap ends after the year, so there is one retirement fewer. */
const aYear = { rotations: 12, retirements: 11, findings: [] };

const presetNamed = (name: string) => presetCases.find((one) => one.name === `preset ${name}`) as Case;
const plain = presetNamed("default");

/** npm test takes the preset that applies writes last. */
const cases = someOf(presetCases, (one) => one === presetNamed("queued"));

describe.each(cases)("a rotating key on $name", (one) => {
  test("works all year, with at most two keys, each created and deleted as previewed", async () => {
    const year = await yearOn(one);
    expect(year).toMatchObject({ ...aYear, red: 0 });
    // There is an update every day and a half.
    expect(year.oldest).toBeLessThan(32);
  });

  test("works all year with a fault in each rotation and deletion", async () => {
    // From year to year, each fault meets another request of another step.
    const years = await Promise.all(
      Array.from({ length: isAll ? 6 : 1 }, (_, start) => {
        const fault = (nth: number) => yearFaults[(nth * 5 + start * 3) % yearFaults.length];
        return yearOn(one, {
          trouble: (turn, nth) => ({
            fault: fault(turn === "rotates" ? nth : nth + 2) ?? { kind: "resetAfter" },
            request: ((nth + start) % 6) + 1,
            times: nth % 3 === 0 ? 5 : 1,
          }),
        });
      }),
    );
    for (const year of years) expect(year).toMatchObject(aYear);
    expect(Math.min(...years.map(({ faults }) => faults))).toBeGreaterThan(5);
  });
});

test('with "whenUnused", a previous key is deleted after a whole overlap without use', async () => {
  const days: number[] = [];
  let id: unknown;
  const onDay = (nth: number, { standIn, state }: Scene) => {
    const { previousKeyId } = state;
    if (id !== undefined && previousKeyId === undefined) days.push((nth - began) * 1.5);
    if (id === undefined && previousKeyId !== undefined) began = nth;
    id = previousKeyId;
    // The key is used for nine days, in which one overlap ends.
    if (typeof id !== "string" || nth - began >= 6) return;
    const updatedAt = standIn.key(id)?.updatedAt ?? "";
    standIn.editKey(id, { updatedAt, lastUsedAt: new Date(1e12 + nth * 5_000).toISOString() });
  };
  let began = 0;
  const year = await yearOn(plain, { inputs: { retire: "whenUnused" }, onDay });
  expect(year).toMatchObject({ ...aYear, red: 0 });
  expect(Math.min(...days)).toBeGreaterThan(9 + 7);
  expect(Math.max(...days)).toBeLessThan(3 * 9);
});

test('with overlap "0d", no key is deleted before an update with the new key has succeeded', async () => {
  const year = await yearOn(presetNamed("minimal"), {
    inputs: { overlap: "0d" },
    trouble: (_, nth) => ({ fault: { kind: "status", status: 400 }, request: nth + 1, times: 1 }),
  });
  expect(year).toMatchObject({ rotations: 12, findings: [] });
});

test("a program may change all inputs of a rotating key", async () => {
  const changes: Readonly<Record<number, Record<string, unknown>>> = {
    21: { scopes: [] },
    23: { scopes: [{ representation: "orders", read: true, del: true }], name: "other" },
    110: { keepers: { a: "1" } },
    140: { rotateEvery: "2w", overlap: "36h" },
    170: { overlap: "0d" },
    200: { rotateEvery: "20d", overlap: "7d" },
  };
  const year = await yearOn(plain, { onDay: (nth, { declare }) => declare(changes[nth] ?? {}) });
  expect(year).toMatchObject({ red: 0, findings: [] });
});

test("a previous key is not deleted if the current one was deleted outside Pulumi", async () => {
  const year = await yearOn(plain, {
    onDay: (nth, { standIn, state: { keyId, previousKeyId } }) => {
      // The day before the overlap ends. No refresh comes in between.
      if (nth === 25 && previousKeyId !== undefined) standIn.deleteKey(String(keyId));
    },
  });
  expect(year).toMatchObject({ findings: [] });
  expect(year.red).toBeGreaterThan(0);
});

describeInAll("some weeks of a rotating key", () => {
  const life = { rotations: 1, retirements: 1, red: 0, findings: [] };
  const days = [0, 31, 33, 30, 39];
  test("pass as previewed in the plugin", async () => {
    expect(await live({ start: startInPlugin, days })).toMatchObject(life);
  });
});
