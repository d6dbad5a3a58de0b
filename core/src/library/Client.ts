/**
 * The service itself: a method for each endpoint, and a request for all others.
 *
 * @since 0.1.0
 */
export type { GenericBody, GenericReply } from "../client/GenericRequest.ts"
export { ServiceClient, ServiceJson } from "../client/ServiceClient.ts"
export {
  allGenes,
  type DerivedMethods,
  type InternalPerson,
  type MethodReply,
  type PanelChoice,
  type Reading,
  type ReportChoice,
  type ServersChoice,
  type ServiceMethods,
  serversChoice
} from "../client/ServiceMethods.ts"
export { type PayloadStream, ServiceStreams, type StreamMethods } from "../client/ServiceStreams.ts"
export type { EndpointName } from "../contract/EndpointNotes.ts"
