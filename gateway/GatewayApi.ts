/** The addresses of the gateway, declared once (docs/gateway.md). */

import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"

const disableCodecs = true

/** What a file of the listing looks like. */
export const ListedFile = Schema.Struct({
  name: Schema.String,
  /** Bytes; null when the service does not say. */
  size: Schema.NullOr(Schema.Int),
  archived: Schema.Boolean,
  url: Schema.String
})

export const Listing = Schema.Struct({ analysisId: Schema.String, files: Schema.Array(ListedFile) })

/** The answer to a request for an archived file: what is known of its restoration, and how to ask for one. */
export const Archived = Schema.Struct({
  error: Schema.Literal("Archived"),
  message: Schema.String,
  /** ISO 8601: when its restoration was asked for through this gateway. */
  restoringSince: Schema.NullOr(Schema.String),
  /** ISO 8601: when it is expected back. */
  restoreEstimation: Schema.NullOr(Schema.String),
  /** Where to ask for its restoration; null where the gateway does not pass that on. */
  restoreUrl: Schema.NullOr(Schema.String)
})

export const Restoring = Schema.Struct({
  archived: Schema.Boolean,
  restoringSince: Schema.NullOr(Schema.String),
  restoreEstimation: Schema.NullOr(Schema.String)
})

const analysis = { analysisId: Schema.String }
const file = { ...analysis, fileName: Schema.String }

const files = HttpApiGroup.make("files").add(
  HttpApiEndpoint.get("list", "/files/:analysisId", { disableCodecs, params: analysis, success: Listing }),
  // The router sends HEAD requests here as well.
  HttpApiEndpoint.get("file", "/files/:analysisId/:fileName", {
    disableCodecs,
    params: file,
    success: [HttpApiSchema.Empty(200), HttpApiSchema.Empty(206), HttpApiSchema.Empty(307)]
  }),
  HttpApiEndpoint.post("restore", "/files/:analysisId/:fileName/restore", {
    disableCodecs,
    params: file,
    success: [Restoring, Restoring.pipe(HttpApiSchema.status(202))]
  })
)

/** The page for people, and what it asks for. The page of an analysis is at the address of its files. */
const page = HttpApiGroup.make("page").add(
  HttpApiEndpoint.get("root", "/", { disableCodecs, success: Schema.String.pipe(HttpApiSchema.asText()) }),
  HttpApiEndpoint.get("folders", "/files", { disableCodecs, success: Schema.String.pipe(HttpApiSchema.asText()) }),
  HttpApiEndpoint.get("pageFile", "/page/:name", {
    disableCodecs,
    params: { name: Schema.String },
    success: HttpApiSchema.Empty(200)
  }),
  HttpApiEndpoint.get("genomeFile", "/genome/:name", {
    disableCodecs,
    params: { name: Schema.String },
    success: [HttpApiSchema.Empty(200), HttpApiSchema.Empty(206)]
  }),
  HttpApiEndpoint.get("genes", "/genes", { disableCodecs, success: Schema.String.pipe(HttpApiSchema.asText()) }),
  HttpApiEndpoint.get("sequences", "/files/:analysisId/:fileName/sequences", {
    disableCodecs,
    params: file,
    success: Schema.String.pipe(HttpApiSchema.asText())
  }),
  HttpApiEndpoint.get("address", "/files/:analysisId/:fileName/address", {
    disableCodecs,
    params: file,
    success: Schema.Struct({ url: Schema.String })
  })
)

const id = { id: Schema.String }
const idAndFile = { ...id, fileName: Schema.String }
const ticket = { disableCodecs, success: Schema.Json } as const

/** GA4GH htsget 1.3.0. An id of analysis and file may have its slash escaped or not. */
const htsget = HttpApiGroup.make("htsget").add(
  HttpApiEndpoint.get("readsInfo", "/reads/service-info", ticket),
  HttpApiEndpoint.get("reads", "/reads/:id", { ...ticket, params: id }),
  HttpApiEndpoint.get("readsOfFile", "/reads/:id/:fileName", { ...ticket, params: idAndFile }),
  HttpApiEndpoint.post("readsPost", "/reads/:id", { ...ticket, params: id }),
  HttpApiEndpoint.post("readsOfFilePost", "/reads/:id/:fileName", { ...ticket, params: idAndFile }),
  HttpApiEndpoint.get("variantsInfo", "/variants/service-info", ticket),
  HttpApiEndpoint.get("variants", "/variants/:id", { ...ticket, params: id }),
  HttpApiEndpoint.get("variantsOfFile", "/variants/:id/:fileName", { ...ticket, params: idAndFile }),
  HttpApiEndpoint.post("variantsPost", "/variants/:id", { ...ticket, params: id }),
  HttpApiEndpoint.post("variantsOfFilePost", "/variants/:id/:fileName", { ...ticket, params: idAndFile })
)

const control = HttpApiGroup.make("control").add(
  HttpApiEndpoint.get("healthz", "/healthz", { disableCodecs, success: HttpApiSchema.Empty(200) }),
  HttpApiEndpoint.get("readyz", "/readyz", { disableCodecs, success: HttpApiSchema.Empty(200) }),
  HttpApiEndpoint.get("metrics", "/metrics", { disableCodecs, success: Schema.String.pipe(HttpApiSchema.asText()) })
)

export const GatewayApi = HttpApi.make("gateway").add(files, page, htsget, control)
