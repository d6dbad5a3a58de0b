/**
 * What a method prints: answers as one document, as an object by identifier, or as lines, and on request the body of an error.
 * Objects and lines are written piece by piece as they arrive, so that only one payload is in memory.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { RefusedReplies, type RefusedReply } from "../../core/src/session/RequestMarks.ts"
import { printableJson, printableJsonLine } from "../../core/src/text/Printable.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import type { Output } from "../../platform/files/OutputFile.ts"

export interface Answers {
  readonly add: (id: string, payload: unknown) => ReturnType<Output["write"]>
  readonly end: ReturnType<Output["write"]>
}

const encoder = new TextEncoder()

/** For a single identifier: its payload, alone. */
const singleAnswer = (write: (text: string) => ReturnType<Output["write"]>): Answers => ({
  add: (_, payload) => write(`${printableJson(payload)}\n`),
  end: Effect.void
})

/** For several identifiers: an object, even when only one of them was found. */
const byId = (write: (text: string) => ReturnType<Output["write"]>): Answers => {
  let before = "{\n  "
  return {
    add: (id, payload) =>
      Effect.suspend(() => {
        // Line feeds inside texts are escaped, so each one here belongs to the indentation.
        const text = `${before}${printableJsonLine(id)}: ${printableJson(payload).replaceAll("\n", "\n  ")}`
        before = ",\n  "
        return write(text)
      }),
    end: Effect.suspend(() => write(before.startsWith("{") ? "{}\n" : "\n}\n"))
  }
}

const lines = (write: (text: string) => ReturnType<Output["write"]>): Answers => ({
  add: (id, result) => write(`${printableJsonLine({ id, result })}\n`),
  end: Effect.void
})

export const makeAnswers = (output: Output, format: "json" | "jsonl", several: boolean): Answers => {
  const write = (text: string) => output.write(encoder.encode(text))
  return format === "jsonl" ? lines(write) : several ? byId(write) : singleAnswer(write)
}

/** One payload as a document, or as a line for each item of a list. */
export const documentOf = (payload: unknown, format: "json" | "jsonl"): Uint8Array =>
  encoder.encode(
    format === "jsonl" && Array.isArray(payload)
      ? payload.map((item) => `${printableJsonLine(item)}\n`).join("")
      : `${printableJson(payload)}\n`
  )

/** One value as a line of JSON. */
export const jsonLine = (value: unknown): Uint8Array => encoder.encode(`${printableJsonLine(value)}\n`)

/** When `call` fails, gives `show` the body of the last refused reply, with secrets removed. */
export const withErrorBody = <A, E, R, R2>(
  call: Effect.Effect<A, E, R>,
  show: (body: string, status: number) => Effect.Effect<void, never, R2>
): Effect.Effect<A, E, R | R2> =>
  Effect.gen(function* () {
    const last = yield* Ref.make<RefusedReply | null>(null)
    const showLast = Effect.gen(function* () {
      const reply = yield* Ref.get(last)
      if (reply !== null && reply.body !== "") yield* show((yield* Scrubber).prose(reply.body), reply.status)
    })
    return yield* call.pipe(
      Effect.provideService(RefusedReplies, (reply) => Ref.set(last, reply)),
      Effect.tapError(() => showLast)
    )
  })

/** Logs the body, after a line's beginning that names the status. */
export const logErrorBody = (body: string, status: number): Effect.Effect<void> =>
  Effect.logError(`Body of the reply with status ${status}: ${body.trimEnd()}`)
