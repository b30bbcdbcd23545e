import { join } from "node:path";

/** The folder of this repository. */
export const checkout = join(__dirname, "..", "..");

/** The folder, left out of the repository, for all that test runs make. */
export const workFolder = join(checkout, ".work");
