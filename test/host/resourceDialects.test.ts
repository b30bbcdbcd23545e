import { describeQuickLives } from "./dialectLives";
import { knobCases, presetCases } from "./knobs";

for (const kind of ["ApiKeySet", "Scope", "CustomerBilling", "WorkspaceSettings"])
  describeQuickLives(kind, [...presetCases, ...knobCases]);
