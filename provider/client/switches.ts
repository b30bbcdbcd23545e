/** Whether a switch of the configuration is on. */
export function isOn(value: string | undefined): boolean {
  return value === "true" || value === "1";
}
