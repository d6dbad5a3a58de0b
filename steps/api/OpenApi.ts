/** `openapi`: prints the declaration of the API as an OpenAPI document, without a request to the service. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { openApiDocument } from "../../core/src/contract/OpenApiDocument.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { openOutput } from "../../platform/files/OutputFile.ts"
import { makeProgram, valuesOf } from "../main/Step.ts"
import { version } from "../main/Version.ts"
import { documentOf } from "./Answers.ts"
import type { output } from "./ApiMethod.ts"

export const program = makeProgram(
  (_settings, _operands, own) => Result.succeed(valuesOf<{ readonly output: typeof output }>(own).output),
  Effect.fn("svc.step.openapi")(function* (_: LocalSettings, path: string | null) {
    const { commit, write } = yield* openOutput(path)
    yield* write(documentOf(openApiDocument(version), "json"))
    yield* commit
    return 0 as const
  }, Effect.scoped)
)
