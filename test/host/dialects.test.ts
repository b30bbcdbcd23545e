import { describeLives } from "./dialectLives";
import { knobCases } from "./knobs";

describeLives("lifecycle (ApiKey) on a server that differs from the default in one setting", knobCases);
