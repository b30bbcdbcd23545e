import { describe, test } from "vitest";
import { isAll } from "./all";

/** A `describe` of test:all alone. */
export const describeInAll: (name: string, body: () => void) => void = isAll ? describe : () => {};

/** An `it` of test:all alone. */
export const itInAll: (name: string, body: () => Promise<void>) => void = isAll ? test : () => {};
