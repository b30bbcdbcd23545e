import { describe, expect, it } from "vitest";
import { tryOutSet } from "../../tools/campaign/setTrial";
import { hosts } from "./interruption";

/** A short version of `npm run test:campaign -- --sets 25 --plugin-sets 10`, which replays any seed. */

describe.each(hosts)("a set in the %s host", (host) => {
  const isPlugin = host === "plugin";

  it("R20 after one Ctrl-C during its create, it is finished, or stops early in the plugin; state has each new key, and the next update creates the rest", async () => {
    const { findings, live } = await tryOutSet(3, { adding: 100, ending: "ctrlC", host });
    expect(findings).toEqual([]);
    if (isPlugin) expect(live).toBeLessThan(100);
    else expect(live).toBe(100);
  });

  it("R20 after the provider is killed during the create of 300 keys, the next update creates all and names each key left behind", async () => {
    const { findings, ...trial } = await tryOutSet(4, { adding: 300, ending: "hostKilled", host });
    expect(findings).toEqual([]);
    // The killed provider could not delete them.
    expect(trial.unheld).toBeGreaterThan(100);
    expect(trial).toMatchObject({ live: trial.unheld, orphans: trial.unheld, told: trial.unheld });
  });

  it("R20 after two Ctrl-C while an update adds 100 keys to 200, the next update adds them and names each key left behind", async () => {
    const { findings, ...trial } = await tryOutSet(6, { before: 200, adding: 100, ending: "twoCtrlC", host });
    expect(findings).toEqual([]);
    // The plugin stops after the first, so that its result may be saved before the second.
    if (!isPlugin) expect(trial.unheld).toBeGreaterThan(0);
    expect(trial).toMatchObject({ orphans: trial.unheld, told: trial.unheld });
  });
});
