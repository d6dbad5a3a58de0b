/**
 * Writes the answers of a command as they arrive: as one document, as an object by identifier, or as lines. Objects and lines are
 * written piece by piece, so that only one payload is in memory.
 */
import * as Effect from "effect/Effect"
import { printableJson, printableJsonLine } from "../../core/src/text/Printable.ts"
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
