import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { LoggedRequest, Variant, VariantName } from "../../standin";
import { checkout } from "../../tools/engine/project";
import { findPulumi } from "../../tools/engine/pulumiCli";
import { type Claim, claim, counted, holds } from "./claims";
import { createPrinter, type Print, type Printer } from "./printer";
import { openStage, type Stage } from "./stage";
import { type DemoStep, steps } from "./steps";
import { said } from "./unseen";

export interface DemoOptions {
  /** How the stand-in behaves where the service's interface leaves it open. Default: the default variant. */
  readonly variant?: Partial<Variant> | VariantName;
  /** Default: standard output. */
  readonly print?: Print;
  /** Default: false. */
  readonly color?: boolean;
  /** Ends the demo after the running command. It rejects with the reason when the stand-in has stopped. */
  readonly signal?: AbortSignal;
}

/** The result of one step. */
interface Verdict {
  readonly title: string;
  readonly claims: readonly Claim[];
  /** The number of requests to the service, by method. */
  readonly requests: Readonly<Record<string, number>>;
  readonly result: "ok" | "FAILED" | "not run";
}

export interface DemoResult {
  /** Whether every step showed what it should. */
  readonly ok: boolean;
  readonly verdicts: readonly Verdict[];
}

/** Runs examples/quickstart through a key's whole life on the real engine, shows it, and checks each step. */
export async function runDemo(options: DemoOptions = {}): Promise<DemoResult> {
  const { variant = "default", color = false, signal = new AbortController().signal } = options;
  const { print = (text) => void process.stdout.write(text) } = options;
  const started = Date.now();
  const printed: string[] = [];
  const printer = createPrinter((text) => {
    printed.push(text);
    print(text);
  }, color);
  printer.line(
    "pulumi-apikeys: creates, changes and deletes two API keys with the real Pulumi engine",
    "bold",
  );
  printer.line();
  const cli = await findPulumi({ report: (line) => printer.line(`  ${line}`) });
  const stage = await openStage({ printer, signal, variant });
  try {
    await introduce(stage, cli.version);
    const verdicts = [...(await playAll(stage)), secrecy(stage, stripVTControlCharacters(printed.join("")))];
    const ok = verdicts.every(({ result }) => result === "ok");
    summarise(printer, verdicts, Math.round((Date.now() - started) / 1000));
    return { ok, verdicts };
  } finally {
    await stage.close();
  }
}

async function introduce({ printer, service }: Stage, version: string) {
  printer.line("  program   examples/quickstart/index.ts, with the package as npm installs it");
  printer.line(`  engine    Pulumi CLI ${version}, state in a temporary folder`);
  printer.line(`  service   the stand-in, an in-memory fake of the service, at ${service.url}`);
  printer.line();
  const program = await readFile(join(checkout, "examples/quickstart/index.ts"), "utf8");
  printer.quote(program.trimEnd().split("\n"));
}

/** After a failed step, only the last step runs, which cleans up. */
async function playAll(stage: Stage): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const [place, step] of steps.entries()) {
    const last = place === steps.length - 1;
    if (!last && verdicts.some(({ result }) => result !== "ok")) {
      verdicts.push({ title: step.title, claims: [], requests: {}, result: "not run" });
      continue;
    }
    stage.printer.line();
    stage.printer.line(`Step ${place + 1} of ${steps.length} — ${step.title}`, "bold");
    stage.printer.line(step.explanation);
    verdicts.push(await play(stage, step));
  }
  return verdicts;
}

async function play(stage: Stage, step: DemoStep): Promise<Verdict> {
  const { service, printer } = stage;
  service.clearRequests();
  const claims = await step.play(stage).catch((error: unknown) => {
    stage.signal.throwIfAborted();
    return [claim("the step completes", "no error", `${error}`)];
  });
  const result = claims.every(holds) ? "ok" : "FAILED";
  printer.line();
  for (const line of inWords(service.requests)) printer.line(`service: ${line}`, "dim");
  showClaims(printer, claims);
  return { title: step.title, claims, requests: counted(service.requests), result };
}

function showClaims(printer: Printer, claims: readonly Claim[]) {
  const held = claims.filter(holds).map(({ text }) => text);
  if (held.length > 0) printer.line(`checked: ${held.join("; ")}.`, "green");
  for (const failed of claims.filter((each) => !holds(each))) {
    printer.line(`FAILED: ${failed.text}.`, "red");
    printer.line(`  expected: ${JSON.stringify(failed.expected)}`);
    printer.line(`  actual:   ${JSON.stringify(failed.seen)}`);
  }
}

function secrecy({ printer, secrets }: Stage, printed: string): Verdict {
  const claims = [
    claim("the service made secrets", true, secrets.size > 0),
    claim("none of the secrets was printed", 0, said(secrets, printed)),
  ];
  const result = claims.every(holds) ? "ok" : "FAILED";
  if (result === "FAILED") showClaims(printer, claims);
  return { title: "Secrets", claims, requests: {}, result };
}

function summarise(printer: Printer, verdicts: readonly Verdict[], seconds: number) {
  const rows = verdicts.map(({ title, claims, requests, result }, place) => {
    const failed = claims.find((each) => !holds(each));
    const seen =
      failed === undefined
        ? (steps[place]?.shows ?? "none of the secrets was printed")
        : `not: ${failed.text}`;
    return [
      place < steps.length ? String(place + 1) : "",
      title,
      result === "not run" ? "" : seen,
      result === "not run" ? "" : inShort(requests),
      result,
    ];
  });
  printer.line();
  printer.line("What was checked", "bold");
  printer.line();
  printer.table([["", "step", "result", "requests to the service", ""], ...rows]);
  printer.line();
  const failed = verdicts.filter(({ result }) => result === "FAILED").length;
  if (failed > 0) {
    printer.line(`${failed} of ${verdicts.length} checks failed, after ${seconds} s.`, "red");
    return;
  }
  printer.line(
    `All checks passed in ${seconds} s. The fake service and the temporary folder are gone.`,
    "green",
  );
  printer.line("To use the provider with your service, see README.md.");
}

function inShort(requests: Readonly<Record<string, number>>): string {
  const counts = Object.entries(requests).map(([method, count]) => `${count} ${method}`);
  return counts.length === 0 ? "none" : counts.join(", ");
}

/** The requests of a step. Equal requests in a row become one line. */
function inWords(requests: readonly LoggedRequest[]): readonly string[] {
  const lines: { text: string; times: number }[] = [];
  for (const { method, path, status } of requests) {
    const text = `${method} ${path} → ${status}`;
    const before = lines.at(-1);
    if (before?.text === text) before.times += 1;
    else lines.push({ text, times: 1 });
  }
  if (lines.length === 0) return ["no request"];
  return lines.map(({ text, times }) => (times === 1 ? text : `${text}, ${times} times`));
}
