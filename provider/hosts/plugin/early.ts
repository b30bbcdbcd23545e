/** Imported first: sets V8's flags while the memory of the process is still small. */
import { setFlagsFromString } from "node:v8";
import { memoryFlags } from "./v8Flags";

// Node.js has compiled its own modules beforehand, but only for the flags that it starts with. So the largest is loaded
// before, with all that it needs.
process.getBuiltinModule("http2");

for (const flag of memoryFlags(process.versions.node)) setFlagsFromString(flag);
