const flags = [
  // The space for new objects would double with each few hundred resources, up to a hundred MiB, and to fill it takes as
  // much time as to collect it more often.
  "--semi-space-growth-factor=1",
  // undici's parser, which is WebAssembly, would be compiled a second time after some hundred answers, by V8's best
  // compiler, which takes 25 MiB for it.
  "--no-wasm-tier-up",
  "--no-wasm-dynamic-tiering",
  // The process is too short for four compilers: with Maglev alone, 5,000 keys take less time and memory.
  "--no-sparkplug",
];

/** From here on Node.js uses Maglev, so that V8's best compiler is not missed. */
const maglevMajor = 24;
/** The newest that was seen to have them all. */
const newestMajor = 26;

/** V8's flags which save memory. None in a later Node.js, whose V8 would complain on stderr of each that it lacks. */
export function memoryFlags(nodeVersion: string): readonly string[] {
  const major = Number.parseInt(nodeVersion, 10);
  if (!(major <= newestMajor)) return [];
  return major < maglevMajor ? flags : [...flags, "--no-turbofan"];
}
