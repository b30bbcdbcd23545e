import { describe, expect, it } from "vitest";
import type { Transport } from "../../../provider/client/transport";
import * as api from "../../client/api";

const accessToken = "a-token-of-the-service";
const key = "sk_the_key_of_the_state";

/** A call that is answered with this body. */
function answered(body: unknown): api.Call {
  const transport: Transport = {
    send: async ({ read }) => read(Buffer.from(JSON.stringify(body))),
    writes: 0,
    close: async () => {},
  };
  return { transport, credentials: { baseUrl: "https://api.test", accessToken }, secrets: [key] };
}

describe("a record that repeats a secret", () => {
  const record = { id: "k", name: `a ${accessToken} ${key}`, maskedKey: key, key };
  const clean = { id: "k", name: "a [secret] [secret]", maskedKey: "[secret]" };
  const path = { workspaceId: "w", keyId: "k" };

  it("has it masked in each field that a message may show", async () => {
    const call = answered({ apiKey: record, apiKeys: [record] });
    expect(await api.readApiKey(call, path)).toMatchObject({ ...clean, key: undefined });
    expect(await api.listApiKeys(call, path)).toMatchObject([{ ...clean, key: undefined }]);
    expect((await api.editApiKey(call, path, {})).record).toMatchObject(clean);
    const workspace = { id: "w", defaultAllowedIPs: [accessToken] };
    const read = await api.readWorkspace(answered({ workspace }), { workspaceId: "w" });
    expect(read.defaultAllowedIPs).toEqual(["[secret]"]);
  });

  it("keeps it in `key` as the answer to a create or migrate", async () => {
    const body = { name: "a", workspaceId: "w", scopes: [], enabled: true, customerId: "c", metadata: {} };
    const { record: created } = await api.migrateApiKey(answered({ apiKey: record }), { ...body, key });
    expect(created).toMatchObject({ ...clean, maskedKey: undefined, key });
  });

  it("R16 keeps a value that the program made secret, because it is compared with the inputs", async () => {
    const name = "Nightingale Bank of the North";
    const call: api.Call = { ...answered({ apiKey: { id: "k", name } }), maskedInMessages: [name] };
    expect((await api.readApiKey(call, path)).name).toBe(name);
    expect((await api.editApiKey(call, path, {})).record?.name).toBe(name);
  });

  it("keeps a short one, which may be part of a name by chance", async () => {
    const call = { ...answered({ apiKey: { id: "k", name: "prod-1" } }), secrets: ["prod"] };
    expect((await api.readApiKey(call, path)).name).toBe("prod-1");
  });
});
