import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { someOf } from "../all";
import { live, sceneOf, snapshots, stories } from "./snapshotMaking";
import { snapshotOf } from "./snapshotText";

const newest = readdirSync(snapshots)
  .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }))
  .at(-1);

/** The snapshots of a published version must never change: see CONTRIBUTING.md. */
it.each(someOf(stories, (story) => story === "settled"))(
  "R1 this version writes the %s state as in the newest snapshot",
  async (story) => {
    const version = newest ?? "";
    const scene = await sceneOf(version, story);
    try {
      await live[story](scene);
      const { state, service } = await snapshotOf(scene);
      const folder = join(snapshots, version);
      await expect(state).toMatchFileSnapshot(join(folder, `${story}.state.json`));
      await expect(service).toMatchFileSnapshot(join(folder, `${story}.service.json`));
    } finally {
      await scene.close();
    }
  },
);
