import { expect, test } from "vitest";
import { Failure } from "../../provider/core/errors";
import { failed } from "../../provider/instance";

test("an unexpected error is reported by its type and location, never by its message", () => {
  const { message, kept } = failed(new TypeError("sk_marker_q7ZxW2 is no function"));
  expect(message).toMatch(/^This is a bug in pulumi-apikeys: TypeError at .*\. Please report it\.$/);
  expect(message).not.toContain("sk_marker");
  expect(kept).toBeUndefined();
});

test("a thrown value that is not an error is reported by its type alone", () => {
  expect(failed("sk_marker_q7ZxW2").message).toMatch(/^This is a bug in pulumi-apikeys: string\. State/);
});

test("a state that is too large for the engine is left out, and the error names the object", () => {
  const kept = { id: "key_1", state: { name: "x".repeat(12 * 1024 * 1024) } };
  expect(failed(new Failure("It failed.", { kept }))).toEqual({
    message: expect.stringMatching(/^It failed\. The state is too large .* key_1 exists in the service\.$/),
  });
});
