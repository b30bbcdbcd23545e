import type { Contender } from "./contender";
import { type Figure, type Medians, mediansOf } from "./figures";
import { countsOf, type Report } from "./report";
import { labelOf, type Scale, scaleOf } from "./scale";
import { commonSteps, type Step, stepTitles } from "./steps";
import { style } from "./style";

const rows: readonly { figure: Figure; title: string; has(contender: Contender): boolean }[] = [
  { figure: "seconds", title: "wall time, seconds", has: () => true },
  { figure: "requests", title: "requests", has: ({ asks }) => asks },
];
const [left, top, gap] = [58, 84, 14];
const panel = { width: 158, height: 170 };
const width = left + commonSteps.length * (panel.width + gap);
const height = top + rows.length * (panel.height + 62);

interface Point {
  readonly count: number;
  readonly value: number;
}

/** Wall time and requests over the number of keys, one panel for each step: an SVG for light and for dark pages. */
export function plot(report: Report): string {
  const medians = mediansOf(report.rounds);
  const counts = countsOf(report);
  // What takes part in one step only is there for its state, not for its time.
  const drawn = report.contenders.filter((one) => one.steps.length > 1 && one.drawn !== false);
  const x = scaleOf(counts, 12, panel.width - 12);
  const panels = rows.flatMap(({ figure, title, has }, row) => {
    const lines = (step: Step) =>
      drawn.map((one) => (has(one) ? pointsOf(medians, one.id, counts, step, figure) : []));
    const values = commonSteps.flatMap((step) =>
      lines(step).flatMap((line) => line.map(({ value }) => value)),
    );
    const y = scaleOf(values, panel.height, 0);
    const offset = top + 22 + row * (panel.height + 62);
    return commonSteps.map((step, column) => {
      const at = `translate(${left + column * (panel.width + gap)},${offset})`;
      const axes = [
        ...frame(x, y, counts, column === 0),
        ...(row === 0 ? [text(panel.width / 2, -8, stepTitles[step], "middle", "title")] : []),
        ...(column === 0
          ? [
              `<g transform="translate(-42,${panel.height / 2}) rotate(-90)">${text(0, 0, title, "middle")}</g>`,
            ]
          : []),
        text(panel.width / 2, panel.height + 32, "keys", "middle"),
      ];
      // The first contender last, so that it is on top.
      const drawnLines = lines(step)
        .map((line, n) => lineOf(line, x, y, n))
        .toReversed();
      return `<g transform="${at}">${[...axes, ...drawnLines].join("")}</g>`;
    });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Wall time and requests over the number of keys">`,
    style,
    `<rect class="page" width="${width}" height="${height}"/>`,
    legend(drawn),
    ...panels,
    "</svg>\n",
  ].join("\n");
}

function pointsOf(
  medians: Medians,
  id: string,
  counts: readonly number[],
  step: Step,
  figure: Figure,
): readonly Point[] {
  return counts.flatMap((count) => {
    const value = medians(id, count, step, figure);
    return value === undefined ? [] : [{ count, value }];
  });
}

function frame(x: Scale, y: Scale, counts: readonly number[], labelled: boolean): readonly string[] {
  const across = y.ticks.map(({ value, label }) => {
    const place = round(y.place(value));
    const line = `<path class="grid" d="M0 ${place}H${panel.width}"/>`;
    return labelled ? line + text(-6, place + 4, label, "end") : line;
  });
  const down = counts.map((count) => {
    const place = round(x.place(count));
    return `<path class="grid" d="M${place} 0V${panel.height}"/>${text(place, panel.height + 16, labelOf(count), "middle")}`;
  });
  return [...across, ...down];
}

function lineOf(points: readonly Point[], x: Scale, y: Scale, n: number): string {
  const places = points.map(({ count, value }) => [round(x.place(count)), round(y.place(value))] as const);
  const path = places.map(([across, down], place) => `${place === 0 ? "M" : "L"}${across} ${down}`).join("");
  const marks = places.map(([across, down]) => mark(n, across, down));
  return `<g class="c${n}"><path class="line" d="${path}"/>${marks.join("")}</g>`;
}

/** Told apart without colours too, and larger from one to the next, so that none is hidden by those on top. */
function mark(n: number, x: number, y: number): string {
  const r = round(3 + 0.9 * n);
  const shapes = [
    `<circle cx="${x}" cy="${y}" r="${r}"/>`,
    `<rect x="${x - r}" y="${y - r}" width="${2 * r}" height="${2 * r}"/>`,
    `<path d="M${x} ${y - r}L${x + r} ${y + r}H${x - r}Z"/>`,
    `<path d="M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z"/>`,
    `<path d="M${x - r} ${y - r}H${x + r}L${x} ${y + r}Z"/>`,
  ];
  return shapes[n % shapes.length] ?? "";
}

/** In two lines, each entry with as much room as the longest title. */
function legend(drawn: readonly Contender[]): string {
  const across = Math.ceil(drawn.length / 2);
  const entries = drawn.map(({ title }, n) => {
    const x = round(left + ((width - left) / across) * (n % across));
    const y = n < across ? 20 : 44;
    return `<g class="c${n}"><path class="line" d="M${x} ${y}H${x + 24}"/>${mark(n, x + 12, y)}</g>${text(x + 32, y + 4, title)}`;
  });
  return entries.join("");
}

function text(x: number, y: number, content: string, anchor = "start", kind = "label"): string {
  const safe = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text class="${kind}" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${safe}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
