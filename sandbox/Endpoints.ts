import { type EndpointName, endpointNotes } from "../core/src/contract/EndpointNotes.ts"
import { serviceApi } from "../core/src/contract/ServiceApi.ts"

export const api = serviceApi()

const methods = Object.keys(endpointNotes) as ReadonlyArray<EndpointName>

/** The contract's names of requests: those with a method, and those of a session. */
export const endpointNames = [...methods, "initialSession", "authenticate", "login", "logout", "other"] as const

interface Pattern {
  readonly name: string
  readonly method: string
  readonly segments: ReadonlyArray<string>
  readonly parameters: number
}

const isParameter = (segment: string) => segment.startsWith(":")

const pattern = (name: string, method: string, path: string): Pattern => {
  const segments = path.split("/")
  return { name, method, segments, parameters: segments.filter(isParameter).length }
}

/** Every endpoint of the contract, those with the fewest parameters first: a fixed path wins over a parameter. */
const patterns: ReadonlyArray<Pattern> = Object.values(api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .map((endpoint) => pattern(endpoint.identifier, endpoint.method, endpoint.path))
  .sort((a, b) => a.parameters - b.parameters)

const fits = (one: Pattern, method: string, segments: ReadonlyArray<string>) =>
  one.method === method &&
  one.segments.length === segments.length &&
  one.segments.every((segment, i) => isParameter(segment) || segment === segments[i])

/** The contract's name of a request, or `other`. */
export const endpointOf = (method: string, url: string): string => {
  const segments = (url.split("?", 1)[0] ?? "").split("/")
  const find = (asked: string) => patterns.find((one) => fits(one, asked, segments))?.name
  // A browser opens with GET what the clients ask for with HEAD.
  return find(method) ?? (method === "GET" ? find("HEAD") : undefined) ?? "other"
}
