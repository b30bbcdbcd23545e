import { CallError } from "./callError";

const unsendable = /[\p{Cc}\p{Cs}]/u;

function segment(value: string): string {
  if (value === "") throw new CallError("notSent", "an id in the address is empty");
  if (value === "." || value === "..") throw new CallError("notSent", `an id in the address is "${value}"`);
  if (unsendable.test(value)) {
    throw new CallError("notSent", "an id in the address holds a control character or half of a character");
  }
  return encodeURIComponent(value);
}

/**
 * The path of a request, as in apiPath`/api/v1/workspace/${id}`. Parameters are percent-encoded; one that would
 * lead to another path ("", "." and "..") or that no address can hold is a CallError "notSent".
 */
export function apiPath(fixed: TemplateStringsArray, ...parameters: string[]): string {
  return parameters.reduce(
    (path, value, at) => path + segment(value) + (fixed[at + 1] ?? ""),
    fixed[0] ?? "",
  );
}
