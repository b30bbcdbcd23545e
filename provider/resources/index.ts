import type { Definition } from "../definition";
import { apiKey } from "./apiKey";

/** Every resource, by kind. A kind stands in states for ever: never rename or remove one. */
export const definitions: Readonly<Record<string, Definition>> = {
  ApiKey: apiKey,
};
