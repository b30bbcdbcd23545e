import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Fault, type StandIn, startStandIn } from "../../standin";
import { type Process, startProcess } from "./lifecycles";

/** One answer that is wrong, late or another's, and what would be lost if it were believed. */

let service: StandIn;
let process: Process;
const workspaceId = "ws_main";

beforeAll(async () => {
  service = await startStandIn();
});
beforeEach(() => {
  service.clearFaults();
  service.clearRequests();
  service.setDialect({});
  process = startProcess(service);
});
afterAll(() => service.close());

const answering = (body: unknown, status = 200): Fault => ({ kind: "status", status, body });

describe("settings to restore", () => {
  const before = { defaultKeyPrefix: "old", defaultExpiration: 60 };
  const inputs = { workspaceId, defaultKeyPrefix: "new", defaultExpiration: 5, onDestroy: "restore" };
  const stored = () => service.workspaces().find(({ id }) => id === workspaceId);
  /** A replica that has not seen the last write. */
  const lateReads = (times: number) =>
    service.inject({
      endpoint: "readWorkspace",
      fault: answering({ workspace: { id: workspaceId, ...before } }),
      times,
    });
  beforeEach(() => service.editWorkspace(workspaceId, before));

  test.each([404, 410, 403])(
    "W2 are in state after a PATCH that was carried out, but answered with 500, then %i",
    async (status) => {
      service.inject({ endpoint: "editWorkspace", fault: { kind: "errorAfter" } });
      service.inject({ endpoint: "editWorkspace", fault: { kind: "status", status } });
      const settings = process.of("WorkspaceSettings");
      await expect(settings.create(inputs)).rejects.toMatchObject({
        message: expect.stringContaining("It is not known whether the change was applied"),
        kept: { state: { __before: before } },
      });
      expect(stored()).toMatchObject({ defaultKeyPrefix: "new" });
    },
  );

  test("W5 are restored on destroy although the first reads are from before the last update", async () => {
    const { id, state } = await process.of("WorkspaceSettings").create(inputs);
    lateReads(3);
    await startProcess(service).of("WorkspaceSettings").delete(id, state);
    expect(stored()).toMatchObject(before);
  });

  test("W1 are restored once they are no longer declared although the first reads are from before", async () => {
    const { id, state } = await process.of("WorkspaceSettings").create(inputs);
    const { defaultKeyPrefix: _, ...rest } = inputs;
    lateReads(3);
    const next = startProcess(service).of("WorkspaceSettings");
    await next.update(id, state, { ...rest, defaultExpiration: 60 });
    expect(stored()).toMatchObject(before);
  });
});
