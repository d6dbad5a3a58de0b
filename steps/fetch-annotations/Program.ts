/** The program of `svc-fetch-annotations`. */
import { Effect } from "effect"
import { makeAnnotationsFetch } from "../../core/src/annotations/AnnotationsFetch.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { openOutput } from "../../platform/OutputFile.ts"
import { Screen } from "../../platform/Screen.ts"
import { keepHeapSmall } from "../../platform/SmallHeap.ts"
import * as ZlibCodec from "../../platform/ZlibCodec.ts"
import { type Program, valuesOf } from "../main/Step.ts"
import { fetchEach } from "./FetchEach.ts"
import type { annotationOptions } from "./Options.ts"
import { makeProgress } from "./Progress.ts"
import { analysesOf, problemsOf, requestOf } from "./Wanted.ts"
import { wiring } from "./Wiring.ts"

export const program: Program<Settings> = {
  check: (_, operands, own) => problemsOf(operands, own),
  run: Effect.fnUntraced(function* (settings, operands, own) {
    yield* Effect.sync(keepHeapSmall)
    const values = valuesOf<typeof annotationOptions>(own)
    const analyses = analysesOf(operands)
    const request = yield* Effect.provide(requestOf(values, analyses), ZlibCodec.layer)
    const output = yield* openOutput(values.output)
    const progress = yield* makeProgress(yield* Screen)
    const fetch = yield* makeAnnotationsFetch(request, output, progress.received)
    const work = fetchEach(analyses, (analysis) => progress.during(analysis, fetch(analysis)), output, values.output)
    return yield* Effect.provide(work, wiring(settings, values.output))
  }, Effect.scoped)
}
