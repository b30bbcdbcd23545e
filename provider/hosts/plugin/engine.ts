/** The engine that started the plugin: all output for users goes through it, because it shows no output of a plugin. */
import { AsyncLocalStorage } from "node:async_hooks";
import { credentials, Metadata } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";

export type Engine = ReturnType<typeof openEngine>;

/** How long the engine may take for a message, so that no operation waits for one that it never takes. */
const answerMs = 5_000;

export function openEngine() {
  const subjects = new AsyncLocalStorage<{ urn: string; seconds?: number; underWay: Promise<void>[] }>();
  let address: string | undefined;
  let client: EngineClient | undefined;

  function log(severity: 0 | 1 | 2 | 3, message: string, isEphemeral = false): void {
    const { urn = "", underWay } = subjects.getStore() ?? {};
    const request = new LogRequest().setSeverity(severity).setMessage(message).setUrn(urn);
    if (address === undefined) return void process.stderr.write(`${message}\n`);
    request.setEphemeral(isEphemeral);
    // Opened by the first message, because few commands have one. The engine is on this machine, never behind a proxy.
    client ??= new EngineClient(address, credentials.createInsecure(), { "grpc.enable_http_proxy": 0 });
    const to = client;
    const shown = new Promise<void>((resolve) => {
      // If the engine has exited or hangs, nobody reads it.
      to.log(request, new Metadata(), { deadline: Date.now() + answerMs }, () => resolve());
    });
    underWay?.push(shown);
  }
  return {
    connect: (to: string) => {
      client?.close();
      [address, client] = [to, undefined];
    },
    /** A line that stays, with a warning's colour and count. */
    warn: (message: string) => log(LogSeverity.WARNING, message),
    /** A line that stays. */
    note: (message: string) => log(LogSeverity.INFO, message),
    /** A line in place of the one before. */
    progress: (line: string) => log(LogSeverity.INFO, line, true),
    seconds: () => subjects.getStore()?.seconds,
    /** Messages of the operation belong to the resource, and are shown before its result. */
    withResource: <T>(urn: string, operation: () => Promise<T>, seconds = 0): Promise<T> => {
      const underWay: Promise<void>[] = [];
      return subjects.run({ urn, seconds, underWay }, async () => {
        try {
          return await operation();
        } finally {
          await Promise.all(underWay);
        }
      });
    },
  };
}
