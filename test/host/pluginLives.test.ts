import { someOf } from "../all";
import { describeQuickLives, lives } from "./dialectLives";
import { knobCases, presetCases } from "./knobs";
import { openPluginScene } from "./scene";

/** Those that differ most from one another: the host knows nothing of them. */
const few = ["preset default", "preset mergePatch", "preset goJson", "preset noLists"];

for (const kind of Object.keys(lives)) {
  const cases = someOf([...presetCases, ...knobCases], ({ name }) => few.includes(name));
  describeQuickLives(kind, cases, openPluginScene);
}
