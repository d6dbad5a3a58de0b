/** svc-steps as a library on Node: one layer with all services of `svc-steps` for one service. */

import "./Runtime.ts"

export type { ClientSettings, Clients } from "./Clients.ts"
export type { Files } from "./Files.ts"
export * as Service from "./Service.ts"
