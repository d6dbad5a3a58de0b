import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { Forbidden, LoginRefused, NotFound, RequestRejected, type ServiceError, Unavailable } from "../Errors.ts"
import * as Outage from "./Outage.ts"

const unavailable = new Unavailable({ host: "lab", reason: "closed", attempts: 3 })
const notFound = new NotFound({ what: "analysis A1" })
const refused = new LoginRefused({ user: "ada", host: "lab" })
const rejected = new RequestRejected({
  request: "GET /api/analyses",
  status: 422,
  errorMessageId: null,
  errorId: null,
  additionalInformation: null
})

/** How many requests were sent of those that would come to `outcomes`; null is an answer. */
const sentOf = Effect.fnUntraced(function* (outcomes: ReadonlyArray<ServiceError | null>) {
  const outage = yield* Outage.make<ServiceError>()
  let sent = 0
  yield* Effect.forEach(outcomes, (error) => {
    const request = Effect.suspend(() => {
      sent++
      return error === null ? Effect.void : Effect.fail(error)
    })
    return Effect.exit(outage.ask(request))
  })
  return sent
})

describe("the rest of a list of requests", () => {
  it.effect("is given up at the third in a row for which the service was unavailable", () =>
    Effect.gen(function* () {
      const twice = [unavailable, unavailable]
      // A failure that is an answer, if not the wanted one, ends the row as well.
      const outcomes = [...twice, null, ...twice, notFound, ...twice, unavailable]
      assert.strictEqual(yield* sentOf([...outcomes, null, null]), outcomes.length)
    })
  )

  it.effect("is given up at once when the next would end the same way", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* sentOf([rejected, refused, null]), 2)
    })
  )

  it.effect("is not asked for any more, and is said to be left", () =>
    Effect.gen(function* () {
      const asked = yield* Ref.make<ReadonlyArray<string>>([])
      const answers: Array<string> = []
      const request = (id: string) =>
        Effect.andThen(
          Ref.update(asked, (ids) => [...ids, id]),
          id === "A2" ? Effect.fail<ServiceError>(notFound) : id === "A4" ? Effect.fail(refused) : Effect.succeed(id)
        )
      const use = (answer: string) => Effect.sync(() => void answers.push(answer))
      const { errors, left } = yield* Outage.askEach(["A1", "A2", "A3", "A4", "A5", "A6"], request, use)
      assert.deepStrictEqual(yield* Ref.get(asked), ["A1", "A2", "A3", "A4"])
      assert.deepStrictEqual(answers, ["A1", "A3"])
      assert.deepStrictEqual(errors, [notFound, refused])
      assert.strictEqual(left, 2)
      // Alone, or where no answer is of use after it, a failure is that of all.
      assert.strictEqual(yield* Effect.flip(Outage.askEach(["A2"], request, use)), notFound)
      assert.strictEqual(yield* Effect.flip(Outage.askEach(["A1", "A2", "A3"], request, use, () => true)), notFound)
    })
  )

  const forbidden = new Forbidden({ what: "analysis A1" })

  /** The requests of a list, and what came of it. `refusals` says how often each item is forbidden. */
  const turns = Effect.fnUntraced(function* (
    items: ReadonlyArray<string>,
    refusals: Readonly<Record<string, number>>,
    fails: Readonly<Record<string, ServiceError>> = {}
  ) {
    const asked: Array<string> = []
    const answers: Array<string> = []
    const request = (id: string) =>
      Effect.suspend(() => {
        asked.push(id)
        const times = asked.filter((other) => other === id).length
        const error = times <= (refusals[id] ?? 0) ? forbidden : fails[id]
        return error === undefined ? Effect.succeed(id) : Effect.fail(error)
      })
    const { errors } = yield* Outage.askEach(items, request, (answer) => Effect.sync(() => void answers.push(answer)))
    return { asked, answers, errors: errors.map(({ _tag }) => _tag) }
  })

  it.effect("S7 what was forbidden is asked for once more at the end, when another was answered", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* turns(["A1", "A2", "A3"], { A1: 1 }), {
        asked: ["A1", "A2", "A3", "A1"],
        answers: ["A2", "A3", "A1"],
        errors: []
      })
      assert.deepStrictEqual(yield* turns(["A1", "A2", "A3"], { A1: 9, A2: 1 }), {
        asked: ["A1", "A2", "A3", "A1", "A2"],
        answers: ["A3", "A2"],
        errors: ["SvcForbidden"]
      })
    })
  )

  it.effect("S4 nothing is asked for again when nothing was answered, or the service is away", () =>
    Effect.gen(function* () {
      const none = yield* turns(["A1", "A2"], { A1: 9, A2: 9 })
      assert.deepStrictEqual(none, { asked: ["A1", "A2"], answers: [], errors: ["SvcForbidden", "SvcForbidden"] })
      const away = yield* turns(["A1", "A2", "A3"], { A1: 1 }, { A3: refused })
      assert.deepStrictEqual(away, {
        asked: ["A1", "A2", "A3"],
        answers: ["A2"],
        errors: ["SvcLoginRefused", "SvcForbidden"]
      })
    })
  )
})
