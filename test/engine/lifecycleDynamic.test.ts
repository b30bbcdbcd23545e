import { describeLifecycle } from "./lifecycle";

describeLifecycle("dynamic");
