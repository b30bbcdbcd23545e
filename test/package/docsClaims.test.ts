import { constants } from "node:os";
import { errors } from "undici";
import { beforeAll, describe, expect, it } from "vitest";
import { limits, mostSent } from "../../provider/client/call";
import { failurePhrase } from "../../provider/client/failure";
import { retryLimits } from "../../provider/client/retry";
import { usualConcurrency, usualTimeOuts } from "../../provider/client/transport";
import { configNamespace, engineConfig } from "../../provider/core/config";
import { tellAfterMs } from "../../provider/hosts/ending";
import { patienceMs, servesMs } from "../../provider/reads/sharedReads";
import { page, pages, textsOfCode, typesIn } from "./docsText";
import { codeIn, section, table } from "./readmeText";

let texts: readonly string[];

beforeAll(async () => {
  texts = await textsOfCode();
});

/** The messages that docs/troubleshooting.md quotes: the first cells of its tables. */
const messages = page("troubleshooting.md")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => codeIn(line)[0] ?? "");

/** The parts of a message between the dots. */
const parts = (message: string) =>
  message
    .split("…")
    .map((part) => part.trim().replace(/^; /, ""))
    .filter((part) => part !== "");

describe("docs/configuration.md", () => {
  const text = page("configuration.md");

  it("names exactly the settings that the package reads", async () => {
    const variables = texts.filter((each) => /^APIKEYS_\w+$/.test(each));
    const all = Object.values(pages).flatMap((each) => each.match(/APIKEYS_\w+/g) ?? []);
    expect(new Set(all)).toEqual(new Set(variables));
    const rows = table(section("Settings and where they come from", text), "Setting");
    const args = await typesIn("ProviderArgs");
    const named = rows.flatMap((row) => codeIn(row["Provider argument"] ?? ""));
    expect(named.toSorted()).toEqual([...args.keys()].toSorted());
    const stack = rows.flatMap((row) => codeIn(row["Stack config"] ?? ""));
    const read: string[] = [];
    engineConfig((key) => read.push(key));
    expect(stack.toSorted()).toEqual(read.filter((key) => key.startsWith(`${configNamespace}:`)).toSorted());
  });

  it("has the numbers of the code", () => {
    const { attempts, totalMs, backOffFirstMs, pauseMs } = retryLimits;
    const { connectMs, headersMs, exchangeMs } = usualTimeOuts;
    const claims = [
      `at most ${attempts} attempts and ${totalMs / 1000} seconds`,
      `a random time of up to ${backOffFirstMs / 1000} seconds`,
      `up to ${pauseMs / 60_000} minutes in pauses`,
      `| time to connect | ${connectMs / 1000} seconds |`,
      `| time from the request to the headers | ${headersMs / 1000} seconds |`,
      `| time for one request and its answer | ${exchangeMs / 1000} seconds |`,
      `| requests at once | ${usualConcurrency} per process and address`,
      `| size of an answer with a list | ${limits.list / 1024 ** 2} MiB`,
      `| size of any other answer | ${limits.one / 1024 ** 2} MiB`,
      `| size of a request that creates something | ${mostSent / 1024} KiB`,
    ];
    const flat = text.replace(/ +/g, " ");
    expect(claims.filter((claim) => !flat.includes(claim))).toEqual([]);
  });
});

describe("the pages about lost answers and runs that end early", () => {
  it("have the numbers of the code", () => {
    const claims = {
      "api-key.md": [
        `serves all creates in a workspace for ${servesMs / 1000} seconds`,
        `takes longer than ${patienceMs / 1000} seconds`,
      ],
      "troubleshooting.md": [`has no answer after ${tellAfterMs / 1000} is printed`],
    };
    for (const [name, claimed] of Object.entries(claims)) {
      expect(claimed.filter((claim) => !page(name).includes(claim))).toEqual([]);
    }
  });

  it("quote every message about a run that ended", () => {
    const ofTheEnd = (text: string) => /\bthe run ended\b/.test(text);
    // Alone it is a reason, which other messages contain.
    const told = texts.filter((text) => ofTheEnd(text) && text !== "the run ended");
    const quoted = messages.flatMap(parts).filter(ofTheEnd);
    expect(told.length).toBeGreaterThan(3);
    expect(told.filter((text) => !quoted.some((part) => text.includes(part)))).toEqual([]);
  });
});

describe("docs/troubleshooting.md", () => {
  // For an answer that could not be read to its end, the code has the subject apart.
  const isWritten = (part: string) => {
    const problem = part.replace(/^the answer /, "");
    return texts.some((text) => text.includes(part) || (problem !== part && text.startsWith(problem)));
  };

  it("quotes messages of the code, word for word between the dots", () => {
    expect(messages.length).toBeGreaterThan(70);
    const unknown = messages.flatMap(parts).filter((part) => !isWritten(part));
    expect(unknown).toEqual([]);
  });

  it("quotes each message once, and enough of it to recognize it", () => {
    const short = messages.filter((message) => Math.max(...parts(message).map(({ length }) => length)) < 7);
    expect(short).toEqual([]);
    expect(messages).toEqual([...new Set(messages)]);
  });

  it("quotes every reason why a connection fails", () => {
    const ofUndici = Object.values(errors).map((Kind) => Reflect.construct(Kind, ["", 0, {}]));
    const ofNode = [...Object.keys(constants.errno), "ENOTFOUND", "EAI_AGAIN", "CERT_HAS_EXPIRED", ""];
    const ofProxies = [
      "Proxy response (403) !== 200 when HTTP Tunneling",
      "Proxy Authentication Required (407)",
    ];
    const failures = [
      ...ofUndici,
      ...ofNode.map((code) => ({ code })),
      ...ofProxies.map((message) => ({ message })),
      { name: "HTTPParserError" },
    ];
    const reasons = new Set(failures.map((error) => failurePhrase(error, "host", true)));
    const elsewhere = /^(the request can't be sent|the answer's headers)/;
    const isQuoted = (reason: string) =>
      messages
        .map(parts)
        .some((each) => reason.startsWith(each[0] ?? "…") && each.every((part) => reason.includes(part)));
    expect([...reasons].filter((reason) => !isQuoted(reason) && !elsewhere.test(reason))).toEqual([]);
    expect(reasons.size).toBeGreaterThan(12);
  });
});
