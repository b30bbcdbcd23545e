import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { CallError } from "../../../provider/client/send";
import { codes, type FailureKind } from "../../../provider/core/codes";
import { asFailure, explain, Failure, InconclusiveError, reworded } from "../../../provider/core/errors";
import { inBounds, numeral, sentences } from "../../../provider/core/text";
import { addressOf } from "../../../tools/release";

const words = {
  doing: 'Deleting key "ci" in workspace ws_1',
  state: "It stays in state",
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
  ["refused", 403, "2002", "It stays in state.\nCheck the token's rights."],
  [
    "notSent",
    undefined,
    "2001",
    `It stays in state.\nRun the command again; if it fails the same way, ${route}`,
  ],
  ["refused", 404, "2006", `It stays in state.\nCheck the token's rights.\nIf that doesn't help, ${route}`],
  ["refused", 302, "2003", `It stays in state.\nCheck the token's rights.\nIf that doesn't help, ${route}`],
  ["refused", 429, "2004", "It stays in state.\nRun the command again later."],
  ["notSent", 429, "2004", "It stays in state.\nRun the command again later."],
  ["ambiguous", 500, "3001", "It stays in state.\nWhether it was deleted is not known."],
  ["refused", 401, "2002", "It stays in state.\nThe access token came from the environment. Set it."],
] as const)(
  "R14 the error of a call (%s, status %s) has the code APIKEYS%s, and says what state has and what to do",
  (...row) => {
    const [verdict, status, code, expected] = row;
    const error = new CallError(verdict, `the service answered ${status}`, status);
    expect(messageOf(error)).toBe(
      `APIKEYS${code}: ${words.doing}: the service answered ${status}.\n${expected}`,
    );
  },
);

test("the error of a call without words for doubt says what state has, and keeps its own advice", () => {
  const { unclear: _, ...without } = words;
  const reset = new CallError("ambiguous", "the connection was reset", undefined);
  expect(messageOf(reset, without)).toContain("the connection was reset.\nIt stays in state.");
  const unread = new InconclusiveError(
    "unconfirmed",
    "its workspace can't be read either",
    "Check the token.",
  );
  expect(messageOf(unread)).toBe(
    `APIKEYS2007: ${words.doing}: its workspace can't be read either.\nIt stays in state.\nCheck the token.`,
  );
});

test("a request that a canceled run did not send, and an answer of another server, have codes of their own", () => {
  const failureOf = (error: CallError, closed = new AbortController().signal) =>
    explain(error, { setup, closed }, { doing: words.doing });
  const kindOf = (...given: Parameters<typeof failureOf>) => failureOf(...given).kind;
  const notSent = new CallError("notSent", "nothing more was sent, because the run was canceled");
  expect(kindOf(notSent, AbortSignal.abort())).toBe("interrupted");
  expect(failureOf(notSent, AbortSignal.abort()).message).toMatch(/\nRun the command again\.$/);
  expect(kindOf(notSent)).toBe("unavailable");
  expect(kindOf(new CallError("ambiguous", "the answer is not JSON", 200))).toBe("unusableAnswer");
});

test.each([
  "if it is of a private one, set NODE_EXTRA_CA_CERTS to a file",
  "the server does not answer in HTTP/1.1",
  "HTTP_PROXY or HTTPS_PROXY needs the proxy's login",
])("an error that names the setting that helps does not say to run the command again: %s", (phrase) => {
  const lines = messageOf(new CallError("notSent", phrase)).split("\n");
  expect(lines).toEqual([`APIKEYS2001: ${words.doing}: ${phrase}.`, "It stays in state."]);
});

test("R4 after a 409, only the error of a write that does not delete advises --parallel 1", () => {
  const busy = new CallError("refused", "the service answered 409", 409);
  expect(messageOf(busy)).toContain("--parallel 1");
  expect(messageOf(busy, { ...words, isDelete: true })).not.toContain("--parallel 1");
});

test("R16 a secret that contains the end of a sentence is masked as a whole", () => {
  const failure = new Failure("refused", "It is called sk. Live. State is unchanged.", {
    subject: "sk. Live:",
  });
  const { message } = reworded(failure, (text) => text.replaceAll("sk. Live", "[secret]"));
  expect(message).toBe("APIKEYS2003: [secret]: It is called [secret].\nState is unchanged.");
});

