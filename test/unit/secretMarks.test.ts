import { expect, test } from "vitest";
import { provider } from "../../provider/dynamic";

const mark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

test("an existingKey is marked as a secret for the engine wherever it stands, marked by the program or not", async () => {
  const existingKey = "sk_old";
  const key = { workspaceId: "ws_1", customerId: "cus_1", name: "ci", existingKey };
  const single = await provider("ApiKey").check?.({}, key);
  expect(single?.inputs).toMatchObject({ customerId: "cus_1", existingKey: { ...mark, value: existingKey } });

  const keys = {
    a: { existingKey },
    b: { customerId: "cus_2", existingKey: null },
    c: {},
    d: "no entry",
    existingKey: { name: "ci" },
  };
  const set = await provider("ApiKeySet").check?.({}, { workspaceId: "ws_1", keys });
  expect(set?.inputs).toEqual({
    workspaceId: "ws_1",
    keys: { ...keys, a: { existingKey: { ...mark, value: existingKey } } },
  });
});
