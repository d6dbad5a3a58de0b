/** A package of somebody else, of which types are emitted: it exports what it makes of ours, and names no type of it. */
import { Context, Effect, Layer, Stream } from "effect"
import { Annotations, Client, Downloads, Ids, Restorations, Session, Settings } from "svc-steps"
import { Service } from "svc-steps/node"
import { Reads, Slices, Variants } from "svc-steps/records"
import { Sandbox } from "svc-steps/sandbox"

export const service = Service.layerConfig(Settings.serviceConfig)

export const records = Layer.mergeAll(Reads.layer, Variants.layer, Slices.layer).pipe(Layer.provideMerge(service))

export const box = Sandbox.layerFor(Service.layer, { behaviour: { strict: true } })

export const analyses = Client.ServiceClient.use(({ getAnalyses }) => getAnalyses())

export const session = Session.layerFetch

export const saved = Client.ServiceClient.use(({ createOrUpdatePerson, getPerson }) => {
  const id = Ids.LimsId.make("L1")
  const read = getPerson(id)
  // @ts-expect-error: what only reads is never left in doubt
  Effect.catchTag(read, "SvcOutcomeUnknown", () => Effect.void)
  return Effect.catchTag(createOrUpdatePerson({ id }), "SvcOutcomeUnknown", () => read)
})

export const fetched = (id: string) =>
  Downloads.Downloads.use(({ fetch }) => fetch({ analysisIds: [id] })).pipe(
    Effect.map(({ results }) => results),
    Effect.catchTag("SvcDownloadsFailed", ({ results }) => Effect.succeed(results))
  )

export const told = Downloads.Downloads.use(({ events }) => Effect.succeed(events({ analysisIds: ["A1"] })))

export const listed = Stream.unwrap(Downloads.Downloads.useSync(({ list }) => list({ analysisIds: ["A1"] })))

export const planned = Downloads.Downloads.use(({ plan }) => plan({ analysisIds: ["A1"] }))

export const looks = Downloads.Downloads.use(({ resume }) => resume({}))
export const settled = Restorations.isSettled

export const rows = Stream.unwrap(Annotations.Annotations.useSync(({ rows }) => rows(Ids.AnalysisId.make("A1"))))

export const reads = Stream.unwrap(Reads.useSync(({ stream }) => stream(Ids.AnalysisId.make("A1"))))
export const variants = Stream.unwrap(Variants.useSync(({ stream }) => stream(Ids.AnalysisId.make("A1"))))

/** A service of its own, whose shape is what its making gives. */
export class Laboratory extends Context.Service<Laboratory>()("laboratory/Laboratory", {
  make: Effect.gen(function* () {
    const { getPersonAnalyses } = yield* Client.ServiceClient
    const { http } = yield* Session.Session
    return { analysesOf: getPersonAnalyses, http }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(service))
}
