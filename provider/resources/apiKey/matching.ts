import type { ApiKeyRecord } from "../../client/service";
import { caseFolded } from "../../core/state";
import type { KeyInputs } from "./properties";

/** Whether a record of the service can be of the key that the program declares. */

export type NameAndCustomer = {
  readonly name?: string | undefined;
  readonly customerId?: string | undefined;
};

/** Clocks differ, and a time may lack its zone or be a date only. */
const skewMs = 48 * 3_600_000;
const plausible = Date.UTC(2000);

/** Whether a key was certainly created long before. */
export function isOld({ createdAt = "" }: Pick<ApiKeyRecord, "createdAt">, since: Date): boolean {
  // It is not certain whether the day or the month comes first.
  if (/^\d{1,2}\D\d{1,2}\D/.test(createdAt)) return false;
  const number = /^\d+$/.test(createdAt) ? Number(createdAt) : Number.NaN;
  const created = Number.isNaN(number) ? Date.parse(createdAt) : number < 1e11 ? number * 1_000 : number;
  return created > plausible && created < since.getTime() - skewMs;
}

/** Whether a key has the declared name and customer, however the service may have spelled them. */
export function isNamesake(key: NameAndCustomer, declared: NameAndCustomer): boolean {
  return nameAndCustomer(key) === nameAndCustomer(declared);
}

/** Both as one text, however the service may have spelled them. */
export function nameAndCustomer({ name, customerId }: NameAndCustomer): string {
  return JSON.stringify([caseFolded(name), caseFolded(customerId)]);
}

/** Whether a key is of the declared customer, as far as is known. */
export function isOfCustomer({ customerId }: NameAndCustomer, declared: NameAndCustomer): boolean {
  return customerId === undefined || caseFolded(customerId) === caseFolded(declared.customerId);
}

/** Whether a key can have this value: its customer and masked form don't contradict that. */
export function mayHaveValue(key: ApiKeyRecord, declared: KeyInputs, value: string): boolean {
  return isOfCustomer(key, declared) && value.endsWith(endOf(key.maskedKey));
}

/** Whether a key can have this value, and its name or masked form matches too. */
export function isLikelyKeyOf(key: ApiKeyRecord, declared: KeyInputs, value: string): boolean {
  if (!mayHaveValue(key, declared, value)) return false;
  return caseFolded(key.name) === caseFolded(declared.name) || endOf(key.maskedKey).length >= 4;
}

/** The end of a secret that its masked form shows; "" if it shows none that is usable. */
function endOf(maskedKey = ""): string {
  const [, end = ""] = /(?:[^A-Za-z0-9]{2,}|[*#\u2022\u2026]|x{3,})([A-Za-z0-9]{3,})$/i.exec(maskedKey) ?? [];
  return end;
}
