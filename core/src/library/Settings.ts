/**
 * The settings of a service, as values and as a `Config`; and who answers questions.
 *
 * @since 0.1.0
 */
export { Operator } from "../settings/Operator.ts"
export { type ServiceSettings, serviceConfig } from "../settings/ServiceConfig.ts"
