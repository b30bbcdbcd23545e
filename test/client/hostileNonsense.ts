import type { HostileAnswer } from "./hostileAnswer";

const raw = (
  name: string,
  bytes: string,
  meaning: HostileAnswer["meaning"] = "ambiguous",
): HostileAnswer => ({
  name,
  fault: { kind: "raw", bytes },
  meaning,
});

const status = (code: number | string) => `HTTP/1.1 ${code} X\r\ncontent-length: 2\r\n\r\n{}`;

const more = (name: string, json: string, meaning: HostileAnswer["meaning"]): HostileAnswer => ({
  name,
  fault: { kind: "moreFields", json },
  meaning,
});

/** Broken HTTP, and records with strange fields. `echo` is text that no message may contain. */
export function nonsense(echo: string): readonly HostileAnswer[] {
  const long = "x".repeat(900_000);
  const texts = ["name", "maskedKey", "representation", "description", "defaultKeyPrefix", "createdAt"];
  const everywhere = `${texts.map((name) => `"${name}":"${echo}"`).join()},"defaultAllowedIPs":["${echo}"]`;
  return [
    raw("status 999", status(999)),
    raw("status 99", status(99)),
    raw("status 0", status("000")),
    raw("a status of letters", status("two")),
    raw("101, another protocol", "HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"),
    raw("100 and the end", "HTTP/1.1 100 Continue\r\n\r\n"),
    raw("no HTTP", `${echo}\r\n\r\n`),
    raw("HTTP/2", "\0\0\0\x04\0\0\0\0\0"),
    raw(
      "a chunk too short",
      "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{}\r\n0\r\n\r\n",
      "lost",
    ),
    raw("a Content-Length too large", "HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{}", "lost"),
    raw("NUL in a header", `HTTP/1.1 200 X\r\nx-${echo}: a\0b\r\ncontent-length: 0\r\n\r\n`),
    {
      name: "400 with NUL bytes",
      fault: { kind: "status", status: 400, body: "a\0\0b\u001b[2J" },
      meaning: "refused",
    },
    more("NUL bytes and lone surrogates", '"name":"a\\u0000b\\ud800c","createdAt":"\\udc00"', "usable"),
    more("bare NUL bytes", '"name":"a\0b"', "lost"),
    more(
      "terminal codes and reversed text",
      '"name":"\\u001b[2J\\r\\n\\u202eeman","representation":"\\u001b]0;x\\u0007"',
      "usable",
    ),
    more("a name of 900 kB", `"name":"${long}"`, "usable"),
    more("secrets in string fields", everywhere, "usable"),
    more("a secret as id", `"id":"${echo}"`, "foreign"),
    more("fields twice", '"name":"b","name":"c"', "usable"),
    more("another id, second", '"id":"other"', "foreign"),
    more(
      "names of prototypes",
      '"__proto__":{"id":"x","deleted":true},"constructor":{"prototype":{"deleted":true}},"toString":1',
      "usable",
    ),
    more("enormous numbers", `"expiresAt":1e309,"createdAt":-1e308,"more":${"9".repeat(100_000)}`, "usable"),
    more("an id without a value", '"id":null', "lost"),
    more("an id that is an object", `"id":{"${echo}":1}`, "lost"),
    { name: "null", fault: { kind: "status", status: 200, body: "null" }, meaning: "lost" },
    { name: "a list", fault: { kind: "status", status: 200, body: [echo] }, meaning: "lost" },
  ];
}
