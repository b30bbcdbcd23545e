import { isDeepStrictEqual } from "node:util";
import { type Decode, Mismatch, record, requiredList } from "./fields";
import type { Unreadable } from "./outcome";

/** What a 2xx answer came to. */
export interface Reading<T> {
  /** `undefined` if the answer can't be used. */
  readonly record: T | undefined;
  /** Why it can't be used: a phrase that begins with "the answer". */
  readonly problem?: string;
  readonly flaw?: Flaw;
  /** Whether the answer has nothing where the record should be: `{"apiKey": null}`, or `{}`. */
  readonly noRecord?: true;
  /** Whether another attempt would get the same problem. */
  readonly lasting?: true;
  /** Whether the service answered 202: it has accepted a write, and may not have carried it out yet. */
  readonly deferred?: true;
}

/**
 * Why a 2xx may not come from the service, or not mean success: the body is no JSON, as of a gateway's page; or it has an
 * error in place of the record, as some services answer to what they refuse.
 */
type Flaw = "notJson" | "error";

/** Turns an answer's body into what was asked for. */
export type Reader<T> = (body: Buffer | Unreadable) => Reading<T>;

/** A field of the answer: `apiKey.scopes[2].del`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`;
    return name === "" ? String(part) : `${name}.${String(part)}`;
  }, "");
}

function complaint({ path, message }: Mismatch): string {
  const name = fieldName(path);
  return name === "" ? `the answer ${message}` : `the answer's ${name} ${message}`;
}

const unusable = (problem: string) => ({ record: undefined, problem });

/**
 * A whole number too large for a JavaScript number becomes text, digit by digit as the service wrote it: an id
 * would otherwise turn into another one.
 */
function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  const exact = !Number.isInteger(value) || Number.isSafeInteger(value);
  return exact ? value : (context?.source ?? value);
}

function parseJson(body: Buffer, fatal: boolean): unknown {
  const text = new TextDecoder("utf-8", { fatal }).decode(body);
  return /[:,[]\s*-?\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

function isNothing(answer: unknown, wrapper: string): boolean {
  if (answer === null) return true;
  if (typeof answer !== "object" || Array.isArray(answer)) return false;
  const { [wrapper]: found, ...others } = answer as Record<string, unknown>;
  return found === null || (found === undefined && Object.keys(others).length === 0);
}

interface ReaderOptions<T> {
  /** Whether text that is no UTF-8 makes the answer unusable. Default: true. */
  readonly fatal?: boolean;
  /** What an answer without any field stands for. Default: it can't be used. */
  readonly ofNothing?: T;
  /** Whether null in place of the record says that there is no such object, as a 404 does. Default: it can't be used. */
  readonly mayBeNothing?: boolean;
}

/**
 * A reader for answers that have a record, or a list of them, in the property `wrapper`. `check` may find a problem with
 * it, as a phrase that begins with "the answer". Text that is no UTF-8 makes the answer unusable where it is `fatal`.
 * `ofNothing` is what an answer without any field stands for. Default: it can't be used.
 */
export function reader<T>(
  wrapper: string,
  decode: Decode<T>,
  check: (found: T) => string | undefined = () => undefined,
  { fatal = true, ofNothing, mayBeNothing = false }: ReaderOptions<T> = {},
): Reader<T> {
  const decodeAnswer = record({ [wrapper]: decode });
  return (body) => {
    if (!Buffer.isBuffer(body)) {
      return { ...unusable(`the answer ${body.problem}`), ...(body.lasting && { lasting: true }) };
    }
    if (body.length === 0) return unusable("the answer is empty");
    let parsed: unknown;
    try {
      parsed = parseJson(body, fatal);
    } catch {
      return { ...unusable("the answer is not JSON"), flaw: "notJson" };
    }
    try {
      if (ofNothing !== undefined && isDeepStrictEqual(parsed, {})) return { record: ofNothing };
      const found = decodeAnswer(parsed)[wrapper] as T;
      const problem = check(found);
      return problem === undefined ? { record: found } : unusable(problem);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      if (!mayBeNothing || !isNothing(parsed, wrapper)) return unusable(complaint(error));
      return { ...unusable(`the answer's ${wrapper} is missing`), lasting: true, noRecord: true };
    }
  };
}

/** A reader for lists: some services leave out one that is empty. */
export function listReader<T>(wrapper: string, entry: Decode<T>): Reader<readonly T[]> {
  return reader<readonly T[]>(wrapper, requiredList(entry), undefined, { ofNothing: [] });
}
