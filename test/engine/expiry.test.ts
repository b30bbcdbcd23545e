import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "./outcome";
import { type Scene, setScene } from "./scene";
import { programWithSet } from "./setProgram";

const now = Math.floor(Date.now() / 1000);
const day = 86_400;
const [soon, later] = [now + 3 * day, now + 100 * day];
/** A key whose Provider warns early, and a set with the default Provider. */
const program = (single: string) =>
  programWithSet({
    before: `const provider = new Provider("patient", { expiryWarningDays: 200 });
new ApiKey("single", { workspaceId: "ws_main", customerId: "customer", ${single} }, { provider });`,
    defaults: `{ customerId: "customer", expiresAt: ${later} }`,
    keys: { a: `{ expiresAt: ${soon} }`, b: "{}", c: "{ expiresAt: 1 }" },
  });

/** The warnings of expiry, as often as they are printed. */
const warningsIn = ({ events }: Outcome) =>
  events.flatMap(({ diagnosticEvent }) =>
    [...(diagnosticEvent?.message.matchAll(/(?:Key "single"|Keys of) .* expire[ds] on .*\./g) ?? [])].map(
      ([line]) => line,
    ),
  );

describe.each(["dynamic", "plugin"] as const)("R21 keys that expire, in the %s host", (host) => {
  let scene: Scene;
  let of: Readonly<Record<"single" | "set", unknown>>;
  beforeAll(async () => {
    scene = await setScene("expiry", {
      host,
      program: program(`expiresAt: ${later}`),
      config: () => ({ "apikeys:expiresAtUnit": "seconds" }),
    });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(warningsIn(up)).toEqual([]);
    of = {
      single: expect.stringMatching(/^Key "single" in workspace ws_main \(key_\w+\) expires on 20/),
      set: expect.stringMatching(
        /: 2 expired or about to expire: "c" \(key_\w+\) expired on 1970-01-01, "a" \(key_\w+\) expires on 20/,
      ),
    };
  });
  afterAll(() => scene?.close());

  it("are named in one warning per resource in a preview and in an update, without a request", async () => {
    scene.service.clearRequests();
    for (const outcome of [await scene.stack.preview(), await scene.stack.up()])
      expect(warningsIn(outcome).toSorted()).toEqual([of.single, of.set]);
    expect(scene.service.requests).toEqual([]);
  });

  it("are not named in a refresh, and once in `preview --refresh`, with and without --run-program", async () => {
    expect(warningsIn(await scene.stack.refresh())).toEqual([]);
    expect(warningsIn(await scene.stack.previewRefresh()).toSorted()).toEqual([of.single, of.set]);
    const run = await scene.stack.run(["preview", "--refresh", "--run-program"]);
    expect(run.ok, run.output).toBe(true);
    expect(warningsIn(run).toSorted()).toEqual([of.single, of.set]);
  });

  it("are not named if the update replaces them", async () => {
    await scene.declare(program(`expiresAt: ${soon}`));
    expect(warningsIn(await scene.stack.preview())).toEqual([of.set]);
  });
});
