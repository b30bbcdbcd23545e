import { CallError } from "../../provider/client/callError";
import { apiKey } from "../../provider/resources/apiKey";
import { replying } from "./replying";

/** A key as the scripted service holds it; scopes as the wire carries them. */
export interface HeldKey {
  readonly name: string;
  readonly enabled: boolean;
  readonly scopes: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

export interface Script {
  /** What the service makes of a create's or PATCH's fields. Default: it takes them as they are. */
  readonly write?: (asked: HeldKey, before: HeldKey | undefined) => HeldKey;
  /** What it answers to a PATCH. Default: the key after it. */
  readonly answer?: "after" | "before" | "nothing";
  readonly key?: HeldKey;
}

/** The ApiKey's operations on a service of one key that does in memory what the script says. */
export function scripted({ write = (asked) => asked, answer = "after", key }: Script) {
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
    if (method === "POST") return { apiKey: { ...shown(held).apiKey, key: "sk_secret" } };
    return answer === "nothing" ? "" : shown(answer === "after" || before === undefined ? held : before);
  }

  const { warnings, ...operations } = replying(apiKey, ({ method, path, body }) => {
    // The keys that a create compares its answer with are not what these tests are about.
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
