import { apiKeyLife } from "./apiKeyLife";
import { lifecycleSuite } from "./lifecycleSuite";

lifecycleSuite(apiKeyLife, ["dynamic"]);
