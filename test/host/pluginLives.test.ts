import { someOf } from "../all";
import { knobCases, presetCases } from "./knobs";
import { openPluginScene } from "./scene";
import { describeLives, describeQuickLives } from "./variantLives";

/** The few that differ most from one another: what a host does hardly depends on them. */
const few = ["preset default", "preset mergePatch", "preset goJson", "preset noLists"];
const cases = someOf([...presetCases, ...knobCases], ({ name }) => few.includes(name));

describeLives("lifecycle (ApiKey) in the plugin", cases, openPluginScene);
for (const kind of ["ApiKeySet", "Scope", "CustomerBilling", "WorkspaceSettings", "adopted key"]) {
  describeQuickLives(kind, cases, openPluginScene);
}
