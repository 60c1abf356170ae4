import { memberProperties } from "./member-properties.js";

memberProperties(5_000);
