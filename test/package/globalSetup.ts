import { packedPackage } from "../../tools/engine/project";

/** Before the test processes start: packs the package once for all of them. */
export async function setup() {
  await packedPackage();
}
