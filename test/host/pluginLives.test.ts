import { someOf } from "../all";
import { describeLives, describeQuickLives } from "./dialectLives";
import { knobCases, presetCases } from "./knobs";
import { openPluginScene } from "./scene";

/** Those that differ most from one another: the host knows nothing of them. */
const few = ["preset default", "preset mergePatch", "preset goJson", "preset noLists"];
const cases = someOf([...presetCases, ...knobCases], ({ name }) => few.includes(name));

describeLives("an ApiKey's life in the plugin", cases, openPluginScene);
for (const kind of ["ApiKeySet", "Scope", "CustomerBilling", "WorkspaceSettings", "key that is adopted"]) {
  describeQuickLives(kind, cases, openPluginScene);
}
