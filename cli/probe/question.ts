import type { Request, Service } from "./service";

/** The topics, each with the page about it. */
export const topics = {
  Connection: "docs/configuration.md",
  Limits: "docs/configuration.md#retries",
  Lists: "docs/adopting.md#when-the-list-is-not-complete",
  Records: "docs/troubleshooting.md#the-answer-cant-be-used",
  Creating: "docs/api-key.md#when-the-answer-is-lost",
  Editing: "docs/api-key.md#drift",
  Deleting: "docs/api-key.md#destroy",
  Migrating: "docs/api-key.md#migrate-a-key-by-its-value",
} as const;

/** What was seen. */
export interface Finding {
  /** Stays the same while the service does. An option of the stand-in's variants, if there is one of the question's id. */
  readonly value?: Value | undefined;
  readonly seen?: string;
  readonly does?: string;
  /** The setting or the option that helps. */
  readonly helps?: string;
  /** The way out, where the provider does not work, or a promise does not hold. */
  readonly breaks?: string;
}
type Value = string | number | boolean;

/** A question is data. It reads the answers to its own requests or to others'; throws Unseen if they don't show it. */
export interface Question {
  readonly topic: keyof typeof topics;
  readonly id: string;
  readonly about: string;
  /** What the provider does about it. */
  readonly does: string;
  readonly read: (service: Service) => Value | Finding;
}
export function openQuestions() {
  const all: (Question | Request)[] = [];
  return {
    all,
    request<T>(ask: Request<T>["ask"]): Request<T> {
      all.push({ ask });
      return all.at(-1) as Request<T>;
    },
    question(
      topic: Question["topic"],
      id: string,
      about: string,
      does: string,
      read: Question["read"],
    ): void {
      all.push({ topic, id, about, does, read });
    },
  };
}
