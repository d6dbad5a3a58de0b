/**
 * svc-steps as a library on Node: one layer with all services of `svc-steps` for one service.
 *
 * @since 0.1.0
 */

import "./Runtime.ts"

export * as Service from "./Service.ts"
