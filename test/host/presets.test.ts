import { describeLives } from "./dialectLives";
import { presetCases } from "./knobs";

describeLives("lifecycle (ApiKey) on the server variants that have a name", presetCases);
