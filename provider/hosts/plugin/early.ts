/** Imported first: sets V8's flags while the memory of the process is still small. */
import { setFlagsFromString } from "node:v8";

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
const major = Number.parseInt(process.versions.node, 10);
// From here on Node.js uses Maglev, so that V8's best compiler is not missed.
if (major >= 24) flags.push("--no-turbofan");

// Node.js has compiled its own modules beforehand, but only for the flags that it starts with. So the largest is loaded
// before, with all that it needs.
process.getBuiltinModule("http2");

// The newest that was seen to have them all: a later V8 would complain on stderr of each flag that it lacks.
if (major <= 26) for (const flag of flags) setFlagsFromString(flag);
