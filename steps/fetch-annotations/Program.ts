/** The program of `svc-fetch-annotations`. */
import * as Effect from "effect/Effect"
import { makeAnnotationsFetch } from "../../core/src/annotations/AnnotationsFetch.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { openOutput } from "../../platform/files/OutputFile.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { Screen } from "../../platform/terminal/Screen.ts"
import { makeProgram } from "../main/Step.ts"
import { fetchEach } from "./FetchEach.ts"
import { makeProgress } from "./Progress.ts"
import { parse, requestOf, type Wanted } from "./Wanted.ts"
import { wiring } from "./Wiring.ts"

export const program = makeProgram(
  (settings, _operands, own) => parse(settings, own),
  Effect.fnUntraced(function* (settings: Settings, wanted: Wanted) {
    const request = yield* Effect.provide(requestOf(wanted), ZlibCodec.layer)
    const output = yield* openOutput(wanted.output)
    const progress = yield* makeProgress(yield* Screen)
    const fetch = yield* makeAnnotationsFetch(request, output, progress.received)
    const one = (analysis: string) => progress.during(analysis, fetch(analysis))
    const work = fetchEach(wanted.analyses, one, output, wanted.output)
    return yield* Effect.provide(work, wiring(settings, wanted.output))
  }, Effect.scoped)
)
