/** The interface of the service as its contract declares it: which request means what, and about which analyses it is. Pure. */
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { EndpointNote } from "../core/src/contract/EndpointNotes.ts"
import { Note } from "../core/src/contract/Endpoints.ts"
import { serviceApi } from "../core/src/contract/ServiceApi.ts"
import type { Right } from "./Readers.ts"

export interface ServiceRoute {
  readonly name: string
  readonly method: string
  /** As declared, with the names of parameters. */
  readonly template: string
  readonly right: Right
  /**
   * The analyses that the request is about; null when it is about more than analyses, or nobody can say about which.
   *
   * @param form - the body, when it is a form
   */
  readonly analyses: (query: URLSearchParams, form: string) => ReadonlyArray<string> | null
  /** The first parameter that the contract does not know: nobody can say what it would be about. */
  readonly unknown: (query: URLSearchParams, form: string) => string | null
}

/** One endpoint, with its path cut at the slashes. */
interface Declared extends Omit<ServiceRoute, "analyses" | "unknown"> {
  readonly segments: ReadonlyArray<string>
  /** Names of its parameters, in the address or in a form. */
  readonly parameters: ReadonlySet<string>
  readonly note: EndpointNote
}

const declared = (): ReadonlyArray<Declared> =>
  Object.values(serviceApi().groups)
    .flatMap((group) => Object.values(group.endpoints))
    .flatMap((endpoint) => {
      const note = Option.getOrNull(Context.getOption(endpoint.annotations, Note))
      if (note === null) return []
      const { identifier: name, method, path: template } = endpoint
      const right = note.mutates !== true ? "read" : name === "requestRestore" ? "restore" : "change"
      const forms = [...endpoint.payload.values()].flatMap(({ encoding, schemas }) =>
        encoding._tag === "FormUrlEncoded" ? schemas : []
      )
      const parameters = new Set([endpoint.query, ...forms].flatMap(namesIn))
      return [{ name, method, template, right, note, parameters, segments: template.split("/") }]
    })

/** Finds the endpoint that a request means; the path begins with a slash. Null when the contract has none. */
export const makeServiceRoutes = () => {
  const all = declared()
  return (method: string, path: string): ServiceRoute | null => {
    const given = path.split("/").map(decoded)
    if (given.some((segment, at) => segment === null || (at > 0 && !isSegment(segment)))) return null
    const fits = all.filter(
      (each) =>
        each.method === method &&
        each.segments.length === given.length &&
        each.segments.every((segment, at) => segment.startsWith(":") || segment === given[at])
    )
    // The one with the fewest parameters is meant: `/virtual-panel/...` before `/:id/...`.
    const [found] = fits.toSorted((a, b) => placeholders(a) - placeholders(b))
    return found === undefined ? null : { ...found, analyses: analysesOf(found, given), unknown: unknownOf(found) }
  }
}

const namesIn = (schema: object | undefined): ReadonlyArray<string> =>
  schema !== undefined && "fields" in schema ? Object.keys(schema.fields as object) : []

const unknownOf =
  ({ parameters }: Declared): ServiceRoute["unknown"] =>
  (query, form) =>
    [...query.keys(), ...new URLSearchParams(form).keys()].find((name) => !parameters.has(name)) ?? null

const placeholders = ({ segments }: Declared) => segments.filter((segment) => segment.startsWith(":")).length

/** What would change the path of the request, or belongs into none, is no identifier. */
const isSegment = (text: string) => text !== "" && !/^\.+$|[\p{C}/\\;]/u.test(text)

const decoded = (part: string): string | null => Result.getOrNull(Result.try(() => decodeURIComponent(part)))

const analysesOf =
  ({ name, note, segments }: Declared, given: ReadonlyArray<string | null>): ServiceRoute["analyses"] =>
  (query, form) => {
    // The service reads query and form as one.
    if (name === "requestRestore") return query.size > 0 ? null : listed(new URLSearchParams(form), "analysisIds")
    const one = note.takes.find(({ kind }) => kind === "analysis")
    const several = note.takes.find(({ kind }) => kind === "analyses")
    const place = one === undefined ? -1 : segments.indexOf(`:${one.name}`)
    if (place >= 0) return [given[place] ?? ""]
    return several === undefined ? null : listed(query, several.name)
  }

/** The service takes a list as one value with commas, or as a field that is repeated. Without any it answers about all. */
const listed = (fields: URLSearchParams, name: string): ReadonlyArray<string> | null => {
  const ids = fields
    .getAll(name)
    .flatMap((value) => value.split(","))
    .map((id) => id.trim())
    .filter((id) => id !== "")
  return ids.length === 0 ? null : ids
}
