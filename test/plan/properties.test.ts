import { describe } from "vitest";
import { describePlans } from "./properties.js";

describe("whatever the cluster", () => describePlans(400));
