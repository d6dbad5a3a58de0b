/** svc-steps as a library on Node: one layer with all services of `svc-steps` for one service. */

import "./Runtime.ts"

export * as Service from "./Service.ts"
