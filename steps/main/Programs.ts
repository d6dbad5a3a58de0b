/**
 * The command line and what the steps do, all in one module: it is loaded at once, when a command line asks for work, and each file more
 * takes a millisecond.
 */
export { createPanel } from "../api/CreatePanel.ts"
export { genericRequest } from "../api/GenericRequest.ts"
export { program as openApi } from "../api/OpenApi.ts"
export { programOf as apiMethod } from "../api/Program.ts"
export { savePerson } from "../api/SavePerson.ts"
export { updatePanel } from "../api/UpdatePanel.ts"
export { program as doctor } from "../doctor/Program.ts"
export {
  linksProgram as downloadByLinks,
  program as download,
  requestProgram as requestRestore,
  resumeProgram as resumeRestore
} from "../download/Program.ts"
export { program as fetchAnnotations } from "../fetch-annotations/Program.ts"
export { add as addRestoration } from "../restorations/Add.ts"
export { list as listRestorations } from "../restorations/List.ts"
export { prune as pruneRestorations } from "../restorations/Prune.ts"
export { program as verify } from "../verify/Program.ts"
export { main, mainOfDispatcher } from "./StepMain.ts"
