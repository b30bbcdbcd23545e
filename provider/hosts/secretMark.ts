/** How a secret is marked on Pulumi's wire. Source: Pulumi's provider protocol. */
import { isRecord, type Properties, specialKey } from "../core/state";

const ofSecret = "1b47061264138c4ac30d75fd1eb44270";

export function secret(value: unknown): Properties {
  return { [specialKey]: ofSecret, value };
}

export function isMarked(value: unknown): value is { readonly value: unknown } {
  return isRecord(value) && value[specialKey] === ofSecret;
}
