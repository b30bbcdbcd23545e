import { CallError } from "./callError";

const unsendable = /[\p{Cc}\p{Cs}]/u;

/** Why an id can't be part of a path, as words to follow it; `undefined` if it can. */
export function pathProblem(id: string): string | undefined {
  if (id === "") return "is empty";
  if (id === "." || id === "..") return `is "${id}"`;
  return unsendable.test(id) ? "contains a control character or half of a character" : undefined;
}

function segment(value: string): string {
  const problem = pathProblem(value);
  if (problem !== undefined) throw new CallError("notSent", `an id in the URL ${problem}`);
  return encodeURIComponent(value);
}

/**
 * The path of a request, as in apiPath`/api/v1/workspace/${id}`. Parameters are percent-encoded; one that would
 * lead to another path ("", "." and "..") or that can't be part of a URL is a CallError "notSent".
 */
export function apiPath(fixed: TemplateStringsArray, ...parameters: string[]): string {
  return parameters.reduce(
    (path, value, at) => path + segment(value) + (fixed[at + 1] ?? ""),
    fixed[0] ?? "",
  );
}
