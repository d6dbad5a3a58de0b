/**
 * The command line and what the steps do, all in one module: it is loaded at once, when a command line asks for work, and each file more
 * takes a millisecond. The gateway alone is loaded apart.
 */
import { programs as api } from "../api/Program.ts"
import { program as doctor } from "../doctor/Program.ts"
import { program as download, requestProgram, resumeProgram } from "../download/Program.ts"
import { program as fetchAnnotations } from "../fetch-annotations/Program.ts"
import { programs as restorations } from "../restorations/Program.ts"
import { program as verify } from "../verify/Program.ts"
import type { Program } from "./Program.ts"
import type { Method, Step } from "./Step.ts"
import { mainOf } from "./StepMain.ts"

export { mainOfDispatcher } from "./StepMain.ts"

const programs: Readonly<Record<Step["name"], (method: string) => Program | undefined | Promise<Program>>> = {
  download: () => download,
  "request-restore": () => requestProgram,
  "resume-restore": () => resumeProgram,
  restorations: (method) => restorations[method],
  "fetch-annotations": () => fetchAnnotations,
  api: (method) => api[method],
  verify: () => verify,
  doctor: () => doctor,
  gateway: () => import("../gateway/Program.ts").then(({ program }) => program)
}

/** The program of a step, or of a method of a family. */
export const programOf = async (step: Step | Method): Promise<Program> => {
  const program = await programs[step.name]("method" in step ? step.method : "")
  if (program === undefined) throw new Error(`a method of ${step.name} has no program`)
  return program
}

/** Runs a step of ours. */
export const main = mainOf(programOf)
