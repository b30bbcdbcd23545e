import { describe, expect, test } from "vitest";
import { adopting, adoptions } from "./adoptions";

describe("an ApiKey with existingId", () => {
  test("K11 adopts the key without a POST, and without a PATCH where it is as declared", async () => {
    const { keys, methods, service } = adoptions();
    service.add({ id: "key_1" });
    const { id, state } = await keys.create(keys.checked(adopting()));
    expect(id).toBe("key_1");
    expect(methods()).toBe("GET");
    expect(state).toMatchObject({ existingId: "key_1", name: "ci", maskedKey: "…key_1" });
    for (const absent of ["key", "__keyLost", "__adopted"]) expect(state).not.toHaveProperty(absent);
    expect(state["__claim"]).toMatch(/^[0-9a-f]{8}$/);
  });
});
