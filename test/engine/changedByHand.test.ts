import { expect, it } from "vitest";
import { stepsFor } from "./expectations";
import { createFixture } from "./fixture";

const program = (update: boolean) => `
import { ApiKey, ApiKeySet } from "pulumi-apikeys";
const scopes = [{ representation: "orders", read: true, update: ${update} }];
const key = { customerId: "customer", scopes };
new ApiKey("single", { ...key, workspaceId: "ws_main" });
new ApiKeySet("set", { workspaceId: "ws_main", keys: { hit: key, other: key } });
`;

it.each(["dynamic", "plugin"] as const)(
  "K1 with the %s host, keys that were disabled by hand stay so until up --refresh, and the other keys of a set are updated",
  async (host) => {
    const options = { host, program: program(false) };
    const { declare, service, stack } = await createFixture(`by-hand-${host}`, options);
    expect((await stack.up()).ok).toBe(true);
    service.addScope({ workspaceId: "ws_main", representation: "orders" });
    const enabled = () => service.keys().flatMap((key) => (key.enabled ? [key.name] : []));
    for (const { id, name } of service.keys()) if (name !== "other") service.editKey(id, { enabled: false });
    await declare(program(true));
    // An update that failed in part must not count as one that may have changed the right.
    for (const edits of [1, 0]) {
      service.clearRequests();
      const refused = await stack.up({ continueOnError: true });
      expect(refused.output).toContain("rights were changed outside Pulumi");
      expect(refused.output).toContain("enabled: the service has false, state has true");
      expect(service.requests.filter(({ endpoint }) => endpoint === "editApiKey")).toHaveLength(edits);
      expect(enabled()).toEqual(["other"]);
    }
    const preview = await stack.previewRefresh();
    expect(stepsFor(preview, "single").at(-1)?.changed).toMatchObject({ enabled: expect.anything() });
    const up = await stack.up({ refresh: true });
    expect(up.ok, up.output).toBe(true);
    expect(enabled()).toHaveLength(3);
    for (const { scopes } of service.keys()) expect(scopes).toMatchObject([{ read: true, update: true }]);
  },
);
