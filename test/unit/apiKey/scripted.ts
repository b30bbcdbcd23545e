import { CallError } from "../../../provider/client/send";
import { apiKey } from "../../../provider/resources/apiKey";
import { replying } from "../replying";

/** A key in the scripted service, with scopes as in requests. */
export interface HeldKey {
  readonly name: string;
  readonly enabled: boolean;
  readonly scopes: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

export interface Script {
  /** The key after a create or PATCH. Default: it has the fields of the request. */
  readonly write?: (asked: HeldKey, before: HeldKey | undefined) => HeldKey;
  /** The answer to a PATCH: the key before or after it, the request's values, or nothing. Default: after. */
  readonly answer?: "after" | "before" | "echo" | "nothing";
  /** What the answer to a create shows of the key. Default: all. */
  readonly createAnswer?: (key: HeldKey) => object;
  readonly key?: HeldKey;
}

/** An ApiKey's operations, on a service in memory that has one key and behaves as the script says. */
export function scripted({
  write = (asked) => asked,
  answer = "after",
  createAnswer = (created) => created,
  key,
}: Script) {
  let held = key;
  const calls: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];
  const shown = (of: HeldKey) => ({ apiKey: { id: "key_1", ...of } });

  function answered(method: string, body: unknown): unknown {
    const before = held;
    if (method === "GET" && held !== undefined) return shown(held);
    if (method === "GET" || (method !== "POST" && before === undefined)) {
      throw new CallError("refused", "the service answered 404", 404);
    }
    if (method === "DELETE") {
      held = undefined;
      return "";
    }
    held = write({ ...before, ...(body as HeldKey) }, before);
    if (method === "POST") return { apiKey: { ...createAnswer(held), id: "key_1", key: "sk_secret" } };
    if (answer === "nothing") return "";
    if (answer === "echo") return shown({ ...held, ...(body as HeldKey) });
    return shown(answer === "after" || before === undefined ? held : before);
  }

  const { warnings, ...operations } = replying(apiKey, ({ method, path, body }) => {
    // The list that create reads first doesn't matter to these tests.
    if (method === "GET" && path.endsWith("/api-key")) return { apiKeys: [] };
    calls.push({ method, path, body });
    return answered(method, body);
  });
  return {
    ...operations,
    calls,
    warnings,
    methods: () => calls.map(({ method }) => method).join(" "),
    held: () => held as HeldKey,
  };
}
