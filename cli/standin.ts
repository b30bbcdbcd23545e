import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import {
  defaultTenants,
  type LoggedRequest,
  namedVariants,
  type ProbedService,
  type StandIn,
  startStandIn,
  type VariantName,
} from "../standin/index";
import { command } from "./command";
import { parsed } from "./managed";
import { isRecord } from "./provider";

export { variantOptions } from "../standin/index";

const usage = `Usage: npx pulumi-apikeys standin [options]

Runs the stand-in, an in-memory fake of the API key service, on 127.0.0.1. Press Ctrl-C to stop it.

  --port PORT        port to listen on, or 0 for any free port (default: 8080)
  --variant NAME     server variant: how the service behaves where its interface leaves it open
                     (default: default). One of: ${Object.keys(namedVariants).join(", ")}
  --like FILE        behave like the service that \`pulumi-apikeys probe --save FILE\` has described
  --latency MS       milliseconds to wait before each answer (default: 0)
  --token TOKEN      access token to accept (default: ${defaultTenants[0]?.accessToken})
  --workspace ID     id of a workspace; repeat it for several (default: ws_main and ws_second)
  --help             print this help
`;

/** The command `pulumi-apikeys standin`. Its exit code is 1 if the stand-in can't start, or there is no such variant. */
export const standin = command("standin", usage, readOptions, async ({ variant, ...options }, terminal) => {
  let standIn: StandIn;
  try {
    const onRequest = ({ method, path, status }: LoggedRequest) => {
      terminal.out(`${method} ${path} ${status}\n`);
      // Nobody reads this command's log, which would grow for as long as it runs.
      standIn.clearRequests();
    };
    const { like, ...rest } = options;
    const service = like === undefined ? (variant as VariantName) : described(await readFile(like, "utf8"));
    standIn = await startStandIn({ ...rest, variant: service, onRequest });
  } catch (error) {
    terminal.err(`pulumi-apikeys standin: ${(error as Error).message}\n`);
    return 1;
  }
  // Listens for the signal first, because whoever reads the welcome may send one at once.
  const { stopped } = terminal;
  terminal.out(welcome(standIn, options.like ?? variant));
  await stopped;
  await standIn.close();
  return 0;
});

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: "8080" },
      variant: { type: "string", default: "default" },
      like: { type: "string" },
      latency: { type: "string", default: "0" },
      token: { type: "string" },
      workspace: { type: "string", multiple: true, default: [] as string[] },
    },
  });
  const { port, variant, like, latency, token, workspace } = values;
  for (const [name, value] of Object.entries({ port, latency })) {
    if (!/^\d+$/.test(value)) throw new Error(`--${name} must be a number`);
  }
  const tenants = defaultTenants.map((tenant) => ({
    ...tenant,
    accessToken: token ?? tenant.accessToken,
    workspaces: workspace.length > 0 ? workspace.map((id) => ({ id })) : tenant.workspaces,
  }));
  return { variant, like, port: Number(port), latencyMs: Number(latency), tenants };
}

function described(text: string): ProbedService {
  const service = parsed(text);
  if (isRecord(service) && isRecord(service["variant"])) return { variant: service["variant"] };
  throw new Error("the file of --like is not one that probe --save wrote");
}

function welcome(standIn: StandIn, variant: string): string {
  const workspaces = standIn.workspaces().map(({ id }) => `  ${id}\n`);
  return `export APIKEYS_BASE_URL=${standIn.url}
export APIKEYS_ACCESS_TOKEN=${standIn.accessToken}

Variant ${variant}. Workspaces:
${workspaces.join("")}
Press Ctrl-C to stop it; all data is lost then. Requests:
`;
}