test("the first line of an error has at most 160 characters, and nothing of ours is cut: what does not fit follows", () => {
  const linesOf = (subject: string, reason: string) =>
    new Failure("refused", [reason, "Nothing was created"], {
      subject,
      state: "State is unchanged",
    }).message.split("\n");
  const meaning = `${codes.refused[1]}.`;
  const said = (length: number) => `the service answered 409 "${"x".repeat(length)}"`;
  const rest = ["State is unchanged.", "Nothing was created."];
  const [subject, long] = ["Creating key:", `Creating ${"key".repeat(100)}:`];
  expect(linesOf(subject, said(60))).toEqual([`APIKEYS2003: ${subject} ${said(60)}.`, ...rest]);
  const full = (length: number) => [`T${said(length).slice(1)}.`, ...rest];
  expect(linesOf(subject, said(200))).toEqual([
    `APIKEYS2003: ${subject} the service answered 409.`,
    ...full(200),
  ]);
  const both = `${said(80)}, but it ${"x".repeat(60)} either: ${said(80)}`;
  expect(linesOf(subject, both)[0]).toMatch(
    /: the service answered 409, but it x+ either: the service answered 409\.$/,
  );
  expect(linesOf(`Creating ${"key".repeat(20)}:`, "a".repeat(150)).slice(0, 2)).toEqual([
    `APIKEYS2003: Creating ${"key".repeat(20)}: ${meaning}`,
    `${"a".repeat(150)}.`,
  ]);
  expect(linesOf(long, said(9))).toEqual([`APIKEYS2003: ${meaning}`, `${long} ${said(9)}.`, ...rest]);
  // The path of an input is spelled as in the program.
  expect(linesOf(subject, `keys.a: ${said(200)}`)[1]).toMatch(/^keys\.a: the service/);
  const text = fc.string({ maxLength: 300 });
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(codes)), text, text, (kind, about, why) => {
      const [first = ""] = new Failure(kind as FailureKind, [why], { subject: about }).message.split("\n");
      expect(first.length).toBeLessThanOrEqual(160);
      expect(first).not.toContain("…");
    }),
  );
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
  const one = new Failure("refused", [name, name], { subject: name, lines: [name] });
  const line = "a b [31mc def";
  expect(one.message).toBe(`APIKEYS2003: ${line} ${line}.\n${line}.\n${line}`);
});

test("an error has its message as stack, and no property that gRPC takes for a status", () => {
  for (const error of [
    new Failure("refused", "a line", {}, { id: "key_1", state: {} }),
    new InconclusiveError("gone", "a line", "advice"),
    new CallError("refused", "a line"),
  ]) {
    expect(error.stack).toBe(error.message);
    for (const name of ["cause", "id", "code", "details", "metadata"]) expect(error).not.toHaveProperty(name);
  }
});

test("a long message is cut in the middle to fit into a header, because its last sentence says what to do", () => {
  const message = inBounds(`Start ${"x".repeat(900_000)} what to do.`);
  expect(message).toHaveLength(4_000);
  expect(message).toMatch(/^Start x+…x+ what to do\.$/);
  expect(inBounds("😀".repeat(5_000)).isWellFormed()).toBe(true);
});

test("an unexpected error is reported by its type and location, never by its message", () => {
  const { message, kept } = asFailure(new TypeError("sk_marker_q7ZxW2 is not a function"));
  expect(message).toMatch(
    /^APIKEYS9001: This is a bug in pulumi-apikeys: TypeError at .*\.\nState may lack .*\nPlease report it\.$/,
  );
  expect(message).not.toContain("sk_marker");
  expect(kept).toBeUndefined();
});

test("a thrown value that is not an error is reported by its type alone", () => {
  expect(asFailure("sk_marker_q7ZxW2").message).toMatch(
    /^APIKEYS9001: This is a bug in pulumi-apikeys: string\.\nState/,
  );
});

test("a message about a bug says where to report it, once a release has written the address into package.json", async () => {
  const { bugs } = addressOf("https://github.com/acme/pulumi-apikeys");
  vi.doMock("../../../package.json", () => ({ version: "1.0.0", bugs }));
  vi.resetModules();
  const released = await import("../../../provider/core/errors.js");
  expect(released.asFailure(new TypeError()).message).toMatch(
    /\nPlease report it at https:\/\/github\.com\/acme\/pulumi-apikeys\/issues\.$/,
  );
});

test("counts in messages have commas", () => {
  expect([999, 1_000, 1_234_567].map(numeral)).toEqual(["999", "1,000", "1,234,567"]);
});
