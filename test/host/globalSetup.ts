import { projectWithPackage } from "./installed";

/** Before the test processes start: the compiled package, which each of them needs and only one can make. */
export async function setup() {
  await projectWithPackage();
}
