import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { packedPackage } from "../engine/packedPackage";

/** Before the test processes start: packs the package once for all of them. */
export async function setup() {
  const { tarball } = await packedPackage();
  return () => rm(dirname(tarball), { recursive: true, force: true });
}
