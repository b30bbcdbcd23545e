import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CallError } from "../../provider/client/send";
import { apiKeySet } from "../../provider/resources/apiKeySet";
import { checkout } from "../../tools/engine/project";
import { blocks } from "../package/readmeText";
import { failureOf, nameIn, replying } from "./replying";
import { declared, rotating } from "./rotatingApiKey/rotatingService";

/** The output that a page shows. Its dates and its workspace differ from those of the tests. */
const shownIn = (name: string) =>
  blocks("text", readFileSync(join(checkout, "docs", name), "utf8")).map((text) => alike(text.trimEnd()));
const alike = (text: string) => text.replaceAll("ws_main", "ws_1").replace(/\d{4}-\d\d-\d\d/g, "<date>");

test("docs/rotating-api-key.md shows the lines of a rotation as the provider prints them", async () => {
  const told: string[] = [];
  const ci = rotating();
  let kept = await ci.create();
  ci.at(91);
  kept = await ci.up(kept);
  await failureOf(ci.up(kept, { ...declared, keepers: { leaked: "2026-11-24" } }));
  ci.at(98);
  await ci.up(kept);
  told.push(...ci.told());

  const used = rotating();
  const inputs = { ...declared, retire: "whenUnused" };
  kept = await used.create(inputs);
  used.at(90);
  kept = await used.up(kept, inputs);
  Object.assign(used.live.get("key_1") ?? {}, { lastUsedAt: "2026-04-06" });
  used.at(97);
  used.told();
  await used.up(kept, inputs);
  told.push(...used.told(), ...used.warnings);

  expect(shownIn("rotating-api-key.md").toSorted()).toEqual(told.map(alike).toSorted());
});

test("docs/api-key-set.md shows the preview's line about replaced keys and the error of an update as printed", async () => {
  const isRefused = (name: string) => Number(name.slice(1)) > 32;
  const set = replying(apiKeySet, (asked) => {
    if (asked.method !== "POST") return { apiKeys: [] };
    const name = nameIn(asked);
    if (isRefused(name)) throw new CallError("refused", 'the service answered 403 "no"', 403);
    if (name === "k20") throw new CallError("refused", 'the service answered 422 "odd"', 422);
    return { apiKey: { ...(asked.body as object), id: `key_${name}`, key: `sk_${name}` } };
  });
  const checked = (keys: object) => {
    const { inputs, failures } = set.check({ workspaceId: "ws_1", keys }, undefined);
    expect(failures).toEqual([]);
    return inputs;
  };
  const entry = { customerId: "c" };
  const keys = { acme: entry, beta: entry };
  const { id, state } = await set.create(checked(keys));
  const replaced = { ...entry, keepers: { rotated: "2026-02" } };
  set.diff(id, state, checked({ acme: replaced }), "customers");

  const more = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`k${n + 4}`, entry]));
  // The message as printed: `replying` leaves codes out of messages.
  const { stack = "" } = await failureOf(set.update(id, state, checked({ ...keys, ...more })));

  const [note = "", failure = ""] = shownIn("api-key-set.md");
  expect(set.notes).toContain(note.replace("ws_main", "ws_1"));
  expect(failure).toBe(alike(stack));
});
