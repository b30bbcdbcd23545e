import { expect, test } from "vitest";
import { withLinks } from "../../../tools/docLinks";
import { addressOf } from "../../../tools/release";

test("declarations link to the pages of their version in a release, and name their place in node_modules before", () => {
  const comment = " * @see docs/api-key.md";
  const { homepage } = addressOf("https://github.com/acme/keys");
  expect(withLinks(comment, { version: "1.2.3", homepage })).toBe(
    " * @see [docs/api-key.md](https://github.com/acme/keys/blob/v1.2.3/docs/api-key.md)",
  );
  expect(withLinks(comment, { version: "1.2.3" })).toBe(
    " * @see node_modules/pulumi-apikeys/docs/api-key.md",
  );
});
