import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { arrival, begin, live, slow, writes } from "./ending";
import type { Surroundings } from "./host";
import { preloaded } from "./quickTimers";
import { openScene, type SceneOptions } from "./scene";

/** Only an engine whose address refuses connections is gone. Otherwise a key that was created must not be deleted. */

async function scene(options: SceneOptions & { readonly surroundings: Surroundings }) {
  const opened = await openScene(options);
  onTestFinished(async () => void (await opened.close()));
  return opened;
}

/** A port that neither accepts connections nor refuses them, because as many wait for a busy process as may. */
async function silentPort(): Promise<number> {
  const listener = spawn(
    process.execPath,
    [
      "--eval",
      `const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
        require("node:fs").writeSync(1, String(server.address().port));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      });`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void listener.kill("SIGKILL"));
  const port = Number((await once(listener.stdout, "data")).join(""));
  for (let isSilent = false; !isSilent; ) {
    const socket: Socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    isSilent = await Promise.race([once(socket, "connect").then(() => false), pause(300, true)]);
  }
  return port;
}

test("a key is created although the engine's address does not answer in time", async () => {
  const at = await scene({ surroundings: { enginePort: await silentPort() } });
  expect(await begin(at, "key")).toEqual({ key: "done" });
  expect(writes(at)).toEqual(["createApiKey"]);
});

test("a new key stays although the process can open no socket to ask for the engine", async () => {
  const env = preloaded(`
import { openSync } from "node:fs";
process.on("SIGUSR2", () => {
  try {
    for (;;) openSync("/dev/null", "r");
  } catch {}
});`);
  const at = await scene({ env, surroundings: { openFiles: 100 } });
  slow(at, "createApiKey");
  const begun = begin(at, "key");
  await arrival(at, "createApiKey");
  process.kill(at.host.pid, "SIGUSR2");
  expect(await begun).toEqual({ key: "done" });
  expect(live(at)).toHaveLength(1);
  expect(writes(at)).toEqual(["createApiKey"]);
});
