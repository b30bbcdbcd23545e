import { CallError } from "./callError";

const unsendable = /[\p{Cc}\p{Cs}]/u;

function segment(value: string): string {
  if (value === "") throw new CallError("notSent", "an id in the address is empty");
  if (value === "." || value === "..") throw new CallError("notSent", `an id in the address is "${value}"`);
  if (unsendable.test(value)) {
    throw new CallError(
      "notSent",
      "an id in the address holds a control character or half of a surrogate pair",
    );
  }
  return encodeURIComponent(value);
}

/**
 * The path of a request: `apiPath`/api/v1/workspace/${id}``. Parameters are percent-encoded; one that would lead
 * to another path ("", "." and "..", with or without encoding by what stands between) or can't be encoded is a
 * CallError "notSent".
 */
export function apiPath(fixed: TemplateStringsArray, ...parameters: string[]): string {
  return parameters.reduce(
    (path, value, at) => path + segment(value) + (fixed[at + 1] ?? ""),
    fixed[0] ?? "",
  );
}
