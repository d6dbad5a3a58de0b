/** The declaration of the API as an OpenAPI 3.1 document, for clients in other languages and for pages that show it. */
import * as Context from "effect/Context"
import * as OpenApi from "effect/http-api/OpenApi"
import type { EndpointNote } from "./EndpointNotes.ts"
import { Note } from "./Endpoints.ts"
import { type ServiceApi, serviceApi } from "./ServiceApi.ts"

type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
type JsonObject = { readonly [key: string]: Json }

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const about = `Genomic analyses, their findings and files behind a session.

A session begins with \`HEAD /\`, whose answer has a cookie and the header \`X-CSRF-TOKEN\`. \`POST /login\` takes both, and its answer has new ones: all
further requests carry them. Without that header a login was refused, whatever its status. One request of an account at a time: the service answers overlapping
ones with a redirect and a page of HTML, and all later ones with 403 until the next login.

Identifiers of analyses, internal persons, panels and genes are integers at some services and text at others.`

/** The description of each status. */
const statuses: Readonly<Record<string, string>> = {
  "200": "The answer",
  "400": "Not found, or the request is wrong",
  "403": "The session is gone, or this account may not see it",
  "404": "Not found",
  "422": "It is there, but of another kind"
}

const remarks = ({ large, mutates, slow }: EndpointNote): string =>
  [
    ...(slow === true ? ["May take minutes to begin."] : []),
    ...(large === true ? ["The answer may be larger than memory."] : []),
    ...(mutates === true ? ["Changes data: look before sending it again when the answer is lost."] : [])
  ].join(" ")

const notesOf = ({ groups }: ServiceApi): ReadonlyMap<string, EndpointNote> =>
  new Map(
    Object.values(groups).flatMap(({ endpoints }) =>
      Object.values(endpoints).flatMap(({ annotations, identifier }) => {
        const note = Context.getOption(annotations as Context.Context<never>, Note)
        return note._tag === "Some" ? [[identifier, note.value] as const] : []
      })
    )
  )

const session = [{ sessionCookie: [], sessionToken: [] }]

const operation = (made: JsonObject, notes: ReadonlyMap<string, EndpointNote>): JsonObject => {
  const [group = "", name = ""] = String(made["operationId"]).split(".")
  const note = notes.get(name)
  const said = note === undefined ? "" : remarks(note)
  const responses = isObject(made["responses"]) ? made["responses"] : {}
  return {
    ...made,
    operationId: name,
    ...(said === "" ? {} : { description: said }),
    security: group === "session" ? [] : session,
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        isObject(response) ? { ...response, description: statuses[status] ?? status } : response
      ])
    )
  }
}

const widest = Number.MAX_SAFE_INTEGER
const isAnything = (schema: Json) => isObject(schema) && Object.keys(schema).length === 0

/**
 * A shorter form of a schema. Bounds of integers are left out, because they are only those of a JavaScript `number`, and so is the
 * separate alternative for integers with more digits.
 */
const simpler = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(simpler)
  if (!isObject(value)) return value
  const { allOf, anyOf, maximum, minimum, ...rest } = value
  const forms = Array.isArray(anyOf) ? anyOf.map(simpler) : []
  const informative = forms.filter((form) => !isAnything(form))
  const isOpen =
    Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0]) && isObject(allOf[0]["additionalProperties"])
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, simpler(part)])),
    ...(minimum === undefined || minimum === -widest ? {} : { minimum }),
    ...(maximum === undefined || maximum === widest ? {} : { maximum }),
    ...(isOpen || allOf === undefined ? {} : { allOf: simpler(allOf) }),
    ...(anyOf === undefined || informative.every((form) => isObject(form) && form["type"] === "null")
      ? {}
      : { anyOf: informative })
  }
}

/**
 * @param version - the version of this package: the service does not state its own
 * @param server - where the API is, when that is known
 */
export const openApiDocument = (version: string, server?: string): JsonObject => {
  const api = serviceApi()
  const notes = notesOf(api)
  const { components, paths } = simpler(OpenApi.fromApi(api) as unknown as Json) as {
    readonly components: JsonObject
    readonly paths: Readonly<Record<string, JsonObject>>
  }
  return {
    openapi: "3.1.0",
    info: { title: "Genomic variant analysis service", version, description: about },
    ...(server === undefined ? {} : { servers: [{ url: server }] }),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(item).map(([method, made]) => [method, isObject(made) ? operation(made, notes) : made])
        )
      ])
    ),
    components: {
      ...components,
      securitySchemes: {
        sessionCookie: {
          type: "apiKey",
          in: "cookie",
          name: "SESSION",
          description: "Of the login; its name may differ"
        },
        sessionToken: { type: "apiKey", in: "header", name: "X-CSRF-TOKEN" }
      }
    },
    security: [],
    tags: Object.keys(api.groups).map((name) => ({ name }))
  }
}
