import { describeQuickLives } from "./dialectLives";
import { knobCases, presetCases } from "./knobs";

for (const kind of ["ApiKeySet", "Scope", "CustomerBilling", "WorkspaceSettings", "adopted key"])
  describeQuickLives(kind, [...presetCases, ...knobCases]);
