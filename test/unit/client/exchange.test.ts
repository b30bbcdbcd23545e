import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import { exchange } from "../../../provider/client/exchange";

const request = {
  origin: "https://api.example",
  path: "/api/v1/customer-billing",
  method: "POST",
  headers: {},
  body: "{}",
  maxBytes: 100,
} as const;
const timeOuts = { connectMs: 20, headersMs: 5_000, exchangeMs: 5_000 };

/** An exchange by a dispatcher that hands its handler to the test. */
const exchangeBy = (dispatch: (handler: Required<Dispatcher.DispatchHandler>) => void) => {
  const dispatcher = {
    dispatch: (_options: unknown, handler: Dispatcher.DispatchHandler) => {
      dispatch(handler as Required<Dispatcher.DispatchHandler>);
      return true;
    },
  };
  return exchange(dispatcher as Dispatcher, request, timeOuts);
};
function controller() {
  const aborted: unknown[] = [];
  return {
    aborted,
    abort: (reason: unknown) => aborted.push(reason),
  } as unknown as Dispatcher.DispatchController & {
    aborted: unknown[];
  };
}

describe("an exchange", () => {
  it("that timed out before it started is never sent, however late the connection is made", async () => {
    let handler: Required<Dispatcher.DispatchHandler> | undefined;
    const result = await exchangeBy((given) => {
      handler = given;
    });
    expect(result).toMatchObject({ kind: "failed", started: false });
    const late = controller();
    handler?.onRequestStart(late, {});
    expect(late.aborted).toHaveLength(1);
  });

  it("is never sent twice, whatever the dispatcher tries", async () => {
    const first = controller();
    const second = controller();
    const result = await exchangeBy((handler) => {
      handler.onRequestStart(first, {});
      handler.onRequestStart(second, {});
      handler.onResponseError(second, new Error("aborted"));
    });
    expect([first.aborted.length, second.aborted.length]).toEqual([0, 1]);
    expect(result).toMatchObject({ kind: "failed", started: true });
  });

  it("counts as not sent if the dispatcher throws", async () => {
    const result = await exchangeBy(() => {
      throw new TypeError("Bearer tok_secret");
    });
    expect(result).toEqual({
      kind: "failed",
      started: false,
      phrase: "the connection failed",
      lasting: false,
    });
  });
});
