import { parseArgs } from "node:util";
import {
  defaultTenants,
  type LoggedRequest,
  type PresetName,
  presets,
  type StandIn,
  startStandIn,
} from "../standin/index";
import { command } from "./command";

const usage = `Usage: npx pulumi-apikeys standin [options]

Runs the stand-in, an in-memory fake of the API key service, on 127.0.0.1. Press Ctrl-C to stop it.

  --port PORT        port to listen on, or 0 for any free port (default: 8080)
  --preset NAME      server variant: how the service behaves where its interface leaves it open
                     (default: default). One of:
${presetLines()}
  --latency MS       milliseconds to wait before each answer (default: 0)
  --token TOKEN      access token to accept (default: ${defaultTenants[0]?.accessToken})
  --workspace ID     id of a workspace; repeat it for several (default: ws_main and ws_second)
  --help             print this help
`;

/** The names of the presets, in lines that fit a terminal. */
function presetLines(): string {
  const names = Object.keys(presets);
  const lines = Array.from({ length: Math.ceil(names.length / 6) }, (_, line) =>
    names.slice(line * 6, line * 6 + 6).join(", "),
  );
  return lines.map((line) => `                     ${line}`).join(",\n");
}

/** The command `pulumi-apikeys standin`. Its exit code is 1 if it can't listen on the port. */
export const standin = command("standin", usage, readOptions, async ({ preset, ...options }, terminal) => {
  let standIn: StandIn;
  try {
    const onRequest = ({ method, path, status }: LoggedRequest) => {
      terminal.out(`${method} ${path} ${status}\n`);
      // Nobody reads this command's log, which would grow for as long as it runs.
      standIn.clearRequests();
    };
    standIn = await startStandIn({ ...options, variant: preset, onRequest });
  } catch (error) {
    terminal.err(
      `pulumi-apikeys standin: can't listen on port ${options.port}: ${(error as Error).message}. Choose another with --port.\n`,
    );
    return 1;
  }
  // Listens for the signal first, because whoever reads the welcome may send one at once.
  const { stopped } = terminal;
  terminal.out(welcome(standIn, preset));
  await stopped;
  await standIn.close();
  return 0;
});

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: "8080" },
      preset: { type: "string", default: "default" },
      latency: { type: "string", default: "0" },
      token: { type: "string" },
      workspace: { type: "string", multiple: true, default: [] as string[] },
    },
  });
  const { port, preset, latency, token, workspace } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new Error("--port must be a number from 0 to 65535");
  if (!isPreset(preset)) throw new Error(`--preset must be one of ${Object.keys(presets).join(", ")}`);
  if (!/^\d{1,6}$/.test(latency)) throw new Error("--latency must be a number of milliseconds, up to 999999");
  if (token !== undefined && !/^[\w.+/=-]+$/.test(token)) {
    throw new Error("--token must consist of letters, digits and the characters - . _ + / =");
  }
  if (workspace.includes("") || new Set(workspace).size < workspace.length) {
    throw new Error("--workspace must be an id, and each id can be given only once");
  }
  const tenants = defaultTenants.map((tenant) => ({
    ...tenant,
    accessToken: token ?? tenant.accessToken,
    workspaces: workspace.length > 0 ? workspace.map((id) => ({ id })) : tenant.workspaces,
  }));
  return { preset, port: Number(port), latencyMs: Number(latency), tenants };
}

function isPreset(name: string): name is PresetName {
  return Object.hasOwn(presets, name);
}

function welcome(standIn: StandIn, preset: PresetName): string {
  const workspaces = standIn
    .workspaces()
    .map(({ id, name }) => `  ${id}${name === id ? "" : ` (${name})`}\n`);
  return `export APIKEYS_BASE_URL=${standIn.url}
export APIKEYS_ACCESS_TOKEN=${standIn.accessToken}

Preset ${preset}. Workspaces:
${workspaces.join("")}
Press Ctrl-C to stop it; all data is lost then. Requests:
`;
}
