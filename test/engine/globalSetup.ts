import { packedPackage } from "../../tools/engine/project";
import { pulumiCli } from "../../tools/engine/pulumiCli";

/** Prepares, before the test processes start, what each of them needs and only one can build. */
export async function setup() {
  await pulumiCli();
  await packedPackage();
}
