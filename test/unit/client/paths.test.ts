import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallError } from "../../../provider/client/callError";
import { apiPath } from "../../../provider/client/paths";

const unit = fc.oneof(
  fc.constantFrom(..."./\\%?#:;@& "),
  fc.integer({ min: 0, max: 0xffff }).map((n) => String.fromCharCode(n)),
);
const text = fc.array(unit, { maxLength: 12 }).map((units) => units.join(""));
const path = (id: string) => apiPath`/api/v1/workspace/${id}/api-key`;

describe("a path", () => {
  it.each([
    ["ws_1", "/api/v1/workspace/ws_1/api-key"],
    ["a/b", "/api/v1/workspace/a%2Fb/api-key"],
    ["a?b#c", "/api/v1/workspace/a%3Fb%23c/api-key"],
    ["%2e%2e", "/api/v1/workspace/%252e%252e/api-key"],
    ["ü €", "/api/v1/workspace/%C3%BC%20%E2%82%AC/api-key"],
    ["...", "/api/v1/workspace/.../api-key"],
    ["..\\", "/api/v1/workspace/..%5C/api-key"],
  ])("with the id %s is %s", (id, expected) => {
    expect(path(id)).toBe(expected);
  });

  it.each(["", ".", "..", "a\nb", "a\u0000", "\u0085", "\ud800", "a\udc00b"])("rejects the id %j", (id) => {
    expect(() => path(id)).toThrow(CallError);
    expect(() => path(id)).toThrow(expect.objectContaining({ verdict: "notSent", status: undefined }));
  });

  it("addresses nothing but the id, whatever the id is", () => {
    fc.assert(
      fc.property(text, (id) => {
        let result: string;
        try {
          result = path(id);
        } catch (error) {
          expect(error).toBeInstanceOf(CallError);
          return;
        }
        expect(new URL(result, "https://x.example").pathname).toBe(result);
        const segments = result.split("/");
        expect(segments).toHaveLength(6);
        expect(decodeURIComponent(segments[4] ?? "")).toBe(id);
      }),
    );
  });
});
