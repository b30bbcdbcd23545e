import { apiKeyLife } from "./apiKeyLife";
import { lifecycleSuite } from "./lifecycleSuite";

// Of its own, to run beside that in the other host.
lifecycleSuite(apiKeyLife, ["plugin"]);
