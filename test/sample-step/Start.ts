/** A step for the tests of the shared runner: `node test/sample-step/Start.ts [options] [BEHAVIOUR]`. */
import { runStep } from "../../steps/main/StepRunner.ts"

runStep(
  {
    name: "api",
    service: true,
    summary: "Shows what the runner made of its settings.",
    operands: { metavar: "BEHAVIOUR", help: "What to do", least: 0, most: 1 },
    examples: [{ command: "-t https://lab.example.org", says: "Show the settings" }]
  },
  () => import("./Program.ts"),
  "svc-sample",
  process.argv.slice(2)
)
