import fc from "fast-check";
import { expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { askForReport, explain, Failure, InconclusiveError } from "../../../provider/core/errors";
import { inBounds, numeral, sentences } from "../../../provider/core/text";
import { addressOf } from "../../../tools/release";

const words = {
  doing: 'Deleting key "ci" in workspace ws_1',
  notDone: "It stays in state",
  unclear: "Whether it was deleted is not known",
  advice: "Check the token's rights",
};
const setup = {
  tokenAdvice: "The access token came from the environment. Set it",
  baseUrlSource: "https://a.test, from stack config",
};
const route = "check the base URL (https://a.test, from stack config), and any proxy or gateway in between.";
const messageOf = (error: Error, about: Parameters<typeof explain>[2] = words) =>
  explain(error, { setup }, about).message;

test.each([
  ["refused", 403, "It stays in state. Check the token's rights."],
  ["notSent", undefined, `It stays in state. Run the command again; if it fails the same way, ${route}`],
  ["refused", 404, `It stays in state. Check the token's rights. If that doesn't help, ${route}`],
  ["refused", 302, `It stays in state. Check the token's rights. If that doesn't help, ${route}`],
  ["refused", 429, "It stays in state. Run the command again later."],
  ["notSent", 429, "It stays in state. Run the command again later."],
  ["ambiguous", 500, "Whether it was deleted is not known."],
  ["refused", 401, "It stays in state. The access token came from the environment. Set it."],
] as const)("R14 the error of a call that was %s with %s says what state has, and what to do", (...row) => {
  const [verdict, status, expected] = row;
  const error = new CallError(verdict, `the service answered ${status}`, status);
  expect(messageOf(error)).toBe(`${words.doing}: the service answered ${status}. ${expected}`);
});

test("the error of a call says what is known where no words say that it is not, and keeps other advice", () => {
  const { unclear: _, ...without } = words;
  const reset = new CallError("ambiguous", "the connection was reset", undefined);
  expect(messageOf(reset, without)).toContain("the connection was reset. It stays in state.");
  const unread = new InconclusiveError("its workspace can't be read either", "Check the token.");
  expect(messageOf(unread)).toBe(
    `${words.doing}: its workspace can't be read either. It stays in state. Check the token.`,
  );
});

test("an error that is a bug is thrown again", () => {
  const bug = new TypeError("x is not a function");
  expect(() => messageOf(bug)).toThrow(bug);
});

test("each sentence of a message ends with one full stop, and absent sentences are skipped", () => {
  const sentence = fc.stringMatching(/^[A-Z][a-z ]{0,8}[a-z][.!?]?$/);
  fc.assert(
    fc.property(fc.array(fc.option(sentence, { nil: undefined })), (parts) => {
      const there = parts.filter((part) => part !== undefined);
      const ended = there.map((part) => (/[.!?]$/.test(part) ? part : `${part}.`));
      expect(sentences(...parts)).toBe(ended.join(" "));
    }),
  );
  expect(sentences(undefined, "", undefined)).toBe("");
});

test("an error is plain text, a line without control characters, bidirectional marks and half characters", () => {
  const name = "a\r\nb\u001b[31mc\u2028d\u202ee\ud800f";
  expect(new Failure(`Creating key "${name}"`).message).toBe('Creating key "a b [31mc def"');
});

test("an error has its message as stack, and no property that gRPC takes for a status", () => {
  for (const error of [
    new Failure("a line", { kept: { id: "key_1", state: {} } }),
    new InconclusiveError("a line", "advice"),
    new CallError("refused", "a line"),
  ]) {
    expect(error.stack).toBe("a line");
    for (const name of ["cause", "id", "code", "details", "metadata"]) expect(error).not.toHaveProperty(name);
  }
});

test("a long message is cut in the middle to fit into a header, because its last sentence says what to do", () => {
  const message = inBounds(`Start ${"x".repeat(900_000)} what to do.`);
  expect(message).toHaveLength(4_000);
  expect(message).toMatch(/^Start x+…x+ what to do\.$/);
  expect(inBounds("😀".repeat(5_000)).isWellFormed()).toBe(true);
});

test("a message about a bug says where to report it, once a release has written the address into package.json", () => {
  expect(askForReport()).toBe("please report it");
  const { bugs } = addressOf("https://github.com/acme/pulumi-apikeys");
  expect(askForReport(bugs.url)).toBe("please report it at https://github.com/acme/pulumi-apikeys/issues");
});

test("counts have commas", () => {
  expect([999, 1_000, 1_234_567].map(numeral)).toEqual(["999", "1,000", "1,234,567"]);
});
