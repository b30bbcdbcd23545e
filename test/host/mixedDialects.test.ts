import { describeLives } from "./dialectLives";
import { mixedCases, presetCases } from "./knobs";

describeLives("an ApiKey's life on a service that differs in many respects", [...presetCases, ...mixedCases]);
