import { defineConfig } from "vitest/config"
import { workers } from "./test/Workers.ts"

/** `npm run coverage` (scripts/coverage.ts): what the tests reach of core. */
export default defineConfig({
  test: {
    include: ["{core,platform,steps,gateway,sandbox,test}/**/*.test.ts"],
    // What these run are other processes, which are not counted.
    exclude: [
      "test/e2e/**",
      "test/{architecture,build,docs,ensure,step-runner,terminal}.test.ts",
      "test/{changed-part,checksums,completions,doctor,gateway*,image-engine,interrupted-runs,own-files}.test.ts",
      "test/{download*,fetch-annotations,links-file,slices,slice-faults,svc-api,verify,warm-executables}.test.ts",
      "test/{require-all,runtimes,secrets,telemetry}.test.ts",
      "test/{faults,durability,restorations}/**",
      "test/{transfer,tracking}/processes.test.ts",
      "sandbox/**"
    ],
    // Counting turns off much of what makes V8 fast.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    globalSetup: "test/TestRun.ts",
    setupFiles: "test/TestFile.ts",
    isolate: false,
    maxWorkers: workers,
    reporters: ["dot"],
    silent: "passed-only",
    coverage: {
      enabled: true,
      provider: "v8",
      include: ["core/src/**/*.ts"],
      reporter: ["json-summary"],
      reportOnFailure: true
    }
  }
})
