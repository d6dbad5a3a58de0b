import { defineConfig } from "vitest/config"
import { Order } from "./test/Order.ts"
import { workers } from "./test/Workers.ts"

export default defineConfig({
  test: {
    include: ["{core,platform,steps,gateway,sandbox,docs,test}/**/*.test.ts"],
    // Real servers and real tools: `npm run e2e`.
    exclude: ["test/e2e/**"],
    globalSetup: "test/TestRun.ts",
    setupFiles: "test/TestFile.ts",
    reporters: ["default", "./test/SkippedTests.ts"],
    // Finite on purpose: a test that waits for a socket which never answers must fail, not hang. Long enough for two slow processors: at a load of 50 on four, some took more than a minute.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: workers,
    sequence: { sequencer: Order },
    // A process per file would load Effect 150 times: a third of the run.
    isolate: false
  }
})
