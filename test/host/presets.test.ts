import { describeLives } from "./dialectLives";
import { presetCases } from "./knobs";

describeLives("an ApiKey's life on services as they are named", presetCases);
