import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { type ServiceApi, serviceApi } from "../core/src/contract/ServiceApi.ts"

export const api = serviceApi()

type Groups = ServiceApi["groups"]
type Endpoint = HttpApiGroup.Endpoints<Groups[keyof Groups]>

const endpoints = Object.values(api.groups).flatMap((group) => Object.values<Endpoint>(group.endpoints))

/** The contract's names of requests, and that of all others. */
export const endpointNames = [...endpoints.map(({ identifier }) => identifier), "other"] as const

export type EndpointName = (typeof endpointNames)[number]

interface Pattern {
  readonly name: EndpointName
  readonly method: string
  readonly segments: ReadonlyArray<string>
  readonly parameters: number
}

const isParameter = (segment: string) => segment.startsWith(":")

const pattern = (name: EndpointName, method: string, path: string): Pattern => {
  const segments = path.split("/")
  return { name, method, segments, parameters: segments.filter(isParameter).length }
}

/** Every endpoint of the contract, those with the fewest parameters first: a fixed path wins over a parameter. */
const patterns: ReadonlyArray<Pattern> = endpoints
  .map((endpoint) => pattern(endpoint.identifier, endpoint.method, endpoint.path))
  .sort((a, b) => a.parameters - b.parameters)

const fits = (one: Pattern, method: string, segments: ReadonlyArray<string>) =>
  one.method === method &&
  one.segments.length === segments.length &&
  one.segments.every((segment, i) => isParameter(segment) || segment === segments[i])

/** The contract's name of a request, or `other`. */
export const endpointOf = (method: string, url: string): EndpointName => {
  const segments = (url.split("?", 1)[0] ?? "").split("/")
  const find = (asked: string) => patterns.find((one) => fits(one, asked, segments))?.name
  // A browser opens with GET what the clients ask for with HEAD.
  return find(method) ?? (method === "GET" ? find("HEAD") : undefined) ?? "other"
}
