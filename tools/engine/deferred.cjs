/**
 * Loads two packages at their first use, if this is Pulumi's host of dynamic providers. It would load them when it
 * starts, which takes more than half of its start, for providers whose code is serialized.
 */
const Module = require("node:module");

const forSerializedCode = new Set(["typescript", "@npmcli/arborist"]);
const load = Module._load;

if (/[\\/]dynamic-provider([\\/]index\.js)?$/.test(process.argv[1] ?? "")) {
  Module._load = (request, parent, isMain) => {
    if (!forSerializedCode.has(request)) return load(request, parent, isMain);
    // What claims to be an ES module isn't copied, which would load it.
    return new Proxy(
      {},
      { get: (_, name) => (name === "__esModule" ? true : load(request, parent, isMain)[name]) },
    );
  };
}
