import { describe } from "vitest";
import { describePlans } from "./properties.js";

describe("whatever the cluster, many times", () => describePlans(8_000));
