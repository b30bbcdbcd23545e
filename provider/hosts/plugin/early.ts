/** Imported first: sets V8's flags while the memory of the process is still small. */
import { setFlagsFromString } from "node:v8";
import { memoryFlags } from "./v8Flags";

// Node.js has compiled its own modules beforehand, but only for the flags that it starts with. So those that the plugin
// needs are loaded before.
for (const name of ["cluster", "dns", "http2", "zlib"]) process.getBuiltinModule(name);

for (const flag of memoryFlags(process.versions.node)) setFlagsFromString(flag);
