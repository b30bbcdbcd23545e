import { packedPackage } from "./packedPackage";
import { pulumiCli } from "./pulumiCli";

/** Before the test processes start: what each of them needs and only one can make. */
export async function setup() {
  await pulumiCli();
  await packedPackage();
}
