/**
 * The questions of many readers to a service that answers one at a time: which is asked next, how long a reader waits, and when
 * the service counts as away. A question that the service has takes as long as its answer does.
 *
 * Questions about what is known come before all others. Among equals the readers take turns, so whoever has a thousand questions
 * holds somebody else up by one answer. A question that nobody waits for any more is dropped, unless the service has it already.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { monotonicMillis } from "../telemetry/MonotonicTime.ts"
import type { LinkQueue } from "../transfer/Links.ts"
import { Contact } from "./Contact.ts"

/** Who asks a server for something. */
export interface ReaderView {
  /** Readers of one key take their turns as one: the name that a token has, or the address of who shows none. */
  readonly key: string
  /** Whether this reader may know of an analysis. For one who may not, it is as one that does not exist. */
  readonly mayRead: (analysisId: string) => boolean
}

/**
 * Who asks, in the context of a request, so that no function on its way can forget it. Whoever asks without saying who they are may
 * read everything: who comes in is decided before.
 */
export const Reader = Context.Reference<ReaderView>("svc-steps/core/serving/Reader", {
  defaultValue: () => ({ key: "", mayRead: () => true })
})

/** There is no answer for this reader now; whoever comes back later may find it. */
export class ServiceAway extends Data.TaggedError("ServiceAway")<{ readonly reason: string }> {
  readonly retryable = true
  readonly scope = "run"
}

export interface Questions extends LinkQueue<ServiceAway> {
  /** Questions that have no answer yet, and how long the first of them has waited, in ms. */
  readonly state: Effect.Effect<QueueState>
}

export interface QueueState {
  readonly length: number
  readonly oldestWait: number
}

/** How long the service may answer nobody until it counts as away, in ms. */
export const patience = Duration.toMillis("8 seconds")
/** How often is looked whether it can be reached by now. */
const look = Duration.toMillis("1 second")

/** The line before the service: all that a server asks goes through it. */
export class ServiceQueue extends Context.Service<ServiceQueue, Questions>()("svc-steps/core/serving/ServiceQueue") {
  /** @param longestWait - of a question for its turn: one that is with the service may take as long as its answer */
  static readonly layer = (longestWait: Duration.Input = "5 minutes"): Layer.Layer<ServiceQueue, never, Contact> =>
    Layer.effect(
      ServiceQueue,
      Effect.gen(function* () {
        const { isUp } = yield* Contact
        return yield* makeQuestions(Duration.fromInputUnsafe(longestWait), isUp)
      })
    )
}

interface Question {
  /** Whose turn it takes. */
  readonly reader: string
  readonly since: number
  /** Asks the service, and says whether that answered. */
  readonly work: Effect.Effect<boolean>
}

/** The waiting questions of each reader; the reader whose turn is next stands first. */
type Line = Map<string, Array<Question>>

/**
 * @param longestWait - of a question for its turn, while the service answers others
 * @param isUp - whether the service answered last: then it works on the question that it has, however long that takes
 */
export const makeQuestions = Effect.fnUntraced(function* (
  longestWait: Duration.Duration,
  isUp: () => boolean
): Effect.fn.Return<Questions, never, Scope.Scope> {
  const open = new Set<Question>()
  const lines = { known: new Map() as Line, unknown: new Map() as Line }
  /** One for each question that came; there are more of them than questions when some were dropped. */
  const arrivals = yield* Queue.unbounded<void>()
  let lastAnswer = Number.NEGATIVE_INFINITY

  const takeNext = (): Question | undefined => {
    const line = lines.known.size > 0 ? lines.known : lines.unknown
    const [first] = line
    if (first === undefined) return undefined
    const [reader, questions] = first
    const question = questions.shift()
    line.delete(reader)
    if (questions.length > 0) line.set(reader, questions)
    return question
  }

  const work = Effect.gen(function* () {
    yield* Queue.take(arrivals)
    if (yield* takeNext()?.work ?? Effect.succeed(false)) lastAnswer = yield* monotonicMillis
  })
  yield* Effect.forkScoped(Effect.forever(work))

  const join = Effect.fnUntraced(function* <A, E extends { readonly retryable: boolean }>(
    line: Line,
    work: Effect.Effect<A, E>
  ) {
    const reader = (yield* Reader).key
    const answer = yield* Deferred.make<A, E>()
    const begun = yield* Deferred.make<void>()
    const asked = Effect.gen(function* () {
      yield* Deferred.succeed(begun, undefined)
      const exit = yield* Effect.exit(work)
      open.delete(question)
      yield* Deferred.done(answer, exit)
      return isAnswer(exit)
    })
    const question: Question = { reader, since: yield* monotonicMillis, work: asked }
    open.add(question)
    line.set(reader, [...(line.get(reader) ?? []), question])
    Queue.offerUnsafe(arrivals, undefined)
    return { question, answer, begun }
  })

  const leave = (line: Line, question: Question) =>
    Effect.sync(() => {
      const waiting = line.get(question.reader) ?? []
      const others = waiting.filter((other) => other !== question)
      if (others.length === waiting.length) return
      open.delete(question)
      if (others.length > 0) line.set(question.reader, others)
      else line.delete(question.reader)
    })

  /** Fails when the service cannot be reached, and has answered nobody for too long while a reader waited. */
  const silence = Effect.gen(function* () {
    let since = yield* monotonicMillis
    while (true) {
      const now = yield* monotonicMillis
      if (isUp()) since = now
      const quiet = now - Math.max(since, lastAnswer)
      if (quiet >= patience) return yield* new ServiceAway({ reason: "the service has not answered yet" })
      yield* Effect.sleep(Math.ceil(Math.min(look, patience - quiet)))
    }
  })

  /** Fails when the turn has not come in time. */
  const inVain = (begun: Deferred.Deferred<void>) =>
    Deferred.await(begun).pipe(
      Effect.timeoutOrElse({
        duration: longestWait,
        orElse: () =>
          new ServiceAway({ reason: `the service is busy with others, for ${Duration.format(longestWait)} by now` })
      }),
      Effect.andThen(Effect.never)
    )

  return {
    ask: (known, work) => {
      const line = known ? lines.known : lines.unknown
      return Effect.acquireUseRelease(
        join(line, work),
        ({ answer, begun }) => Effect.raceFirst(Deferred.await(answer), inVain(begun)),
        ({ question }) => leave(line, question)
      )
    },
    wait: (answer) => Effect.raceFirst(answer, silence),
    state: Effect.map(monotonicMillis, (now) => {
      const [oldest] = open
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
