/**
 * The dynamic provider that the documentation of Pulumi teaches: a class with its operations written out, which Pulumi
 * serialises into the state of every resource. https://www.pulumi.com/docs/iac/concepts/providers/dynamic-providers/
 */
import * as pulumi from "@pulumi/pulumi";
import type { DeclaredKey, Program } from "../keys";

interface ApiKeyOutputs extends DeclaredKey {
  key: string;
  maskedKey: string;
  createdAt: string;
  updatedAt: string;
}

async function request(method: string, path: string, body?: object) {
  const response = await fetch(`${process.env["APIKEYS_BASE_URL"]}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${process.env["APIKEYS_ACCESS_TOKEN"]}`,
      "Content-Type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  const answer = (await response.json()) as { apiKey: ApiKeyOutputs & { id: string } };
  return answer.apiKey;
}

function scopesOf(inputs: DeclaredKey) {
  return inputs.scopes.map((scope) => ({ create: false, update: false, del: false, ...scope }));
}

class ApiKeyProvider implements pulumi.dynamic.ResourceProvider<DeclaredKey, ApiKeyOutputs> {
  async create(inputs: DeclaredKey): Promise<pulumi.dynamic.CreateResult<ApiKeyOutputs>> {
    const created = await request("POST", "/api-key", {
      name: inputs.name,
      workspaceId: inputs.workspaceId,
      customerId: inputs.customerId,
      enabled: inputs.enabled,
      scopes: scopesOf(inputs),
    });
    if (created === undefined) throw new Error("the workspace was not found");
    const { key, maskedKey, createdAt, updatedAt } = created;
    return { id: created.id, outs: { ...inputs, key, maskedKey, createdAt, updatedAt } };
  }

  async read(id: string, props?: ApiKeyOutputs): Promise<pulumi.dynamic.ReadResult<ApiKeyOutputs>> {
    const found = await request("GET", `/workspace/${props?.workspaceId}/api-key/${id}`);
    if (found === undefined) return {} as pulumi.dynamic.ReadResult<ApiKeyOutputs>;
    return { id, props: { ...(props as ApiKeyOutputs), name: found.name, enabled: found.enabled } };
  }

  async update(
    id: string,
    olds: ApiKeyOutputs,
    news: DeclaredKey,
  ): Promise<pulumi.dynamic.UpdateResult<ApiKeyOutputs>> {
    const updated = await request("PATCH", `/workspace/${news.workspaceId}/api-key/${id}`, {
      name: news.name,
      enabled: news.enabled,
      scopes: scopesOf(news),
    });
    if (updated === undefined) throw new Error("the key was not found");
    return { outs: { ...olds, ...news, updatedAt: updated.updatedAt } };
  }

  async delete(id: string, props: ApiKeyOutputs): Promise<void> {
    await request("DELETE", `/workspace/${props.workspaceId}/api-key/${id}`);
  }

  async diff(_id: string, olds: ApiKeyOutputs, news: DeclaredKey): Promise<pulumi.dynamic.DiffResult> {
    const replaces: string[] = [];
    if (olds.workspaceId !== news.workspaceId) replaces.push("workspaceId");
    if (olds.customerId !== news.customerId) replaces.push("customerId");
    const changes =
      replaces.length > 0 ||
      olds.name !== news.name ||
      olds.enabled !== news.enabled ||
      JSON.stringify(olds.scopes) !== JSON.stringify(news.scopes);
    return { changes, replaces, deleteBeforeReplace: false };
  }
}

class ApiKey extends pulumi.dynamic.Resource {
  declare readonly key: pulumi.Output<string>;
  declare readonly maskedKey: pulumi.Output<string>;

  constructor(name: string, args: DeclaredKey, opts?: pulumi.CustomResourceOptions) {
    const outputs = { key: undefined, maskedKey: undefined, createdAt: undefined, updatedAt: undefined };
    super(
      new ApiKeyProvider(),
      name,
      { ...outputs, ...args },
      { ...opts, additionalSecretOutputs: ["key"] },
      "apikeys",
      "ApiKey",
    );
  }
}

export const single: Program = ({ keys }) => {
  for (const key of keys) new ApiKey(key.name, key);
};
