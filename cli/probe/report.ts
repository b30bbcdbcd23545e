/** What a probe has found: for people, and as a file that describes the service. */
import { version } from "../../package.json";
import { parsed } from "../managed";
import { Failure, isRecord, oneLine, type Properties } from "../provider";
import { variantOptions } from "../standin";
import { type Finding, type Question, topics } from "./question";
import { needsWrite, reasonOf, type Service } from "./service";

export type Result = Finding & Pick<Question, "id" | "topic"> & { readonly unseen?: string };

/** Reads the answers to one question. */
export function resultOf(s: Service, { id, topic, about, does, read }: Question): Result {
  try {
    const found = read(s);
    const finding = typeof found === "object" ? found : { value: found };
    const word = { true: "yes", false: "no" }[String(finding.value)] ?? String(finding.value);
    const value = word.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return { id, topic, seen: `${about}: ${value}`, ...(does !== "" && { does }), ...finding };
  } catch (error) {
    return { id, topic, seen: about, unseen: reasonOf(error).reason };
  }
}

/** A description of the service: options of the stand-in's variants, other values, and what could not be seen. */
export function fileOf(all: readonly Result[]) {
  const variant: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  const unseen: Record<string, unknown> = {};
  for (const option of Object.keys(variantOptions)) unseen[option] = "no probe tries it";
  for (const { id, value, seen, unseen: reason } of all) {
    const values: readonly unknown[] | undefined = Object(variantOptions)[id];
    const isOption = values?.includes(value) || (values?.length === 1 && typeof value === "number");
    if (value !== undefined) (isOption ? variant : others)[id] = value;
    if (isOption) delete unseen[id];
    else if (values) unseen[id] = reason ?? `the stand-in can't do this: ${seen}`;
  }
  return { version, variant, others, unseen };
}

/** What differs from the description of an earlier probe, as far as both have seen it. */
export function changes(text: string, all: readonly Result[]): readonly string[] {
  const valuesIn = (file: unknown): Properties => {
    const { variant, others } = Object(file) as Properties;
    if (isRecord(variant)) return { ...variant, ...Object(others) };
    throw new Failure("wrongInput", "The file of --against is not one that --save wrote.");
  };
  const now = valuesIn(fileOf(all));
  return Object.entries(valuesIn(parsed(text))).flatMap(([id, was]) => {
    const isMeasured = id === "laterMs" || id === "rateLimitPerSecond";
    if (!(id in now) || now[id] === was || isMeasured) return [];
    return [`${id} was ${was}, and is ${now[id]}`];
  });
}

/** A table by topic: what was seen, what the provider does about it, and what the user does. */
export function table(all: readonly Result[]): string {
  const later = all.filter(({ unseen }) => unseen === needsWrite);
  const lines = Object.entries(topics).flatMap(([topic, page]) => {
    const rows = all.filter((each) => each.topic === topic && !later.includes(each)).flatMap(rowsOf);
    return rows.length === 0 ? [] : [`${topic} (${page})`, ...rows, ""];
  });
  const rest = wrapped(`Not looked at without --write: ${later.map(({ id }) => id).join(", ")}`, 96);
  return [...lines, ...(later.length > 0 ? [...rest, ""] : []), ""].join("\n");
}

function rowsOf({ seen = "", does = "", helps, breaks, unseen }: Result): readonly string[] {
  const left = wrapped(unseen === undefined ? seen : `${seen}: not seen, ${unseen}`, does === "" ? 96 : 52);
  const right = wrapped(does, 42);
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
    `${(left[at] ?? "").padEnd(52)}  ${right[at] ?? ""}`.trimEnd(),
  );
  const sign = breaks ? "✗" : helps ? "!" : unseen ? "?" : "✓";
  const advice = breaks ?? helps;
  const all = [...rows, ...(advice === undefined ? [] : wrapped(`> ${advice}`, 94))];
  return all.map((row, at) => `${at > 0 ? " " : sign} ${row}`);
}

function wrapped(text: string, width: number): readonly string[] {
  return (
    oneLine(text)
      .match(new RegExp(`.{1,${width}}(?= |$)|\\S+`, "g"))
      ?.map((line) => line.trim()) ?? []
  );
}
