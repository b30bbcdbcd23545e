import { projectWithPackage } from "./installed";

/** Compiles the package before the test processes start: each of them needs it, and only one can build it. */
export async function setup() {
  await projectWithPackage();
}
