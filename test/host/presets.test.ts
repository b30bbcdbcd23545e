import { presetCases } from "./knobs";
import { describeLives } from "./variantLives";

describeLives("lifecycle (ApiKey) on the server variants that have a name", presetCases);
