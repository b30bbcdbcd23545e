import { status } from "@grpc/grpc-js";

/**
 * A program whose engine is killed while it starts fails in a promise of Pulumi's SDK that nobody waits for. What the
 * command comes to is told by its outcome, so that must not end the campaign; anything else still does.
 */
export function outliveKilledEngines(): void {
  process.on("unhandledRejection", (error) => {
    const { code } = error as { code?: unknown };
    if (code !== status.UNAVAILABLE && code !== status.CANCELLED) throw error;
  });
}
