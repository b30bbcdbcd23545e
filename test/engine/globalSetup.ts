import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { packedPackage } from "./packedPackage";
import { findPulumi } from "./pulumiCli";

/** Before the test processes start: what each of them needs and only one can make. */
export async function setup() {
  await findPulumi();
  const { tarball } = await packedPackage();
  return () => rm(dirname(tarball), { recursive: true, force: true });
}
