/**
 * The service itself: a method for each endpoint, and a request for all others.
 *
 * @since 0.1.0
 */
export type { GenericReply } from "../client/GenericRequest.ts"
export { ServiceClient } from "../client/ServiceClient.ts"
export { allGenes, type PanelChoice, type ServiceMethods, serversChoice } from "../client/ServiceMethods.ts"
