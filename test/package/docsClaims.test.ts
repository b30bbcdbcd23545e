import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mostSent } from "../../provider/client/requests";
import { retryLimits } from "../../provider/client/retry";
import { checkout } from "../engine/folders";
import { page, pages, read, typesIn } from "./docsText";
import { codeIn, section, table } from "./readmeText";

describe("what docs/configuration.md says", () => {
  const text = page("configuration.md");

  it("names the settings that the provider reads, and no others", () => {
    const sources = read("provider/core/config.ts") + read("provider/client/transport.ts");
    const variables = sources.match(/(?<=env\[")APIKEYS_\w+/g) ?? [];
    const all = Object.values(pages).flatMap((each) => each.match(/APIKEYS_\w+/g) ?? []);
    expect(new Set(all)).toEqual(new Set(variables));
    const rows = table(section("Settings and where they come from", text), "setting");
    const args = typesIn(read("sdk/provider.ts"), "interface ProviderArgs {", /readonly (\w+)\?: (.*);/g);
    const named = rows.flatMap((row) => codeIn(row["Provider argument"] ?? ""));
    expect(named.toSorted()).toEqual([...args.keys()].toSorted());
    const stack = rows.flatMap((row) => codeIn(row["stack config"] ?? ""));
    const asked = [...read("provider/core/config.ts").matchAll(/stack config (apikeys:\w+)"/g)].map(
      ([, key]) => key,
    );
    expect(stack).toEqual(expect.arrayContaining(asked));
  });

  it("has the numbers of the code", () => {
    const transport = read("provider/client/transport.ts");
    const endpoints = read("provider/client/endpoints.ts");
    const value = (source: string, pattern: RegExp) => Number(pattern.exec(source)?.[1]?.replace("_", ""));
    const seconds = (name: string) => value(transport, new RegExp(`${name}: ([\\d_]+)`)) / 1000;
    const { attempts, totalMs, backOffFirstMs, pauseMs } = retryLimits;
    const claims = [
      `at most ${attempts} attempts and ${totalMs / 1000} seconds`,
      `up to ${backOffFirstMs / 1000} seconds at first`,
      `up to ${pauseMs / 60_000} minutes in pauses`,
      `${value(read("provider/client/retry.ts"), /size = (\d+)/)} retries`,
      `| to connect | ${seconds("connectMs")} seconds |`,
      `| from the request to headers | ${seconds("headersMs")} seconds |`,
      `| one exchange in all | ${seconds("exchangeMs")} seconds |`,
      `| ${value(transport, /concurrency \?\? (\d+)/)} to one address`,
      `| an answer with a list | ${value(endpoints, /list: (\d+) \* MiB/)} MiB`,
      `| any other answer | ${value(endpoints, /one: (\d+) \* MiB/)} MiB`,
      `| a request that makes something | ${mostSent / 1024} KiB`,
    ];
    const flat = text.replace(/ +/g, " ");
    expect(claims.filter((claim) => !flat.includes(claim))).toEqual([]);
  });
});

describe("what the pages say of lost answers and of runs that end early", () => {
  const seconds = (file: string, name: string) => {
    const [, value = ""] = new RegExp(`const ${name} = ([\\d_]+);`).exec(read(`provider/${file}.ts`)) ?? [];
    return Number(value.replace("_", "")) / 1000;
  };

  it("has the numbers of the code", () => {
    const claims = {
      "api-key.md": [
        `at most one in ${seconds("reads/sharedReads", "lastingMs")} seconds`,
        `takes longer than ${seconds("reads/sharedReads", "patienceMs")} seconds`,
      ],
      "troubleshooting.md": [
        `has no answer after ${seconds("hosts/dynamic/process", "tellAfterMs")} is printed`,
      ],
    };
    for (const [name, texts] of Object.entries(claims)) {
      expect(texts.filter((text) => !page(name).includes(text))).toEqual([]);
    }
  });

  it("quotes all that is told of what a run left behind", () => {
    const files = [
      "core/lifecycle",
      "resources/apiKey/operations",
      "resources/apiKey/creation",
      "resources/customerBilling",
    ];
    const sources = [...files, "resources/workspaceSettings/index"].map((file) =>
      read(`provider/${file}.ts`),
    );
    const told = sources.flatMap(
      (source) => source.match(/[^`"$}:]*\bthe run ended\b(?! ?")[^`"$:.]*/g) ?? [],
    );
    const quoted = codeIn(section("After an interrupted run", page("troubleshooting.md"))).flatMap((code) =>
      code.split("…").map((part) => part.trim()),
    );
    const known = (text: string) => quoted.some((part) => part.length > 6 && text.includes(part));
    expect(told.length).toBeGreaterThan(3);
    expect(told.filter((text) => !known(text))).toEqual([]);
  });
});

describe("what docs/troubleshooting.md quotes", () => {
  const text = page("troubleshooting.md");
  const messages = text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => codeIn(line)[0] ?? "");
  const sources = [
    "provider",
    ...[
      "client",
      "core",
      "reads",
      "hosts/dynamic",
      "resources",
      "resources/apiKey",
      "resources/apiKeySet",
      "resources/workspaceSettings",
      "resources/fields",
    ].map((at) => `provider/${at}`),
    "sdk",
  ].flatMap((folder) =>
    readdirSync(join(checkout, folder))
      .filter((name) => name.endsWith(".ts"))
      .map((name) => read(join(folder, name)).replaceAll('\\"', '"')),
  );
  const written = sources.join("\n");
  // Of an answer that could not be read to its end, the code writes the subject apart.
  const isWritten = (part: string) => {
    const problem = part.replace(/^the answer /, "");
    return [part, `problem: "${problem}`, `problem: \`${problem}`].some((text) => written.includes(text));
  };
  const parts = (message: string) =>
    message
      .split("…")
      .map((part) => part.trim().replace(/^; /, ""))
      .filter((part) => part !== "");

  it("is said by the code, word for word between the dots", () => {
    expect(messages.length).toBeGreaterThan(70);
    const unknown = messages.flatMap(parts).filter((part) => !isWritten(part));
    expect(unknown).toEqual([]);
  });

  it("is distinctive, and stands once", () => {
    const short = messages.filter((message) => Math.max(...parts(message).map(({ length }) => length)) < 7);
    expect(short).toEqual([]);
    expect(messages).toEqual([...new Set(messages)]);
  });

  it("has every reason for which a connection fails", () => {
    const reasons = [...read("provider/client/failure.ts").matchAll(/return\s+["`]([^"`]+)["`];/g)].map(
      ([, reason = ""]) =>
        reason
          .replace(/\$\{[^}]*\}|\d{3}/g, "…")
          .split("…")[0]
          ?.trim() ?? "",
    );
    const elsewhere = /^(the request can't be written|the answer's headers)/;
    const missing = reasons.filter((reason) => !text.includes(reason) && !elsewhere.test(reason));
    expect(reasons.length).toBeGreaterThan(8);
    expect(missing).toEqual([]);
  });
});
