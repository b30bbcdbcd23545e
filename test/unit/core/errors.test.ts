import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CallError, type Verdict } from "../../../provider/client/send";
import { askForReport, explain, Failure, InconclusiveError } from "../../../provider/core/errors";
import { inBounds, numeral, sentences } from "../../../provider/core/text";
import { addressOf } from "../../../tools/release";

const about = {
  doing: 'Deleting key "ci" in workspace ws_1',
  notDone: "It stays in state",
  unclear: "Whether it was deleted is not known",
  advice: "Check the token's rights",
};
const setup = {
  tokenAdvice: "The access token came from the environment. Set it",
  baseUrlSource: "https://a.test, from stack config",
};
const session = { setup };
const messageAfter = (verdict: Verdict, status?: number) =>
  explain(new CallError(verdict, `the service answered ${status}`, status), session, about).message;
const start = 'Deleting key "ci" in workspace ws_1: the service answered';

describe("the error of a failed call", () => {
  test("says what failed, what state has, and what to do", () => {
    expect(messageAfter("refused", 403)).toBe(`${start} 403. It stays in state. Check the token's rights.`);
    const again =
      "Run the command again; if it fails the same way, check the base URL (https://a.test, from stack config), and any proxy or gateway in between.";
    expect(messageAfter("notSent")).toBe(`${start} undefined. It stays in state. ${again}`);
  });

  test.each([302, 404, 405])("says after a %i that another server may have answered", (status) => {
    expect(messageAfter("refused", status)).toBe(
      `${start} ${status}. It stays in state. Check the token's rights. If that doesn't help, check the base URL (https://a.test, from stack config), and any proxy or gateway in between.`,
    );
  });

  test.each(["refused", "notSent"] as const)("says when to try again after a 429: %s", (verdict) => {
    expect(messageAfter(verdict, 429)).toBe(`${start} 429. It stays in state. Run the command again later.`);
  });

  test("says what is not known if the call may have been carried out", () => {
    expect(messageAfter("ambiguous", 500)).toBe(`${start} 500. Whether it was deleted is not known.`);
    const { unclear: _, ...without } = about;
    const error = explain(
      new CallError("ambiguous", "the connection was reset", undefined),
      session,
      without,
    );
    expect(error.message).toContain("the connection was reset. It stays in state.");
  });

  test("R14 says after a 401 where the token came from, in place of any other advice", () => {
    expect(messageAfter("refused", 401)).toBe(
      `${start} 401. It stays in state. The access token came from the environment. Set it.`,
    );
  });

  test("keeps the advice of an InconclusiveError", () => {
    const error = explain(
      new InconclusiveError("its workspace can't be read either", "Check the token."),
      session,
      about,
    );
    expect(error.message).toBe(
      `Deleting key "ci" in workspace ws_1: its workspace can't be read either. It stays in state. Check the token.`,
    );
  });

  test("is not made of any other error, which is a bug and is thrown again", () => {
    const bug = new TypeError("x is not a function");
    expect(() => explain(bug, session, about)).toThrow(bug);
  });

  test("ends each sentence with one full stop, and skips absent sentences", () => {
    const sentence = fc.stringMatching(/^[A-Z][a-z ]{0,8}[a-z][.!?]?$/);
    fc.assert(
      fc.property(fc.array(fc.option(sentence, { nil: undefined })), (parts) => {
        const there = parts.filter((part) => part !== undefined);
        const joined = sentences(...parts);
        expect(joined).toBe(there.map((part) => (/[.!?]$/.test(part) ? part : `${part}.`)).join(" "));
      }),
    );
    expect(sentences(undefined, "", undefined)).toBe("");
  });
});

describe("errors", () => {
  test("are one line of plain text, whatever is named in them", () => {
    expect(new Failure('Creating key "a\r\nb\u001b[31mc\u2028d" in ws_1').message).toBe(
      'Creating key "a b [31mc d" in ws_1',
    );
  });

  test("have their message as stack, and no property that gRPC takes for a status", () => {
    const kept = { id: "key_1", state: {} };
    for (const error of [
      new Failure("a line", { kept }),
      new InconclusiveError("a line", "advice"),
      new CallError("refused", "a line"),
    ]) {
      expect(error.stack).toBe("a line");
      expect(error).not.toHaveProperty("cause");
      for (const name of ["id", "code", "details", "metadata"]) expect(error).not.toHaveProperty(name);
    }
  });

  test("have no bidirectional marks and no half characters", () => {
    expect(new Failure("a\u001b[2J\r\nb\u202ec\ud800d").message).toBe("a [2J bcd");
  });

  test("fit into a header: a long one is cut in the middle, because its last sentence says what to do", () => {
    const message = inBounds(`Start ${"x".repeat(900_000)} what to do.`);
    expect(message).toHaveLength(4_000);
    expect(message).toMatch(/^Start x+…x+ what to do\.$/);
    expect(inBounds("😀".repeat(5_000)).isWellFormed()).toBe(true);
  });
});

test("a message about a bug says where to report it, once a release has written the address into package.json", () => {
  expect(askForReport()).toBe("please report it");
  const { bugs } = addressOf("https://github.com/acme/pulumi-apikeys");
  expect(askForReport(bugs.url)).toBe("please report it at https://github.com/acme/pulumi-apikeys/issues");
});

test("counts have commas", () => {
  expect([999, 1_000, 1_234_567].map(numeral)).toEqual(["999", "1,000", "1,234,567"]);
});
