import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config"
import { Order } from "./test/Order.ts"
import { transcripts } from "./test/transcripts/Plugin.ts"
import { workers } from "./test/Workers.ts"

const files = "{core,platform,steps,gateway,sandbox,docs,test}/**/*.test.ts"
/** Modules whose tests have a long form (test/LongForm.ts). */
const withLongForms = [
  "test/tracking/simulation.test.ts",
  "test/fuzz/fuzz.test.ts",
  "core/src/{genome/index/IndexRules,genome/index/Tiling,genome/bgzf/BlockProof,genome/slice/Slice,transfer/PartJournal,verify/IndexProof,verify/Verification}.test.ts"
]
const ofTheirOwn = "test/{executables,sockets,processes,e2e}/**"

/** What every test has. */
const common = {
  globalSetup: "test/TestRun.ts",
  setupFiles: "test/TestFile.ts",
  // Finite on purpose: a test that waits for a socket which never answers must fail, not hang. Long enough for two slow processors: at a load of 50 on four, some took more than a minute.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  maxWorkers: workers,
  // A process per file would load Effect 150 times: a third of the run.
  isolate: false
}

const byItself = "test/e2e/gateway/Crowd.test.ts"
const realThings = { globalSetup: ["test/TestRun.ts", "test/e2e/Requirements.ts"], isolate: true }

type Tests = NonNullable<TestProjectInlineConfiguration["test"]>

const project = (name: string, test: Tests): TestProjectInlineConfiguration => ({
  plugins: [transcripts],
  test: { ...common, name, ...test }
})

export default defineConfig({
  test: {
    // A line for each file, and the failures.
    reporters: [["default", { summary: false }], "./test/SkippedTests.ts"],
    slowTestThreshold: Number.POSITIVE_INFINITY,
    silent: "passed-only",
    sequence: { sequencer: Order },
    coverage: { provider: "v8", include: ["core/src/**/*.ts"], reporter: ["json-summary"], reportOnFailure: true },
    projects: [
      // `npm test`: what modules promise, in one process; and that each executable starts, does its main job and fails rightly.
      project("modules", { include: [files], exclude: [ofTheirOwn] }),
      project("executables", { include: ["test/executables/**/*.{test.ts,transcript}"] }),
      // `npm run e2e`: faults of real sockets and disks in one process; processes, terminals, kills and long sweeps; then real servers and real tools, and long forms; and what measures by itself.
      project("sockets", { include: ["test/sockets/**/*.test.ts"] }),
      project("processes", { include: ["test/processes/**/*.{test.ts,transcript}"], sequence: { groupOrder: 1 } }),
      project("e2e", {
        ...realThings,
        include: ["test/e2e/**/*.test.ts", ...withLongForms],
        exclude: [byItself],
        env: { SVC_SEEDS: "11-500", SVC_LONG_FORM: "1" },
        sequence: { groupOrder: 2 }
      }),
      project("e2e-alone", { ...realThings, include: [byItself], maxWorkers: 1, sequence: { groupOrder: 3 } })
    ]
  }
})
