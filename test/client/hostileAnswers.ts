import type { HostileAnswer } from "./hostileAnswer";
import { nonsense } from "./hostileNonsense";

/**
 * Answers of a hostile or broken service, for all tiers. `elsewhere`: an origin that must get no request.
 * `echo`: text that no message may contain.
 */
export function hostileAnswers(elsewhere: string, echo: string): readonly HostileAnswer[] {
  return [...overload, ...lies, ...nonsense(echo), ...paces, ...redirects(elsewhere, echo), ...silences];
}

const MB = 1_000_000;
const nested = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
const deepLists = nested("[", "]");
const deepObjects = nested('{"a":', "}").replace(":}", ":0}");
const json = { "content-type": "application/json" };

const overload: readonly HostileAnswer[] = [
  {
    name: "one header of 1 MB",
    fault: { kind: "headers", headers: { "x-long": "y".repeat(MB) } },
    meaning: "ambiguous",
  },
  {
    name: "5,000 headers",
    fault: {
      kind: "headers",
      headers: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x-${n}`, "some value"])),
    },
    meaning: "ambiguous",
  },
  { name: "10 MB", fault: { kind: "hugeBody", bytes: 10 * MB }, meaning: "usable" },
  {
    name: "a body without end",
    fault: { kind: "hugeBody", bytes: Number.POSITIVE_INFINITY },
    meaning: "lost",
  },
  {
    name: "an error of 10 MB",
    fault: { kind: "status", status: 400, body: "x".repeat(10 * MB) },
    meaning: "refused",
  },
  { name: "deep lists", fault: { kind: "moreFields", json: `"more":${deepLists}` }, meaning: "usable" },
  { name: "deep objects", fault: { kind: "moreFields", json: `"more":${deepObjects}` }, meaning: "usable" },
  { name: "an id of deep lists", fault: { kind: "moreFields", json: `"id":${deepLists}` }, meaning: "lost" },
  {
    name: "an error of deep lists",
    fault: { kind: "status", status: 400, body: deepLists, headers: json },
    meaning: "refused",
  },
  {
    name: "an error with a deep message",
    fault: { kind: "status", status: 500, body: `{"message":${deepObjects}}`, headers: json },
    meaning: "ambiguous",
  },
  {
    name: "an error of unclosed tags",
    fault: { kind: "status", status: 400, body: "<a".repeat(500_000) },
    meaning: "refused",
  },
];

const lies: readonly HostileAnswer[] = [
  { name: "a truncated body", fault: { kind: "truncated" }, meaning: "lost" },
  { name: "another record", fault: { kind: "otherRecord" }, meaning: "foreign" },
  {
    name: "JSON called HTML",
    fault: { kind: "headers", headers: { "content-type": "text/html" } },
    meaning: "usable",
  },
  {
    name: "HTML called JSON",
    fault: { kind: "status", status: 200, body: "<html>sign in</html>", headers: json },
    meaning: "lost",
    says: /the answer is not JSON$/,
  },
  { name: "HTML", fault: { kind: "html" }, meaning: "lost", says: /the answer is not JSON$/ },
  { name: "nothing", fault: { kind: "emptyBody" }, meaning: "lost", says: /the answer is empty$/ },
  {
    name: "a body marked as compressed",
    fault: { kind: "headers", headers: { "content-encoding": "br" } },
    meaning: "usable",
  },
];

const wait = (name: string, retryAfter: string | readonly string[]): HostileAnswer => ({
  name: `Retry-After ${name}`,
  fault: { kind: "status", status: 429, headers: { "retry-after": retryAfter } },
  meaning: "throttled",
});

const paces: readonly HostileAnswer[] = [
  wait("-1", "-1"),
  wait("NaN", "NaN"),
  wait("1e309", "1e309"),
  wait("of 400 digits", "9".repeat(400)),
  wait("long past", "Thu, 01 Jan 1970 00:00:00 GMT"),
  wait("far away", "Fri, 31 Dec 9999 23:59:59 GMT"),
  wait("no date", "Fri, 99 Foo 2"),
  wait("twice", ["1", "999999999"]),
  wait("empty", ""),
];

const redirects = (elsewhere: string, echo: string): readonly HostileAnswer[] => [
  ...([301, 307, 308] as const).map(
    (code): HostileAnswer => ({
      name: `${code} to another origin`,
      fault: { kind: "status", status: code, headers: { location: `${elsewhere}/in?${echo}` } },
      meaning: "refused",
      says: /with a redirect, which is not followed$/,
    }),
  ),
  {
    name: "200 with a Location",
    fault: {
      kind: "headers",
      headers: { location: elsewhere, refresh: `0; url=${elsewhere}`, link: `<${elsewhere}>` },
    },
    meaning: "usable",
  },
];

const silences: readonly HostileAnswer[] = [
  {
    name: "a slow drip",
    fault: { kind: "drip", bytesPerSecond: 20 },
    meaning: "lost",
    says: /took too long/,
  },
  { name: "no answer", fault: { kind: "hang" }, meaning: "ambiguous", says: /^no answer came within/ },
  { name: "a reset", fault: { kind: "resetAfter" }, meaning: "ambiguous" },
];
