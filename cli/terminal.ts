/** What a command needs of the process that runs it. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when the user wants the command to end. */
  readonly stopped: Promise<void>;
}
