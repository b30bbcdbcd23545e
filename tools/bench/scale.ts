/** A logarithmic scale that has a place for 0, below its first decade. */
export interface Scale {
  place(value: number): number;
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
}

/** From `low` to `high`, on whole decades around the values; the places may run either way. */
export function scaleOf(values: readonly number[], low: number, high: number): Scale {
  const above = values.filter((value) => value > 0);
  const hasZero = above.length < values.length;
  const first = above.length === 0 ? 0 : Math.floor(Math.log10(Math.min(...above)) + 1e-9);
  const last = Math.max(first + 1, above.length === 0 ? 1 : Math.ceil(Math.log10(Math.max(...above)) - 1e-9));
  const bottom = first - (hasZero ? 1 : 0);
  const at = (exponent: number) => low + ((exponent - bottom) / (last - bottom)) * (high - low);
  const decades = Array.from({ length: last - first + 1 }, (_, n) => 10 ** (first + n));
  return {
    place: (value) => at(value > 0 ? Math.log10(value) : bottom),
    ticks: [...(hasZero ? [0] : []), ...decades].map((value) => ({ value, label: labelOf(value) })),
  };
}

export function labelOf(value: number): string {
  if (value >= 1_000) return `${value / 1_000}k`;
  return value === 0 || value >= 1 ? String(value) : String(Number(value.toPrecision(1)));
}
