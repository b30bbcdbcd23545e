import { describeLives } from "./dialectLives";
import { knobCases } from "./knobs";

describeLives("an ApiKey's life on a service that differs in one respect", knobCases);
