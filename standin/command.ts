import { parseArgs } from "node:util";
import { type PresetName, presets } from "./presets";
import { defaultTenants, type StandIn, startStandIn } from "./server";
import type { LoggedRequest } from "./types";

const usage = `Usage: pulumi-apikeys-standin [options]

Serves a stand-in of the API key service on 127.0.0.1, in memory, until it is stopped with Ctrl-C.

  --port PORT        port to listen on; 0 for any free one (default: 8080)
  --preset NAME      how the service behaves where its interface is silent (default: default)
                     ${Object.keys(presets).join(", ")}
  --latency MS       milliseconds before each answer (default: 0)
  --token TOKEN      access token that it accepts (default: ${defaultTenants[0]?.accessToken})
  --workspace ID     a workspace; may be repeated (default: ws_main and ws_second)
  --help             print this
`;

/** What the command needs of the process that runs it. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Resolves when the user wants the command to end. */
  readonly stopped: Promise<void>;
}

interface Options {
  port: number;
  preset: PresetName;
  latencyMs: number;
  accessToken: string | undefined;
  workspaces: readonly string[];
}

/** Runs `pulumi-apikeys-standin`. Returns the exit code: 2 for options it can't make sense of, 1 if it can't listen. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = readOptions(args);
  if (options === "help") {
    terminal.out(usage);
    return 0;
  }
  if ("problem" in options) {
    terminal.err(`pulumi-apikeys-standin: ${options.problem}\n\n${usage}`);
    return 2;
  }
  let standIn: StandIn;
  try {
    standIn = await start(options, (request) => {
      terminal.out(`${request.method} ${request.path} ${request.status}\n`);
      // Nobody reads the log of a command; it would grow for as long as it runs.
      standIn.clearRequests();
    });
  } catch (error) {
    terminal.err(
      `pulumi-apikeys-standin: can't listen on port ${options.port}: ${(error as Error).message}\n`,
    );
    return 1;
  }
  terminal.out(welcome(standIn, options.preset));
  await terminal.stopped;
  await standIn.close();
  return 0;
}

function readOptions(args: readonly string[]): Options | { problem: string } | "help" {
  let values: {
    port: string;
    preset: string;
    latency: string;
    token?: string;
    workspace: string[];
    help: boolean;
  };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "8080" },
        preset: { type: "string", default: "default" },
        latency: { type: "string", default: "0" },
        token: { type: "string" },
        workspace: { type: "string", multiple: true, default: [] as string[] },
        help: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    return { problem: (error as Error).message };
  }
  if (values.help) return "help";
  const { port, preset, latency, token, workspace } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return { problem: "--port takes a number up to 65535" };
  if (!isPreset(preset)) return { problem: `--preset takes one of ${Object.keys(presets).join(", ")}` };
  if (!/^\d{1,6}$/.test(latency)) return { problem: "--latency takes milliseconds" };
  if (token !== undefined && !/^[\w.+/=-]+$/.test(token)) {
    return { problem: "--token takes letters, digits and the characters - . _ + / =" };
  }
  if (workspace.includes("") || new Set(workspace).size < workspace.length) {
    return { problem: "--workspace takes an id, each one once" };
  }
  return {
    port: Number(port),
    preset,
    latencyMs: Number(latency),
    accessToken: token,
    workspaces: workspace,
  };
}

function isPreset(name: string): name is PresetName {
  return Object.hasOwn(presets, name);
}

async function start(options: Options, onRequest: (request: LoggedRequest) => void): Promise<StandIn> {
  const { port, preset, latencyMs, accessToken, workspaces } = options;
  const tenants = defaultTenants.map((tenant) => ({
    ...tenant,
    accessToken: accessToken ?? tenant.accessToken,
    workspaces: workspaces.length > 0 ? workspaces.map((id) => ({ id })) : tenant.workspaces,
  }));
  return await startStandIn({ port, dialect: preset, latencyMs, tenants, onRequest });
}

function welcome(standIn: StandIn, preset: PresetName): string {
  const workspaces = standIn
    .workspaces()
    .map(({ id, name }) => `  ${id}${name === id ? "" : ` (${name})`}\n`);
  return `export APIKEYS_BASE_URL=${standIn.url}
export APIKEYS_ACCESS_TOKEN=${standIn.accessToken}

Preset ${preset}. Workspaces:
${workspaces.join("")}
Ctrl-C stops it, and all it holds is lost. Requests:
`;
}
