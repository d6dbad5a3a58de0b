/**
 * The questions of many readers to a service that answers one at a time: which is asked next, how long a reader waits, and when
 * the service counts as away.
 *
 * Readers with the same question wait for one answer. Questions about what is known come before all others. Among equals the
 * readers take turns, so whoever has a thousand questions holds somebody else up by one answer. A question that nobody waits for
 * any more is dropped, unless the service has it already: then its answer is there for those who come back.
 */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { monotonicMillis } from "../MonotonicTime.ts"
import { Reader } from "./Reader.ts"

/** There is no answer for this reader now; whoever comes back later may find it. */
export class ServiceAway extends Data.TaggedError("ServiceAway")<{ readonly reason: string }> {}

export interface Questions<A, E> {
  /** @param known - whether the service has answered this question before */
  readonly ask: (key: string, known: boolean) => Effect.Effect<A, E | ServiceAway>
  /** Questions that have no answer yet, and how long the first of them has waited, in ms. */
  readonly state: Effect.Effect<QueueState>
}

export interface QueueState {
  readonly length: number
  readonly oldestWait: number
}

/** How long the service may answer nobody until it counts as away. */
const patience = Duration.toMillis("8 seconds")

interface Question<A, E> {
  readonly key: string
  /** Where it waits; null when the service has it. */
  line: Line<A, E> | null
  /** Whose turn it takes: the first reader who asked. */
  readonly reader: string
  readonly since: number
  /** Readers who wait for the answer. */
  readers: number
  readonly answer: Deferred.Deferred<A, E | ServiceAway>
}

/** The waiting questions of each reader; the reader whose turn is next stands first. */
type Line<A, E> = Map<string, Array<Question<A, E>>>

/**
 * @param answer - asks the service; a failure that can be retried is no answer
 * @param longestWait - of a reader, while the service answers others
 */
export const makeQuestions = Effect.fnUntraced(function* <A, E extends { readonly retryable: boolean }>(
  answer: (key: string) => Effect.Effect<A, E>,
  longestWait: Duration.Duration
): Effect.fn.Return<Questions<A, E>, never, Scope.Scope> {
  const open = new Map<string, Question<A, E>>()
  const lines: ReadonlyArray<Line<A, E>> = [new Map(), new Map()]
  /** One for each question that came; there are more of them than questions when some were dropped. */
  const arrivals = yield* Queue.unbounded<void>()
  let lastAnswer = Number.NEGATIVE_INFINITY

  const takeNext = (): Question<A, E> | undefined => {
    for (const line of lines) {
      const [first] = line
      if (first === undefined) continue
      const [reader, questions] = first
      const question = questions.shift()
      line.delete(reader)
      if (questions.length > 0) line.set(reader, questions)
      if (question !== undefined) question.line = null
      return question
    }
    return undefined
  }

  const drop = ({ key, line, reader }: Question<A, E>) => {
    const others = line?.get(reader)?.filter((question) => question.key !== key) ?? []
    if (others.length > 0) line?.set(reader, others)
    else line?.delete(reader)
    open.delete(key)
  }

  const work = Effect.gen(function* () {
    yield* Queue.take(arrivals)
    const question = takeNext()
    if (question === undefined) return
    const exit = yield* Effect.exit(answer(question.key))
    open.delete(question.key)
    if (isAnswer(exit)) lastAnswer = yield* monotonicMillis
    yield* Deferred.done(question.answer, exit)
  })
  yield* Effect.forkScoped(Effect.forever(work))

  const join = Effect.fnUntraced(function* (key: string, known: boolean) {
    const reader = (yield* Reader).key
    const since = yield* monotonicMillis
    const line = lines[known ? 0 : 1] ?? new Map()
    let question = open.get(key)
    if (question === undefined) {
      question = { key, line, reader, since, readers: 0, answer: Deferred.makeUnsafe() }
      open.set(key, question)
      line.set(reader, [...(line.get(reader) ?? []), question])
      Queue.offerUnsafe(arrivals, undefined)
    }
    question.readers++
    return { question, since }
  })

  const leave = (question: Question<A, E>) =>
    Effect.sync(() => {
      question.readers--
      if (question.readers === 0 && question.line !== null) drop(question)
    })

  /** Fails when the service has answered nobody for too long while a reader waited. */
  const silence = (since: number) =>
    Effect.gen(function* () {
      const quiet = (yield* monotonicMillis) - Math.max(since, lastAnswer)
      if (quiet >= patience) return yield* new ServiceAway({ reason: "the service has not answered yet" })
      yield* Effect.sleep(Math.ceil(patience - quiet))
    }).pipe(Effect.forever)

  return {
    ask: (key, known) =>
      Effect.acquireUseRelease(
        join(key, known),
        ({ question, since }) => Effect.raceFirst(Deferred.await(question.answer), silence(since)),
        ({ question }) => leave(question)
      ).pipe(
        Effect.timeoutOrElse({
          duration: longestWait,
          orElse: () =>
            new ServiceAway({ reason: `the service is busy with others, for ${Duration.format(longestWait)} by now` })
        })
      ),
    state: Effect.map(monotonicMillis, (now) => {
      const [oldest] = open.values()
      return { length: open.size, oldestWait: oldest === undefined ? 0 : now - oldest.since }
    })
  }
})

/** Whether the service has said something, if only no. */
const isAnswer = <A, E extends { readonly retryable: boolean }>(exit: Exit.Exit<A, E>): boolean =>
  Result.match(Exit.findError(exit), {
    onFailure: () => Exit.isSuccess(exit),
    onSuccess: ({ retryable }) => !retryable
  })
