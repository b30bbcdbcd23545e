/**
 * The network's floor: what a plain script sends with a given number of requests in flight, and nothing around them. It sends one
 * request for each key and, before it creates keys, the list that K6 needs.
 */
import { readFile, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { declaredKeys, workspaceId } from "./keys";
import { type NetworkOrder, obey, type Spent, spend } from "./measured";

const base = process.env["APIKEYS_BASE_URL"] ?? "";
const authorization = `Bearer ${process.env["APIKEYS_ACCESS_TOKEN"]}`;

async function run({ step, count, inFlight, dir }: NetworkOrder): Promise<Spent> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const file = join(dir, "ids.json");
  const ids: string[] = step === "up" ? [] : JSON.parse(await readFile(file, "utf8"));
  const keys = declaredKeys(count, step);
  const one = async (n: number): Promise<void> => {
    const path = `/api/v1/workspace/${workspaceId}/api-key/${ids[n]}`;
    if (step === "refresh") await send(agent, "GET", path);
    if (step === "destroy") await send(agent, "DELETE", path);
    const key = keys[n];
    if (step === "update") await send(agent, "PATCH", path, { scopes: key?.scopes.map(whole) });
    if (step !== "up") return;
    const body = { ...key, scopes: key?.scopes.map(whole) };
    const made = (await send(agent, "POST", "/api/v1/api-key", body)) as { apiKey: { id: string } };
    ids[n] = made.apiKey.id;
  };
  const spent = await spend(async () => {
    if (step === "up") await send(agent, "GET", `/api/v1/workspace/${workspaceId}/api-key`);
    let next = 0;
    const worker = async () => {
      while (next < count) await one(next++);
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
  });
  agent.destroy();
  await writeFile(file, JSON.stringify(ids));
  return spent;
}

function whole(scope: object) {
  return { create: false, read: false, update: false, del: false, ...scope };
}

function send(agent: Agent, method: string, path: string, body?: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request(
      new URL(path, base),
      { agent, method, headers: { ...headers, authorization } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        answer.once("error", reject).once("end", () => {
          if (Math.trunc((answer.statusCode ?? 0) / 100) === 2) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
        });
      },
    );
    sent.once("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

obey(run);
