/**
 * Sends a list of requests one after the other. A request that fails does not stop the others, but an outage ends the list, and
 * what was forbidden is asked for once more at its end.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { FailureScope } from "../Errors.ts"
import { logFailure } from "../telemetry/FailureLog.ts"

/** What this module needs to know of a failure. */
interface ScopedFailure {
  readonly _tag: string
  readonly retryable: boolean
  readonly scope: FailureScope
}

/** After this many requests in a row that failed in spite of all retries, the service counts as down. */
const mostUnanswered = 3

/** Decides when a list of requests is given up, because the rest of it would fail too. */
export interface Outage<E> {
  /**
   * Runs a request. When the rest would fail too, after a failure of the whole run or the third request in a row without an answer, the
   * list is given up: this fails at once with the error that ended it.
   */
  readonly ask: <A, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * What `visit` makes of each item, in order, each visited when the stream is pulled. A session that ended, before it ever answered,
   * looks like a missing permission. So items that were forbidden are held back, and are visited once more at the end when
   * any other was answered: they come last.
   *
   * @param errorOf - the failure that an outcome reports; null when the item was answered
   */
  readonly inTurn: <A, O, R>(
    items: ReadonlyArray<A>,
    visit: (item: A) => Effect.Effect<O, never, R>,
    errorOf: (outcome: O) => E | null
  ) => Stream.Stream<O, never, R>
}

/** Starts with no failure seen. */
export const make = <E extends ScopedFailure>(): Effect.Effect<Outage<E>> =>
  Effect.gen(function* () {
    const unanswered = yield* Ref.make(0)
    const end = yield* Ref.make<{ readonly error: E } | null>(null)
    const recordFailure = Effect.fnUntraced(function* (error: E) {
      const inARow = yield* Ref.updateAndGet(unanswered, (count) => (error.retryable ? count + 1 : 0))
      if (error.scope === "run" || inARow >= mostUnanswered) yield* Ref.set(end, { error })
    })
    return {
      ask: (request) =>
        Effect.flatMap(Ref.get(end), (met) =>
          met !== null
            ? Effect.fail(met.error)
            : Effect.tap(Effect.tapError(request, recordFailure), () => Ref.set(unanswered, 0))
        ),
      inTurn: <A, O, R>(
        items: ReadonlyArray<A>,
        visit: (item: A) => Effect.Effect<O, never, R>,
        errorOf: (outcome: O) => E | null
      ) =>
        Stream.suspend(() => {
          const forbidden: Array<{ readonly item: A; readonly outcome: O }> = []
          let answered = false
          const first = Stream.fromIterable(items).pipe(
            Stream.mapEffect((item) => Effect.map(visit(item), (outcome) => ({ item, outcome }))),
            Stream.filter(({ item, outcome }) => {
              const error = errorOf(outcome)
              answered ||= error === null
              if (error?._tag !== "SvcForbidden") return true
              forbidden.push({ item, outcome })
              return false
            }),
            Stream.map(({ outcome }) => outcome)
          )
          const second = Stream.suspend(() => Stream.fromIterable(forbidden)).pipe(
            Stream.mapEffect(({ item, outcome }) =>
              Effect.flatMap(Ref.get(end), (met) => (answered && met === null ? visit(item) : Effect.succeed(outcome)))
            )
          )
          return Stream.concat(first, second)
        })
    }
  })

/** What became of a list of requests. */
export interface ListOutcome<E> {
  readonly errors: ReadonlyArray<E>
  /** How many items at the end of the list were not requested. */
  readonly left: number
}

/**
 * Asks for each of `items` and hands the answers to `use`. It logs each failure, and how many items were not asked for. When
 * there is only one item, its failure fails the whole call.
 */
export const askEach = Effect.fnUntraced(function* <
  A,
  B,
  E extends ScopedFailure & { readonly message: string },
  R,
  E2,
  R2
>(
  items: ReadonlyArray<A>,
  request: (item: A) => Effect.Effect<B, E, R>,
  use: (answer: B, item: A) => Effect.Effect<void, E2, R2>,
  /** Failures after which no answer is of use. */
  isFatal: (error: E) => boolean = () => false
): Effect.fn.Return<ListOutcome<E>, E | E2, R | R2> {
  const outage = yield* make<E>()
  const errors: Array<E> = []
  const asked = new Set<object>()
  const visit = (turn: { readonly item: A }) =>
    outage
      .ask(
        Effect.andThen(
          Effect.sync(() => asked.add(turn)),
          request(turn.item)
        )
      )
      .pipe(
        Effect.result,
        Effect.map((result) => ({ turn, result }))
      )
  const turns = items.map((item) => ({ item }))
  const outcomes = outage.inTurn(turns, visit, ({ result }) => (Result.isFailure(result) ? result.failure : null))
  yield* Stream.runForEach(
    outcomes,
    Effect.fnUntraced(function* ({ result, turn }): Effect.fn.Return<void, E | E2, R2> {
      if (!asked.has(turn)) return
      if (Result.isSuccess(result)) return yield* use(result.success, turn.item)
      if (items.length === 1 || isFatal(result.failure)) return yield* Effect.fail(result.failure)
      errors.push(result.failure)
      yield* logFailure(result.failure)
    })
  )
  const left = items.length - asked.size
  if (left > 0) yield* Effect.logError(`Not asked for the last ${left} of ${items.length}, as that would fail too`)
  return { errors, left }
})
