import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../ports.js";

export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  sleep: (ms) => wait(ms),
  every(ms, task) {
    const timer = setInterval(() => void task(), ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
