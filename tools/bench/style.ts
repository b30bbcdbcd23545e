/** Colours of the plot's lines, in the order of the contenders, on a light page and on a dark one. */
const colours = [
  ["#1d4ed8", "#7fb0ff"],
  ["#b45309", "#fbbf24"],
  ["#a21caf", "#e879f9"],
  ["#57606a", "#9ea7b3"],
  ["#047857", "#4ade80"],
  ["#be123c", "#fb7185"],
  ["#0e7490", "#22d3ee"],
] as const;

const lines = (side: 0 | 1) =>
  colours.map((pair, n) => `.c${n}{stroke:${pair[side]};fill:${pair[side]}}`).join("");

export const style = `<style>
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif}
.title{font-weight:600;font-size:13px}
.page{fill:#fff}.label,.title{fill:#1f2328}.grid{stroke:#d8dee4;fill:none}.line{fill:none;stroke-width:2}
${lines(0)}
@media (prefers-color-scheme:dark){
.page{fill:#0d1117}.label,.title{fill:#e6edf3}.grid{stroke:#30363d}
${lines(1)}
}
</style>`;
