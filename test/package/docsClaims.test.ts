import { beforeAll, expect, test } from "vitest";
import { type Next, retries } from "../../provider/client/retry";
import { retryPauses, singleWrites, usualLimits } from "../../provider/client/send";
import { failurePhrase, mostBytes, phrases, usualTimeOuts } from "../../provider/client/wire";
import { codes } from "../../provider/core/codes";
import { tellAfterMs } from "../../provider/hosts/process";
import { configNamespace, engineConfig } from "../../provider/lifecycle/config";
import { servesMs } from "../../provider/reads";
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

const text = page("configuration.md");

test("docs/configuration.md names exactly the settings that the package reads", async () => {
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

test("docs/configuration.md has the numbers of the code", () => {
  const { maxAttempts, concurrency } = usualLimits;
  const { firstMs, longestMs, allMs } = retryPauses;
  const { connectMs, headersMs, exchangeMs } = usualTimeOuts;
  const claims = [
    `at most ${maxAttempts} attempts`,
    `a random time of up to ${firstMs / 1000} seconds; that limit doubles with each attempt, up to ${longestMs / 1000}`,
    `up to ${allMs / 60_000} minutes in all`,
    `one write at a time until ${singleWrites} have succeeded`,
    `| time to connect | ${connectMs / 1000} seconds |`,
    `| time from the request to the headers | ${headersMs / 1000} seconds |`,
    `| time for one request and its answer | ${exchangeMs / 1000} seconds |`,
    `| requests at once | ${concurrency} per process and address, unless \`concurrency\` is set |`,
    `| keys of a set at once | half as many, ${concurrency / 2} |`,
    `| size of an answer, also uncompressed | ${mostBytes / 1024 ** 2} MiB |`,
  ];
  const flat = text.replace(/ +/g, " ");
  expect(claims.filter((claim) => !flat.includes(claim))).toEqual([]);
});

test("docs/configuration.md has the table by which requests are sent again", () => {
  const words = {
    notSent: "it was not sent",
    ambiguous: "it may have been carried out",
    refused: "it was refused",
  };
  const rows = retries.map(({ verdict, status, asksToWait, wasBusy, next }) => {
    const after = verdict === undefined ? (status ?? "any other answer") : words[verdict];
    const asks = asksToWait ? " with `Retry-After`" : "";
    return [`${after}${asks}${wasBusy ? " while another write was under way" : ""}`, ...next] as const;
  });
  const shown = table(section("Retries", text), "After").map((row) => Object.values(row));
  expect(shown).toEqual(rows);
  expect(new Set(shown.flatMap(([, ...next]) => next))).toEqual(new Set<Next>(["wait", "again", "give up"]));
});

test("docs about lost answers and runs that end early have the numbers of the code", () => {
  const claims = {
    "api-key.md": [`serves all creates in a workspace for ${servesMs / 1000} seconds`],
    "troubleshooting.md": [`has no answer after ${tellAfterMs / 1000} is printed`],
  };
  for (const [name, claimed] of Object.entries(claims)) {
    expect(claimed.filter((claim) => !page(name).includes(claim))).toEqual([]);
  }
});

test("docs quote every message about a run that ended", () => {
  const ofTheEnd = (text: string) => /\bthe run ended\b|before it could be confirmed/.test(text);
  const told = texts.filter(ofTheEnd);
  const quoted = messages.flatMap(parts).filter(ofTheEnd);
  expect(told.length).toBeGreaterThan(1);
  expect(told.filter((text) => !quoted.some((part) => text.includes(part)))).toEqual([]);
});

const isWritten = (part: string) => texts.some((text) => text.includes(part));

test("docs/troubleshooting.md quotes messages of the code, word for word between the dots", () => {
  expect(messages.length).toBeGreaterThan(60);
  const unknown = messages.flatMap(parts).filter((part) => !isWritten(part));
  expect(unknown).toEqual([]);
});

test("docs/troubleshooting.md lists each code once, with its meaning, and each is used", () => {
  const rows = table(section("Codes", page("troubleshooting.md")), "code");
  const all = Object.entries(codes).map(([kind, [number, meaning]]) => ({
    kind,
    code: `APIKEYS${number}`,
    meaning,
  }));
  expect(rows.map(({ code, meaning }) => [code, meaning])).toEqual(
    all.map(({ code, meaning }) => [code, meaning]),
  );
  expect(new Set(all.map(({ code }) => code)).size).toBe(all.length);
  expect(all.filter(({ kind, code }) => !texts.includes(kind) && !texts.includes(code))).toEqual([]);
});

test("docs/troubleshooting.md quotes every reason why a connection fails", () => {
  const others = ["EHOSTUNREACH", "SELF_SIGNED_CERT_IN_CHAIN", "ERR_SSL_NO_APPLICATION_PROTOCOL"];
  const reasons = [...Object.keys(phrases), ...others].map((code) => failurePhrase({ code }));
  const proxied = [403, 407].map((status) => failurePhrase({ message: `Proxy response (${status})` }));
  const isQuoted = (reason: string) =>
    messages
      .map(parts)
      .some((each) => reason.startsWith(each[0] ?? "…") && each.every((part) => reason.includes(part)));
  expect([...reasons, ...proxied].filter((reason) => !isQuoted(reason))).toEqual([]);
});
