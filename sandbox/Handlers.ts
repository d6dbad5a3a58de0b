import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { VirtualPanelUpdate } from "../core/src/contract/Panels.ts"
import { PersonUpdate } from "../core/src/contract/Persons.ts"
import { AnalysisAnswers } from "./AnalysisAnswers.ts"
import { Behaviour } from "./Behaviour.ts"
import { api } from "./Endpoints.ts"
import { refusal } from "./Envelope.ts"
import { PanelAnswers } from "./PanelAnswers.ts"
import { PersonAnswers } from "./PersonAnswers.ts"
import { Caller } from "./RequestMiddleware.ts"
import { initialPage, sessionHandlers } from "./SessionHandlers.ts"
import { decodeJson } from "./WorldFile.ts"

// The contract decodes the requests; the answers are JSON as the world holds it, so that a field the contract does not
// know, the order of keys, and an id that is a number all reach the client as they are.

const user = Effect.map(Caller, (session) => session?.account ?? "")

/** The host name of the request, without its port. */
const hostname = (request: HttpServerRequest.HttpServerRequest) =>
  (request.headers["host"] ?? "127.0.0.1").replace(/:\d+$/, "")

/** Reads a body so that a fault in it is explained, and identifiers keep all their digits. */
const withJson =
  <A, I>(schema: Schema.Codec<A, I>, save: (update: A) => Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
  ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) =>
    Effect.orElseSucceed(request.text, () => "").pipe(
      Effect.flatMap((text) => decodeJson(text, schema)),
      Effect.matchEffect({
        onSuccess: save,
        onFailure: (reason) => Effect.succeed(refusal(400, "INVALID_BODY", reason))
      })
    )

const person = HttpApiBuilder.group(
  api,
  "person",
  Effect.fn(function* (handlers) {
    const persons = yield* PersonAnswers
    return handlers
      .handle("getInternalPersonId", ({ params }) => persons.internalId(params.personLimsId))
      .handle("getPerson", ({ params }) => persons.person(params.personLimsId))
      .handleRaw("createOrUpdatePerson", withJson(PersonUpdate, persons.save))
  })
)

const analysis = HttpApiBuilder.group(
  api,
  "analysis",
  Effect.fn(function* (handlers) {
    const analyses = yield* AnalysisAnswers
    const persons = yield* PersonAnswers
    return handlers
      .handle("getSnvAnnotations", ({ params }) => analyses.annotations(params.analysisId))
      .handle("getAnalyses", ({ query }) => analyses.list(query.analysisIds ?? null))
      .handle("getPersonAnalyses", ({ params }) => persons.analyses(params.personLimsId))
      .handle("findAnalysesByFilename", ({ query }) => analyses.findByInputFile(query.customerProvidedInputFileName))
  })
)

const cnv = HttpApiBuilder.group(
  api,
  "cnv",
  Effect.fn(function* (handlers) {
    const persons = yield* PersonAnswers
    return handlers
      .handle("getCnvTargetResults", ({ params, query }) =>
        Effect.flatMap(user, (name) =>
          persons.cnvResults(name, params.personLimsId, query.analysisIds, query.virtualPanelId)
        )
      )
      .handle("getPendingCnvSegments", ({ query }) =>
        Effect.flatMap(user, (name) =>
          persons.pendingCnv(name, query.personId, query.analysesIds, query.virtualPanelId)
        )
      )
  })
)

const quality = HttpApiBuilder.group(
  api,
  "quality",
  Effect.fn(function* (handlers) {
    const persons = yield* PersonAnswers
    return handlers.handle("getQcCaseMetrics", ({ params }) => persons.quality(params.personId))
  })
)

const coverage = HttpApiBuilder.group(
  api,
  "coverage",
  Effect.fn(function* (handlers) {
    const persons = yield* PersonAnswers
    return handlers.handle("getCoverageData", ({ params, query }) =>
      Effect.flatMap(user, (name) => persons.coverage(name, params.personId, query.virtualPanelId))
    )
  })
)

const report = HttpApiBuilder.group(
  api,
  "report",
  Effect.fn(function* (handlers) {
    const persons = yield* PersonAnswers
    return handlers
      .handle("getCaseReport", ({ params, query }) =>
        persons.report(params.personId, query.draft === "true", query.inactive === "true")
      )
      .handle("getCaseReportInfos", () => persons.reportInfos)
  })
)

const panel = HttpApiBuilder.group(
  api,
  "panel",
  Effect.fn(function* (handlers) {
    const panels = yield* PanelAnswers
    return handlers
      .handle("getVirtualPanel", ({ params }) => panels.panel(params.id))
      .handleRaw("createOrUpdateVirtualPanel", withJson(VirtualPanelUpdate, panels.save))
      .handle("getVirtualPanelSummaries", () => panels.summaries)
      .handle("getAllGenes", () => panels.genes)
  })
)

const file = HttpApiBuilder.group(
  api,
  "file",
  Effect.fn(function* (handlers) {
    const analyses = yield* AnalysisAnswers
    return handlers.handle("getFileDownloadLinks", ({ params, request }) =>
      analyses.links(params.analysisId, hostname(request))
    )
  })
)

const archive = HttpApiBuilder.group(
  api,
  "archive",
  Effect.fn(function* (handlers) {
    const analyses = yield* AnalysisAnswers
    return handlers.handle("requestRestore", ({ payload }) => analyses.restore(payload.analysisIds))
  })
)

const answers = Layer.mergeAll(PersonAnswers.layer, AnalysisAnswers.layer, PanelAnswers.layer)

/** Every group of the contract. */
export const handlers = Layer.mergeAll(
  sessionHandlers,
  person,
  analysis,
  cnv,
  quality,
  coverage,
  report,
  panel,
  file,
  archive
).pipe(Layer.provide(answers))

/** What exists beside the contract: `GET` where the clients ask with `HEAD`, the two calls known from generic requests, and the person-level restore. */
export const otherRoutes = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const persons = yield* PersonAnswers
    const panels = yield* PanelAnswers
    const analyses = yield* AnalysisAnswers
    const { personRestoreField } = yield* Behaviour
    const initial = yield* initialPage

    yield* router.add("GET", "/", (request) => initial("base", request))
    yield* router.add("GET", "/authenticate", (request) => initial("authenticate", request))
    yield* router.add("GET", "/person-list", persons.list)
    yield* router.add("GET", "/search/griddata", (request) =>
      panels.variantsOfGene(new URL(request.url, "http://sandbox").searchParams.get("gene") ?? "")
    )
    yield* router.add("POST", "/archive/person/restore", (request) =>
      Effect.gen(function* () {
        if (personRestoreField === null) return HttpServerResponse.empty({ status: 404 })
        const form = new URLSearchParams(yield* request.text)
        return yield* analyses.restorePerson(form.get(personRestoreField) ?? "")
      })
    )
  })
).pipe(Layer.provide(answers))
