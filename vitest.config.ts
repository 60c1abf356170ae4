import type { ViteUserConfigFnObject } from "vitest/config";

const config: ViteUserConfigFnObject = ({ mode }) => ({
  test: {
    include: mode === "long" ? ["test/**/*.long.test.ts"] : ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...(mode === "long" ? [] : ["test/**/*.long.test.ts"])],
    // Ryuk, which cleans up after testcontainers, is an image that would have to be pulled.
    env: { TESTCONTAINERS_RYUK_DISABLED: "true" },
    testTimeout: 120_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
});

export default config;
