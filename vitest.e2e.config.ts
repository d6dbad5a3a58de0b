import { defineConfig } from "vitest/config"

/** The end-to-end tests: built executables against real servers and real tools, one file after the other. */
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: "test/e2e/Requirements.ts",
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 1
  }
})
