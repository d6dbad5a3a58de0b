import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { LoginRefused, NotFound, ReplyMalformed, type ServiceError, Unavailable } from "../../core/src/Errors.ts"
import type { Output } from "../../platform/files/OutputFile.ts"
import { askEach } from "./Program.ts"

const down = new Unavailable({ host: "h", reason: "status 503", attempts: 7 })
const missing = new NotFound({ what: "person x" })

/** An output in memory; `text` is null until it is committed. */
const memory = (canRewind = true) => {
  let text = ""
  let committed: string | null = null
  const output: Output = {
    write: (bytes) =>
      Effect.sync(() => {
        text += new TextDecoder().decode(bytes)
      }),
    commit: Effect.sync(() => {
      committed = text
    }),
    folder: null,
    rewind: (size) =>
      Effect.sync(() => {
        if (canRewind) text = text.slice(0, size)
        return canRewind
      })
  }
  return { output, text: () => committed, seen: () => text }
}

/** Calls that answer by identifier; anything else is found. */
const ask = (
  answers: Readonly<Record<string, ServiceError>>,
  ids: ReadonlyArray<string>,
  format: "json" | "jsonl" = "json"
) => {
  const asked: Array<string> = []
  const call = (_: unknown, id: string) =>
    Effect.suspend(() => {
      asked.push(id)
      const error = answers[id]
      return error === undefined ? Effect.succeed({ id }) : Effect.fail(error)
    })
  const { output, text } = memory()
  return Effect.map(Effect.exit(askEach({ kind: "each", call }, {} as never, ids, {}, format, output)), (exit) => ({
    code: exit._tag === "Success" ? exit.value : "failed",
    asked,
    text: text()
  }))
}

describe("one call for each identifier", () => {
  it.effect("each is asked for once, and failures are left out", () =>
    Effect.gen(function* () {
      const some = yield* ask({ b: missing }, ["a", "b", "a", "c"], "jsonl")
      assert.deepStrictEqual([some.code, some.asked], [66, ["a", "b", "c"]])
      assert.strictEqual(some.text, '{"id":"a","result":{"id":"a"}}\n{"id":"c","result":{"id":"c"}}\n')
      const one = yield* ask({ b: missing }, ["b", "a"])
      assert.deepStrictEqual(JSON.parse(one.text ?? ""), { a: { id: "a" } })
      assert.deepStrictEqual(yield* ask({ b: missing }, ["b", "b"]), { code: "failed", asked: ["b"], text: null })
    })
  )

  it.effect("keeps the order in which they were given, numbers too", () =>
    Effect.map(ask({}, ["10", "9", "1"]), ({ text }) =>
      assert.deepStrictEqual(
        [...(text ?? "").matchAll(/^ {2}"(\d+)"/gm)].map(([, id]) => id),
        ["10", "9", "1"]
      )
    )
  )

  it.effect("stops for a failure that has nothing to do with the identifier", () =>
    Effect.map(ask({ b: new LoginRefused({ user: "u", host: "h" }) }, ["a", "b", "c"]), ({ asked, code }) =>
      assert.deepStrictEqual([code, asked], [77, ["a", "b"]])
    )
  )

  it.effect("stops when the service is unavailable three times in a row, not before", () =>
    Effect.gen(function* () {
      const ids = ["a", "b", "c", "d", "e", "f", "g"]
      const often = yield* ask({ a: down, b: down, d: down, e: down, f: down }, ids)
      assert.deepStrictEqual([often.code, often.asked], [69, ["a", "b", "c", "d", "e", "f"]])
      assert.deepStrictEqual(JSON.parse(often.text ?? ""), { c: { id: "c" } })
    })
  )
})

describe("one body that is streamed", () => {
  const part = (text: string) => Stream.succeed(new TextEncoder().encode(text))
  const streamed = (attempts: ReadonlyArray<Stream.Stream<Uint8Array, ServiceError>>, canRewind: boolean) => {
    let attempt = 0
    const { output, seen, text } = memory(canRewind)
    const stream = () => Stream.suspend(() => attempts[attempt++] ?? Stream.empty)
    const work = { kind: "each", call: () => Effect.die("not streamed"), stream } as const
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.exit(askEach(work, {} as never, ["a"], {}, "json", output)))
      yield* TestClock.adjust("1 minute")
      const exit = yield* Fiber.join(fiber)
      return { ok: exit._tag === "Success", attempts: attempt, text: text(), seen: seen() }
    })
  }
  const broken = Stream.concat(part('{"a'), Stream.fail(down))

  it.effect("begins again when it breaks and nobody has seen it, three times in all", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* streamed([broken, broken, part("[1]")], true), {
        ok: true,
        attempts: 3,
        text: "[1]\n",
        seen: "[1]\n"
      })
      assert.include(yield* streamed([broken, broken, broken, part("[1]")], true), {
        ok: false,
        attempts: 3,
        text: null
      })
    })
  )

  it.effect("does not begin again after bytes were seen, or for a body that is wrong", () =>
    Effect.gen(function* () {
      assert.include(yield* streamed([broken, part("[1]")], false), { ok: false, attempts: 1, seen: '{"a' })
      const wrong = Stream.fail(new ReplyMalformed({ request: "r", reason: "not JSON" }))
      assert.include(yield* streamed([wrong, part("[1]")], true), { ok: false, attempts: 1, text: null })
    })
  )
})
