import { join } from "node:path";
import { execute } from "../../test/engine/command";
import { shellEnvironment } from "../../test/engine/environment";
import { checkout } from "../../test/engine/folders";
import { createProject } from "../../test/engine/project";
import { median } from "./figures";

/** What loading costs, in milliseconds of cold processes: each median of its own, and what ours adds. */
export interface Start {
  readonly emptyHost: number;
  readonly host: number;
  readonly hostAdds: number;
  readonly engineSdk: number;
  readonly sdk: number;
  readonly sdkAdds: number;
}

const emptyProvider = "exports.handler=()=>({check:async(olds,news)=>({inputs:news,failures:[]})});";
const ourProvider = 'exports.handler=()=>require("pulumi-apikeys/dynamic").provider("ApiKey");';

/** check asks for both, and connects to nothing. */
const configured = { APIKEYS_BASE_URL: "http://127.0.0.1:1", APIKEYS_ACCESS_TOKEN: "token" };

const kinds = {
  emptyHost: ["host", emptyProvider],
  host: ["host", ourProvider],
  engineSdk: ["load", "@pulumi/pulumi"],
  sdk: ["load", "@pulumi/pulumi", "pulumi-apikeys"],
} as const;
type Kind = keyof typeof kinds;

/** Fresh processes of each kind in turn, from start to end. */
export async function measureStart(compiled: string, times: number): Promise<Start> {
  const project = await createProject("bench-start");
  const taken: Record<Kind, number[]> = { emptyHost: [], host: [], engineSdk: [], sdk: [] };
  try {
    // The first of each reads from the disk what the others find in memory.
    for (let time = -1; time < times; time += 1) {
      for (const kind of Object.keys(kinds) as Kind[]) {
        const ms = await cold(join(compiled, "coldProcess.js"), kinds[kind], project.dir);
        if (time >= 0) taken[kind].push(ms);
      }
    }
  } finally {
    await project.remove();
  }
  const of = (kind: Kind) => median(taken[kind]) ?? Number.NaN;
  const [emptyHost, host, engineSdk, sdk] = [of("emptyHost"), of("host"), of("engineSdk"), of("sdk")];
  return { emptyHost, host, hostAdds: host - emptyHost, engineSdk, sdk, sdkAdds: sdk - engineSdk };
}

async function cold(script: string, args: readonly string[], cwd: string): Promise<number> {
  const began = performance.now();
  const result = await execute(process.execPath, [script, ...args], {
    cwd,
    env: { ...shellEnvironment(checkout, []), ...configured },
  });
  if (result.code !== 0) throw new Error(`a process that ${args[0]}s fails:\n${result.output}`);
  return performance.now() - began;
}
