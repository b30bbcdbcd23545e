import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { json } from "node:stream/consumers";
import type { Environment } from "./command";

/** Variables that must come from the test only. */
const ours = /^(APIKEYS|PULUMI)_/;

/** Variables of the test runner and of npm, which a user's shell doesn't have. */
const runners = /^(VITEST|npm_|NODE_ENV$|NODE_OPTIONS$|TEST$|DEV$|PROD$|MODE$)/;

/** The environment of a user's shell: that of this process, without the test runner's variables and ours. */
export function shellEnvironment(checkout: string, pathFirst: readonly string[]): Environment {
  const inherited = Object.entries(process.env).filter(([name]) => !ours.test(name) && !runners.test(name));
  // The checkout has a `node` that is new enough for the provider; the one on PATH may be older.
  const path = [...pathFirst, join(checkout, "node_modules", ".bin"), process.env["PATH"] ?? ""];
  return { ...Object.fromEntries(inherited), PATH: path.join(delimiter) };
}

// An inline program runs in this process, so process.env must have the variables that its functions read. The whole
// process shares process.env, so programs with other variables wait for their turn.
interface Turn {
  readonly variables: string;
  readonly ended: Promise<void>;
  readonly end: () => void;
  users: number;
}
let turn: Turn | undefined;

/** Runs something while this process has exactly the APIKEYS_ and PULUMI_ variables of an environment. */
export async function withVariables<T>(env: Environment, body: () => Promise<T>): Promise<T> {
  const wanted = Object.entries(env).filter(([name, value]) => ours.test(name) && value !== undefined);
  const variables = JSON.stringify(wanted.sort());
  while (turn !== undefined && turn.variables !== variables) await turn.ended;
  turn ??= begin(variables, Object.fromEntries(wanted));
  const mine = turn;
  mine.users += 1;
  try {
    return await body();
  } finally {
    mine.users -= 1;
    if (mine.users === 0) mine.end();
  }
}

function begin(variables: string, wanted: Environment): Turn {
  const before = Object.fromEntries(Object.entries(process.env).filter(([name]) => ours.test(name)));
  replaceOurs(wanted);
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    replaceOurs(before);
    turn = undefined;
    resolve();
  };
  return { variables, ended: promise, end, users: 0 };
}

function replaceOurs(wanted: Environment) {
  for (const name of Object.keys(process.env)) if (ours.test(name)) delete process.env[name];
  Object.assign(process.env, wanted);
}

/** What a stack's secrets are encrypted with: `--secrets-provider`, and the variables that it needs. */
export interface KeyService {
  readonly provider: string;
  readonly env: Environment;
}

let started: Promise<KeyService> | undefined;

/**
 * A key service for the stacks of this process, which the CLI uses like HashiCorp Vault. With a passphrase, each command
 * would first derive the stack's key from it, which takes at least 0.2 s of CPU time.
 */
export function keyService(): Promise<KeyService> {
  started ??= start();
  return started;
}

async function start(): Promise<KeyService> {
  const server = createServer(async (request, response) => {
    const { plaintext, ciphertext } = (await json(request)) as Record<string, string | undefined>;
    // The CLI sends only the stack's own key, and keeps the answer in the stack's config.
    response.end(JSON.stringify({ data: { ciphertext: plaintext, plaintext: ciphertext } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { provider: "hashivault://stacks", env: { VAULT_SERVER_URL: `http://127.0.0.1:${port}` } };
}
