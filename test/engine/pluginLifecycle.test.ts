import { apiKeyLife } from "./apiKeyLife";
import { lifecycleSuite } from "./lifecycleSuite";

// A file of its own, so that it runs at the same time as the life in the other host.
lifecycleSuite(apiKeyLife, ["plugin"]);
