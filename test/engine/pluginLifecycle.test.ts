import { apiKeyLife } from "./apiKeyLife";
import { lifecycleSuite } from "./lifecycleSuite";

// A separate file, so that it runs at the same time as the lifecycle in the other host.
lifecycleSuite(apiKeyLife, ["plugin"]);
