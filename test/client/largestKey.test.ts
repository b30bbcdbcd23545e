import { expect, onTestFinished, test } from "vitest";
import { mostSent } from "../../provider/client/call";
import { startStandIn } from "../../standin";
import { startProcess } from "./lifecycles";

test("R8 the largest key that check accepts can be created, read and edited, even if the service adds to each scope", async () => {
  const service = await startStandIn();
  onTestFinished(() => service.close());
  const process = startProcess(service);
  onTestFinished(() => process.close());
  const subject = process.of("ApiKey");
  const declare = (count: number) => {
    const scopes = Array.from({ length: count }, (_, n) => ({ representation: n.toString(36), read: true }));
    return subject.check({ workspaceId: "ws_main", customerId: "c", name: "ci", scopes }, undefined);
  };
  let [most, more] = [0, 10_000];
  while (more - most > 1) {
    const middle = Math.floor((most + more) / 2);
    if (declare(middle).failures.length === 0) most = middle;
    else more = middle;
  }
  const { inputs } = declare(most);
  const added = `"more":"${"x".repeat(900 * most)}"`;
  service.inject({ fault: { kind: "moreFields", json: added }, times: 99 });
  const { id, state } = await subject.create(inputs);
  const [post] = service.requests.filter(({ method }) => method === "POST");
  expect(JSON.stringify(post?.body).length).toBeGreaterThan(mostSent - 100);
  expect((await subject.read(id, state))?.state).toEqual(state);
  const fewer = await subject.update(id, state, declare(most - 1).inputs);
  expect(fewer["scopes"]).toHaveLength(most - 1);
  expect(service.key(id)?.scopes).toHaveLength(most - 1);
  const [patch] = service.requests.filter(({ method }) => method === "PATCH");
  expect(JSON.stringify(patch?.body).length).toBeGreaterThan(mostSent);
  await subject.delete(id, fewer);
  expect(service.keys()).toEqual([]);
});
