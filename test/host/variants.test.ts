import { knobCases } from "./knobs";
import { describeLives } from "./variantLives";

describeLives("lifecycle (ApiKey) on a server that differs from the default in one setting", knobCases);
