import { judge } from "./judge.js";

judge("1.37", "etcd-3.7");
