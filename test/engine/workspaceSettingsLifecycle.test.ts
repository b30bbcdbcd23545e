import { lifecycleSuite } from "./lifecycleSuite";
import { programOf } from "./programs";

/** Every resource has its own workspace. */
const settings = (workspace: string, text: string) => `{ workspaceId: "ws_${workspace}", ${text} }`;
const changed = (workspace: string, field: string, before: string, after: string) => ({
  before: settings(workspace, `${field}: ${before}`),
  after: settings(workspace, `${field}: ${after}`),
});
const workspaces = ["prefix", "addresses", "rate", "expiration", "order", "defaults", "left", "entered"];

lifecycleSuite({
  kind: "WorkspaceSettings",
  tenants: [
    { accessToken: "token-of-settings", workspaces: workspaces.map((name) => ({ id: `ws_${name}` })) },
  ],
  program: programOf("WorkspaceSettings"),
  calls: { create: ["GET", "PATCH"], update: ["GET", "PATCH"], delete: [] },
  managed: [
    {
      field: "defaultKeyPrefix",
      ...changed("prefix", "defaultKeyPrefix", `"old"`, `"new"`),
      values: ["old", "new"],
      drift: (service, id) => service.editWorkspace(id, { defaultKeyPrefix: "theirs" }),
      drifted: "theirs",
    },
    {
      field: "defaultAllowedIPs",
      ...changed("addresses", "defaultAllowedIPs", `["10.0.0.1"]`, `["10.1.2.3/16", "10.0.0.1"]`),
      values: [["10.0.0.1"], ["10.0.0.1", "10.1.0.0/16"]],
      paths: ["defaultAllowedIPs[1]"],
      drift: (service, id) => service.editWorkspace(id, { defaultAllowedIPs: ["192.0.2.1"] }),
      drifted: ["192.0.2.1"],
    },
    {
      field: "defaultRateLimitPerSecond",
      ...changed("rate", "defaultRateLimitPerSecond", "10", "50"),
      values: [10, 50],
      drift: (service, id) => service.editWorkspace(id, { defaultRateLimitPerSecond: 3 }),
      drifted: 3,
    },
    {
      field: "defaultExpiration",
      ...changed("expiration", "defaultExpiration", "3600", "7200"),
      values: [3600, 7200],
      drift: (service, id) => service.editWorkspace(id, { defaultExpiration: 60 }),
      drifted: 60,
    },
  ],
  respelled: {
    "W3 addresses in another order and spelling": changed(
      "order",
      "defaultAllowedIPs",
      `["10.0.0.1", "2001:db8::1", "10.1.0.0/16"]`,
      `["10.1.9.9/16", "2001:DB8:0:0::1/128", "10.0.0.1/32", "10.0.0.1"]`,
    ),
    "defaults and empty values given as such": {
      before: settings("defaults", "defaultRateLimitPerSecond: 5"),
      after: settings("defaults", `defaultRateLimitPerSecond: 5, onDestroy: "retain", defaultKeyPrefix: ""`),
    },
  },
  replacing: {
    workspaceId: {
      before: settings("left", "defaultRateLimitPerSecond: 5"),
      after: settings("entered", "defaultRateLimitPerSecond: 5"),
    },
  },
});
