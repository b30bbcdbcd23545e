import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeWorkFolder } from "../../test/engine/folders";
import { type Held, type HostedResource, startHost } from "../../test/host/host";
import { declaredKeys } from "./keys";
import { startService } from "./service";

/** What the provider host holds after so many reads, its garbage collected. */
export interface Memory {
  readonly reads: number;
  readonly heapMiB: number;
  readonly rssMiB: number;
}

/** Of the host with our provider, and with one that answers each read with what it is given. */
export interface Memories {
  readonly ours: readonly Memory[];
  readonly floor: readonly Memory[];
}

const floor = `exports.handler=()=>({
  create: async (inputs) => ({ id: "key", outs: { ...inputs, key: "k".repeat(35), maskedKey: "sk_…0000" } }),
  read: async (id, props) => ({ id, props }),
});`;

/** As many as the engine runs at once on two cores. */
const inFlight = 8;
const keys = 100;

/** The memory of a real host after each of some numbers of reads, all in one life. */
export async function measureMemory(compiled: string, marks: readonly number[]): Promise<Memories> {
  return { ours: await measure(compiled, marks), floor: await measure(compiled, marks, floor) };
}

async function measure(
  compiled: string,
  marks: readonly number[],
  provider?: string,
): Promise<readonly Memory[]> {
  const { path, remove } = await makeWorkFolder("bench", "memory");
  const file = join(path, "memory.json");
  const service = await startService(compiled, 0);
  const host = await startHost({
    ...service.env,
    NODE_OPTIONS: `--import=data:text/javascript,${teller(file)}`,
  });
  try {
    await host.configure({});
    const key = host.resource("ApiKey", provider);
    const held = await Promise.all(declaredKeys(keys, "up").map((inputs) => create(key, { ...inputs })));
    const memory: Memory[] = [];
    let reads = 0;
    for (const mark of marks) {
      await Promise.all(
        Array.from({ length: inFlight }, async () => {
          while (reads < mark) await key.read(held[reads++ % keys] as Held);
        }),
      );
      memory.push({ reads, ...(await ask(host.pid, file)) });
    }
    return memory;
  } finally {
    await host.stop();
    await service.close();
    await remove();
  }
}

async function create(key: HostedResource, declared: Record<string, unknown>): Promise<Held> {
  const { inputs, failures } = await key.check(declared);
  if (failures.length > 0) throw new Error(JSON.stringify(failures));
  return key.create(inputs);
}

/** Lets a host write to a file what it holds, whenever it gets SIGUSR2. */
function teller(file: string): string {
  return encodeURIComponent(`
import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
process.on("SIGUSR2", () => {
  collect();
  writeFileSync(${JSON.stringify(`${file}.new`)}, JSON.stringify(process.memoryUsage()));
  renameSync(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)});
});`);
}

async function ask(pid: number, file: string): Promise<Omit<Memory, "reads">> {
  await rm(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (let waited = 0; waited < 10_000; waited += 20) {
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text !== undefined) {
      const { heapUsed, rss } = JSON.parse(text);
      return { heapMiB: heapUsed / 2 ** 20, rssMiB: rss / 2 ** 20 };
    }
    await pause(20);
  }
  throw new Error("the host does not tell its memory");
}
