/**
 * svc-steps as a library: the service in a box, inside the process of a test.
 *
 * @since 0.1.0
 */

import "../platform/Runtime.ts"

export type { BehaviourChoice } from "./Behaviour.ts"
export type { FaultRule } from "./Faults.ts"
export type { RunningSandbox, SandboxError, SandboxOptions } from "./Sandbox.ts"
export { Sandbox, type SandboxSettings } from "./Sandbox.ts"
export type { Stats } from "./Stats.ts"
export type { WorldFile } from "./WorldFile.ts"
