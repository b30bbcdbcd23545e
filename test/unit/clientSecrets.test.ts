import { describe, expect, it } from "vitest";
import type { Transport } from "../../provider/client/transport";
import * as api from "../client/api";

const accessToken = "a-token-of-the-service";
const key = "sk_the_key_of_the_state";

/** A call whose answer is this. */
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

  it("has none of it in any text that a message may show", async () => {
    const call = answered({ apiKey: record, apiKeys: [record] });
    expect(await api.readApiKey(call, path)).toMatchObject({ ...clean, key: undefined });
    expect(await api.listApiKeys(call, path)).toMatchObject([{ ...clean, key: undefined }]);
    expect((await api.editApiKey(call, path, {})).record).toMatchObject(clean);
    const workspace = { id: "w", defaultAllowedIPs: [accessToken] };
    const read = await api.readWorkspace(answered({ workspace }), { workspaceId: "w" });
    expect(read.defaultAllowedIPs).toEqual(["[secret]"]);
  });

  it("keeps it as the key of create and migrate, which is where it belongs", async () => {
    const body = { name: "a", workspaceId: "w", scopes: [], enabled: true, customerId: "c", metadata: {} };
    const { record: made } = await api.migrateApiKey(answered({ apiKey: record }), { ...body, key });
    expect(made).toMatchObject({ ...clean, maskedKey: undefined, key });
  });

  it("R16 keeps what the program made secret, which is compared with what is declared", async () => {
    const name = "Nightingale Bank of the North";
    const call = { ...answered({ apiKey: { id: "k", name } }), concealed: [name] };
    expect((await api.readApiKey(call, path)).name).toBe(name);
    expect((await api.editApiKey(call, path, {})).record?.name).toBe(name);
  });

  it("keeps a short one, which may stand in a name by chance", async () => {
    const call = { ...answered({ apiKey: { id: "k", name: "prod-1" } }), secrets: ["prod"] };
    expect((await api.readApiKey(call, path)).name).toBe("prod-1");
  });
});
