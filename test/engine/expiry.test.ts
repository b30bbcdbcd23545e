import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "./outcome";
import { type Scene, setScene } from "./scene";
import { programWithSet } from "./setProgram";

const now = Math.floor(Date.now() / 1000);
const day = 86_400;
const [soon, later] = [now + 3 * day, now + 100 * day];
/** A key with a Provider that warns of it early, and a set without. */
const program = (single: string) =>
  programWithSet({
    before: `const provider = new Provider("patient", { expiryWarningDays: 200 });
new ApiKey("single", { workspaceId: "ws_main", customerId: "customer", ${single} }, { provider });`,
    defaults: `{ customerId: "customer", expiresAt: ${later} }`,
    keys: { a: `{ expiresAt: ${soon} }`, b: "{}", c: "{ expiresAt: 1 }" },
  });

/** What the user reads of expiry, each as often as it is there. */
const warningsIn = ({ events }: Outcome) =>
  events.flatMap(({ diagnosticEvent }) =>
    [...(diagnosticEvent?.message.matchAll(/(?:Key "single"|Keys of) .* expire[ds] on .*\./g) ?? [])].map(
      ([line]) => line,
    ),
  );

describe.each(["dynamic", "plugin"] as const)("R21 keys that expire, in the host %s", (host) => {
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

  it("are warned of once for each resource by a preview and by an update, without a request", async () => {
    scene.service.clearRequests();
    for (const outcome of [await scene.stack.preview(), await scene.stack.up()])
      expect(warningsIn(outcome).toSorted()).toEqual([of.single, of.set]);
    expect(scene.service.requests).toEqual([]);
  });

  it("are not warned of by a refresh, and once by a preview that refreshes, be the program run or not", async () => {
    expect(warningsIn(await scene.stack.refresh())).toEqual([]);
    expect(warningsIn(await scene.stack.previewRefresh()).toSorted()).toEqual([of.single, of.set]);
    const run = await scene.stack.run(["preview", "--refresh", "--run-program"]);
    expect(run.ok, run.output).toBe(true);
    expect(warningsIn(run).toSorted()).toEqual([of.single, of.set]);
  });

  it("are not warned of where the update replaces them", async () => {
    await scene.declare(program(`expiresAt: ${soon}`));
    expect(warningsIn(await scene.stack.preview())).toEqual([of.set]);
  });
});
