import { knobCases, presetCases } from "./knobs";
import { describeQuickLives } from "./variantLives";

for (const kind of ["ApiKeySet", "Scope", "CustomerBilling", "WorkspaceSettings", "adopted key"])
  describeQuickLives(kind, [...presetCases, ...knobCases]);
