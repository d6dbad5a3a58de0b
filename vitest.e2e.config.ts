import { defineConfig } from "vitest/config"

/** The end-to-end tests: built executables against real servers and real tools, one file after the other; and long forms. */
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts", "test/tracking/simulation.test.ts"],
    env: { SVC_SEEDS: "31-1000" },
    globalSetup: ["test/TestRun.ts", "test/e2e/Requirements.ts"],
    setupFiles: "test/TestFile.ts",
    reporters: ["default", "./test/SkippedTests.ts"],
    // Only for what hangs: at a load of 50 on four processors the longest of the tests without a limit of their own took 45 s.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 1
  }
})
