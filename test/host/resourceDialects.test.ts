import { describeQuickLives } from "./dialectLives";
import { knobCases, presetCases } from "./knobs";

for (const kind of ["ApiKeySet", "Scope", "CustomerBilling", "WorkspaceSettings", "key that is adopted"])
  describeQuickLives(kind, [...presetCases, ...knobCases]);
