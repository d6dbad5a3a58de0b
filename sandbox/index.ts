/** svc-steps as a library: the service in a box, inside the process of a test. */
export type { FaultRule } from "./Faults.ts"
export { type Sandbox, type SandboxOptions, start as startSandbox } from "./Sandbox.ts"
export type { SwitchValues } from "./Switches.ts"
