import type { StateDeployment } from "../engine/stack";
import type { Kind, Properties } from "./schedule";
import type { StackState } from "./trace";

const kinds: readonly string[] = [
  "ApiKey",
  "ApiKeySet",
  "RotatingApiKey",
  "WorkspaceSettings",
  "Scope",
  "CustomerBilling",
] satisfies Kind[];

/** What `pulumi stack export --show-secrets` tells of a stack. */
export function stateOf({ resources = [], pending_operations = [] }: StateDeployment): StackState {
  const entries = resources.flatMap(({ urn, type, id = "", inputs = {}, outputs = {}, ...rest }, serial) => {
    const kind = type.split(":").at(-1) ?? "";
    if (!kinds.includes(kind)) return [];
    return {
      ...{ serial, name: nameIn(urn), kind: kind as Kind, id },
      ...{ inputs: plain(inputs), state: plain(outputs) },
      halfDone: (rest.initErrors ?? []).length > 0,
      doomed: rest.delete === true,
    };
  });
  const pending = pending_operations.map(({ type, resource }) => ({
    operation: type,
    resource: nameIn(resource.urn),
  }));
  return { entries, pending };
}

/** The same without `--show-secrets`: what is encrypted there is left out. */
export function openlyShown(deployment: StateDeployment): string {
  return JSON.stringify(deployment, (_, value) => (isSecret(value) ? "[secret]" : value));
}

export function nameIn(urn: string): string {
  return urn.split("::").at(-1) ?? "";
}

function plain({ __provider, ...properties }: Properties): Properties {
  return JSON.parse(JSON.stringify(properties), (_, value) =>
    isSecret(value) ? JSON.parse(value.plaintext) : value,
  );
}

function isSecret(value: unknown): value is { readonly plaintext: string } {
  return typeof value === "object" && value !== null && "plaintext" in value;
}
