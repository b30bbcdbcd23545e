import { styleText } from "node:util";

/** Prints text, which includes its line ends. */
export type Print = (text: string) => void;

type Style = Parameters<typeof styleText>[0];

/** Prints all output of the demo. */
export interface Printer {
  readonly color: boolean;
  line(text?: string, style?: Style): void;
  /** Prints a command line, then the output of the command next to a bar, as it arrives. */
  command(line: string): CommandOutput;
  /** Prints lines of a file, or of a diff. */
  quote(lines: readonly string[]): void;
  table(rows: readonly (readonly string[])[]): void;
}

interface CommandOutput {
  write(text: string): void;
  end(): void;
}

export function createPrinter(print: Print, color: boolean): Printer {
  const styled = (text: string, style: Style | undefined) =>
    color && style !== undefined ? styleText(style, text, { validateStream: false }) : text;
  const line = (text = "", style?: Style) => print(`${styled(text, style)}\n`.replace(/^ +\n$/, "\n"));
  // The engine's colors may continue beyond the end of a line.
  const bar = (text: string) => print(`  ${styled("│", ["reset", "dim"])}${text === "" ? "" : ` ${text}`}\n`);
  return {
    color,
    line,
    command(command) {
      line();
      line(`  $ ${command}`, "bold");
      return squeezed(bar);
    },
    quote(lines) {
      for (const text of lines) bar(text);
    },
    table(rows) {
      const [head = [], ...body] = rows;
      const widths = head.map((_, column) => Math.max(...rows.map((row) => width(row[column]))));
      const aligned = (row: readonly string[]) =>
        `  ${row.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell))).join("   ")}`.trimEnd();
      line(aligned(head), "dim");
      for (const row of body) line(aligned(row));
    },
  };
}

function width(text: string | undefined): number {
  return [...(text ?? "")].length;
}

/** The lines of a stream, without empty lines at its start and end, and with at most one in a row. */
function squeezed(take: (line: string) => void): CommandOutput {
  let rest = "";
  let begun = false;
  let empty = false;
  const accept = (line: string) => {
    if (line.trim() === "") {
      empty = true;
      return;
    }
    if (empty && begun) take("");
    [begun, empty] = [true, false];
    take(line.trimEnd());
  };
  return {
    write(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      lines.forEach(accept);
    },
    end() {
      if (rest !== "") accept(rest);
      rest = "";
    },
  };
}
