/** The service as the probe sees it: what the provider's client reads, and beside it each answer as it came. */
import { randomBytes } from "node:crypto";
import { parsed } from "../managed";
import type { Call, Configuration, Exchange, OpenRun, Properties } from "../provider";
import { CallError, isRecord, maskSecrets, openTransport, pauseFor, reasonAgainst } from "../provider";

/** Nothing was asked, or no answer shows it. */
class Unseen extends Error {}
export function unseen(reason: string): never {
  throw new Unseen(reason);
}
export const needsWrite = "it needs --write";

/** Requests, which are sent in the order of the list of questions. */
export interface Request<T = unknown> {
  readonly ask: (service: Service) => Promise<T>;
}

export interface Answer<T = unknown> {
  /** What the provider reads in it; `undefined` if it can't use the answer. */
  readonly record: T | undefined;
  readonly error: CallError | undefined;
  /** 0 without an answer. */
  readonly status: number;
  readonly headers: Properties;
  readonly text: string;
  /** The body, parsed, or an empty object; of a list also those of further pages. */
  readonly json: Properties;
  readonly pages: readonly Properties[];
}

export interface Options {
  readonly configuration: Configuration;
  readonly run: OpenRun;
  readonly isWriting: boolean;
  workspaceId: string | undefined;
  readonly customerId: string | undefined;
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
}

/** About as long as the provider waits for a service to show what it has done. */
const pauses = [100, 100, 150, 200, 300, 400, 600, 900, 1_300, 1_800, 2_300];
const longestUntilMs = pauses.reduce((sum, ms) => sum + ms);
/** The longest wait for the answer to a GET, and for all answers of a probe that only reads. */
const [longestGetMs, longestReadingMs] = [10_000, 25_000];

export class Service {
  readonly options: Options;
  readonly exchanges: { readonly run: unknown; readonly result: Exchange; readonly tookMs: number }[] = [];
  readonly secrets = new Set<string>();
  /** Ids of the user's objects, which are not printed. */
  readonly ids = new Set<string>();
  /** Keys that may exist: each name, with the id once it is known. */
  readonly left = new Map<string, string | undefined>();
  readonly token = randomBytes(4).toString("hex");
  /** Whether the service refuses names with white space. */
  isPlain = false;
  /** Whether only the keys are still to be deleted, also after Ctrl-C. */
  isCleaning = false;
  readonly #found = new Map<Request, { readonly own?: unknown; readonly reason?: string }>();
  readonly startedAt = Date.now();
  readonly #transport: ReturnType<typeof openTransport>;

  constructor(options: Options) {
    this.options = options;
    this.#transport = openTransport({
      pause: options.pause,
      onExchange: ({ run }, result, tookMs) => this.exchanges.push({ run, result, tookMs }),
    });
    this.secrets.add(options.configuration.credentials.accessToken);
    for (const id of [options.workspaceId, options.customerId]) this.ids.add(id ?? "");
  }

  async sendAll(requests: readonly (Request | object)[]): Promise<void> {
    for (const request of requests) {
      if ("ask" in request)
        this.#found.set(request, await request.ask(this).then((own) => ({ own }), reasonOf));
    }
  }

  /** Ends requests that nothing waits for any more. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** What requests found. Throws if they were not sent, or were in vain. */
  of<T>(request: Request<T>): T {
    const { own, reason } = this.#found.get(request) ?? { reason: needsWrite };
    return reason === undefined ? (own as T) : unseen(reason);
  }

  /** The same, or `undefined`. */
  if<T>(request: Request<T>): T | undefined {
    return this.#found.get(request)?.own as T | undefined;
  }

  /** The given workspace, or the first in the list. */
  get workspaceId(): string {
    return this.options.workspaceId ?? unseen("no workspace is listed: give --workspace");
  }

  async pause(ms: number): Promise<void> {
    const signal = this.isCleaning ? undefined : this.options.run.closed;
    await (this.options.pause?.(ms) ?? pauseFor(ms, signal));
  }

  /** Sends one request. Returns its answer, whatever that is. */
  async ask<T>(send: (call: Call) => Promise<T>, isWrite = false): Promise<Answer<T>> {
    const { configuration, run, isWriting } = this.options;
    if (run.closed.aborted && !this.isCleaning) unseen("the probe was stopped");
    if (!isWriting && Date.now() - this.startedAt > longestReadingMs) unseen("the service is too slow");
    const own = { closed: run.closed, reasonAgainst: (method: string) => reasonAgainst(method, run) };
    const call = { ...configuration, transport: this.#transport, secrets: this.secrets, run: own };
    const over = new AbortController();
    const signal = this.isCleaning ? over.signal : AbortSignal.any([over.signal, run.closed]);
    const failed = (error: unknown) => ({ record: undefined, error });
    const late = failed(new CallError("ambiguous", `no answer came within ${longestGetMs / 1_000} s`));
    const sent = send(call).then((record) => ({ record, error: undefined }), failed);
    const timer = () => pauseFor(longestGetMs, signal).then(() => late);
    const { record, error } = await Promise.race([sent, ...(isWrite ? [] : [timer()])]);
    over.abort();
    if (error !== undefined && !(error instanceof CallError)) throw error;
    const mine = this.exchanges.filter((exchange) => exchange.run === own).map(({ result }) => result);
    const answers = mine.filter((result) => result.kind === "answered");
    // The first page of a list, the last attempt of anything else.
    const best = answers.find((answer) => answer.status < 300) ?? answers.at(-1);
    const { status = 0, headers = {}, body: text = "" } = best ?? {};
    const bodies = answers.filter((answer) => answer === best || answer.status < 300);
    const [json = {}, ...more] = bodies
      .map(({ body }) => parsed(body ?? ""))
      .map((one) => (isRecord(one) ? one : {}));
    return { record, error, status, headers, text, json, pages: [json, ...more] };
  }

  /** Looks until it is done, about as long as the provider does. */
  async until<T>(look: () => Promise<T>, isDone: (seen: T) => boolean) {
    const from = performance.now();
    for (let looks = 1; ; looks += 1) {
      const last = await look();
      const ms = pauses[looks - 1];
      const end = {
        last,
        looks,
        isDone: isDone(last),
        tookMs: Math.round((performance.now() - from) / 10) * 10,
      };
      if (end.isDone || ms === undefined || end.tookMs > longestUntilMs) return end;
      await this.pause(ms);
    }
  }

  /** Why a call failed, without ids of the user. */
  words({ error, status }: Answer): string {
    const ids = [...this.ids].filter(({ length }) => length > 3);
    return maskSecrets(error?.message ?? `the service answered ${status}`, ids);
  }
}

export function reasonOf(error: unknown) {
  if (error instanceof Unseen) return { reason: error.message };
  throw error;
}
