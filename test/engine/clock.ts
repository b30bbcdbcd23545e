/** Sets the clock of all processes of a stack's commands so many days ahead, by a variable for the stack. */
export function daysAhead(days: number): string {
  return `--import=data:text/javascript,${encodeURIComponent(script(days * 86_400_000))}`;
}

const script = (ms: number) => `
const Real = globalThis.Date;
globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + ${ms}] : given));
  }
  static now() {
    return Real.now() + ${ms};
  }
};
`;
