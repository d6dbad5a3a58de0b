/**
 * The program of the single executable, which holds Node and all steps: called by the name of a step, such as through a link
 * `svc-download`, it is that step; else it is `svc-steps`.
 */
import { basename } from "node:path"
import { run } from "./AllSteps.ts"

run(basename(process.argv0), process.argv.slice(2))
