/** svc-steps as a library: the service in a box, inside the process of a test. */
export type { ListenFailed } from "../platform/http/Listener.ts"
export type { Stats } from "./Counters.ts"
export type { FaultRule } from "./Faults.ts"
export { type Sandbox, type SandboxOptions, start as startSandbox } from "./Sandbox.ts"
export type { SwitchValues } from "./Switches.ts"
export type { Json, JsonObject, WireId } from "./WireIds.ts"
export type { InputMalformed, InputUnusable, WorldFile } from "./WorldFile.ts"
