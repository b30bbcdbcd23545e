import { expect, test } from "vitest";
import { Failure } from "../../provider/core/errors";
import { failed } from "../../provider/instance";

test("an error that nobody foresaw is told by its kind and place, never by its message", () => {
  const { message, kept } = failed(new TypeError("sk_marker_q7ZxW2 is no function"));
  expect(message).toMatch(/^This is a bug in pulumi-apikeys: TypeError at .*\. Please report it\.$/);
  expect(message).not.toContain("sk_marker");
  expect(kept).toBeUndefined();
});

test("what is thrown that is no error is told by its type alone", () => {
  expect(failed("sk_marker_q7ZxW2").message).toMatch(/^This is a bug in pulumi-apikeys: string\. State/);
});

test("a state that the engine can't keep is left out, and the object is named", () => {
  const kept = { id: "key_1", state: { name: "x".repeat(12 * 1024 * 1024) } };
  expect(failed(new Failure("It failed.", { kept }))).toEqual({
    message: expect.stringMatching(/^It failed\. The state is too large .* key_1 exists in the service\.$/),
  });
});
