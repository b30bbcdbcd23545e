import { describeLifecycle } from "./lifecycle";

describeLifecycle("plugin");
