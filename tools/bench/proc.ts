/** What Linux tells of a process under /proc/<pid>, from the texts of its files. */

/** Jiffies of /proc are hundredths of a second on every Linux that Node.js runs on, whatever its kernel's own tick. */
const ticksPerSecond = 100;

/** Of `stat`: CPU seconds of the process, and of its children that it has waited for, and of theirs. */
export function cpuIn(stat: string): { readonly own: number; readonly children: number } {
  // The name before the second field may hold anything, brackets and spaces too.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const seconds = (place: number) => Number(fields[place]) / ticksPerSecond;
  return { own: seconds(11) + seconds(12), children: seconds(13) + seconds(14) };
}

/** Of `status`: the most memory that the process has held at once. A process that has ended has none. */
export function peakMiBIn(status: string): number | undefined {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

/** Of `io`: bytes that it, and children that it has waited for, have sent towards a disk. */
export function writtenIn(io: string): number {
  return Number(/^write_bytes: (\d+)$/m.exec(io)?.[1] ?? Number.NaN);
}
