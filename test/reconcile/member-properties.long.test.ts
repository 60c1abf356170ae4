import { memberProperties } from "./member-properties.js";

memberProperties(200_000);
