import { judge } from "./judge.js";

judge("1.37");
