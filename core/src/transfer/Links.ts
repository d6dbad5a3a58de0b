/**
 * The links of analyses, for all who need them: a run and a gateway.
 *
 * The last answer of the service about an analysis is held. What it says of a file counts while that is fresh; then the service is
 * asked again, once for all who wait, and what else the old answer says stays in use meanwhile. Each answer has a number, its
 * generation: whoever was refused with a link gets one of a later generation, which is asked for unless somebody else did.
 * `sharedAsk` below is the question that is asked once, for other answers of the service too.
 */
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { LinkedFile } from "./LinkLease.ts"
import type { FreshLink } from "./TransferRequest.ts"

/** An answer of the service about an analysis. */
export interface LinkAnswer {
  readonly listed: {
    readonly analysisId: string
    readonly files: ReadonlyArray<{
      readonly fileName: string | null
      /** Bytes. */
      readonly size: number | null
      readonly archived: boolean
    }>
  }
  /** By file name; files without a link are absent. */
  readonly links: ReadonlyMap<string, Redacted.Redacted>
  /** When the service was asked, in ms since 1970. */
  readonly askedAt: number
}

/** Why there is no link of a file. `Several`: two files have its name, and nobody can say which is meant (fault L6). */
export type NoLink = "Missing" | "Several" | "Archived" | "Unlinked"

/** A file by its name. */
interface WantedFile {
  readonly analysisId: string
  readonly fileName: string
}

/** A link, and how its file gets the next one. */
export interface LentLink<E> extends Pick<LinkedFile, "link" | "size"> {
  readonly renewLink: Effect.Effect<FreshLink, E>
}

/** `E`: the service does not answer, or with a no. `F`: a file has no link. */
export interface Links<A, E, F> {
  /**
   * The last answer about an analysis.
   *
   * @param about - the files of which it has to be fresh
   */
  readonly answer: (analysisId: string, about: (answer: A) => ReadonlyArray<string>) => Effect.Effect<A, E>
  /**
   * A link of exactly one file.
   *
   * @param maxAge - how long ago it may have been asked for: for somebody who can have it renewed, ten minutes
   */
  readonly lend: (file: WantedFile, maxAge?: Duration.Input) => Effect.Effect<LentLink<E | F>, E | F>
  /** Makes the next question about this analysis a request to the service. */
  readonly forget: (analysisId: string) => Effect.Effect<void>
  /** Takes an answer that somebody else was given. */
  readonly learn: (answer: A) => Effect.Effect<void>
  /** Of how many files a link is held that is given out without a question. */
  readonly linksHeld: Effect.Effect<number>
}

export interface LinksOptions<A, E, W, F> {
  /** Asks the service about an analysis. */
  readonly ask: (analysisId: string) => Effect.Effect<A, E>
  /** The error of a file that has no link by this answer. */
  readonly noLink: (why: NoLink, file: WantedFile, answer: A) => F
  readonly queue?: LinkQueue<W>
  /** Answers that are there from the begin on. */
  readonly known?: Iterable<A>
  /** Analyses whose answers are held; the one asked for longest ago is dropped first. */
  readonly most?: number
  /** A link is given out once, and not kept: of ten thousand files nothing is held that is done. */
  readonly once?: boolean
}

/** What an answer says of a file. `Given`: it had a link, which was given out and is not kept. */
type HeldFile = { readonly freshUntil: number } & (
  | { readonly state: "Linked"; readonly link: Redacted.Redacted; readonly size: number | null }
  | { readonly state: Exclude<NoLink, "Missing"> | "Given" }
)

/** One answer of the service; times in ms since 1970. */
interface HeldAnswer<A> {
  readonly answer: A
  readonly generation: number
  readonly heldSince: number
  /** By name. */
  readonly files: Map<string, HeldFile>
}

/** How long an answer counts of a file, in ms. */
const freshFor = {
  /** From the question on, for who can have the link renewed: it lives for an hour or more. */
  link: Duration.toMillis("10 minutes"),
  /** The file may be back at any time, so this is for those who ask at the same time. */
  archived: Duration.toMillis("5 seconds"),
  /** Tools look for indexes under names that are not listed, each time they open a file. */
  missing: Duration.toMillis("30 seconds")
}

export const makeLinks = Effect.fnUntraced(function* <
  A extends LinkAnswer,
  F,
  E extends Refusal = never,
  W extends Refusal = never
>({
  ask,
  known = [],
  most = Number.POSITIVE_INFINITY,
  noLink,
  once = false,
  queue
}: LinksOptions<A, E, W, F>): Effect.fn.Return<Links<A, E | W, F>> {
  /** By analysis, the newest last. */
  const answers = new Map<string, HeldAnswer<A>>()
  let generation = 0

  const hold = (answer: A) =>
    Effect.map(Clock.currentTimeMillis, (now): HeldAnswer<A> => {
      const held = { answer, generation: ++generation, files: filesOf(answer, now), heldSince: now }
      answers.delete(answer.listed.analysisId)
      answers.set(answer.listed.analysisId, held)
      for (const oldest of answers.keys()) {
        if (answers.size <= most) break
        answers.delete(oldest)
      }
      return held
    })
  yield* Effect.forEach(known, hold, { discard: true })

  const next = yield* sharedAsk((analysisId: string) => Effect.flatMap(ask(analysisId), hold), {
    queue,
    isKnown: (analysisId) => answers.has(analysisId)
  })

  /** The answer that is held when it `counts`; else the next. */
  const current = Effect.fnUntraced(function* (
    analysisId: string,
    counts: (held: HeldAnswer<A>, now: number) => boolean
  ): Effect.fn.Return<HeldAnswer<A>, E | W> {
    const held = answers.get(analysisId)
    return held !== undefined && counts(held, yield* Clock.currentTimeMillis) ? held : yield* next(analysisId)
  })

  const lend = Effect.fnUntraced(function* (wanted: WantedFile, maxAge: Duration.Input = freshFor.link) {
    const { analysisId, fileName } = wanted
    /** Generation of the link that was lent last: who wants one more was refused with it. */
    let refused = 0
    const lendNext: Effect.Effect<Required<FreshLink>, E | W | F> = Effect.gen(function* () {
      const held = yield* current(
        analysisId,
        (held, now) =>
          held.generation > refused &&
          isFresh(held, fileName, now) &&
          now - held.answer.askedAt < Duration.toMillis(maxAge)
      )
      const file = held.files.get(fileName)
      // Somebody else who waited for this answer was first.
      if (file?.state === "Given") return yield* lendNext
      if (file?.state !== "Linked") return yield* Effect.fail(noLink(file?.state ?? "Missing", wanted, held.answer))
      refused = held.generation
      if (once) {
        held.files.set(fileName, { state: "Given", freshUntil: 0 })
        if (linksIn(held).length === 0) answers.delete(analysisId)
      }
      return { link: file.link, size: file.size, askedAt: held.answer.askedAt }
    })
    const { link, size } = yield* lendNext
    return { link, size, renewLink: lendNext }
  })

  return {
    answer: (analysisId, about) =>
      Effect.map(
        current(analysisId, (held, now) => about(held.answer).every((name) => isFresh(held, name, now))),
        ({ answer }) => answer
      ),
    lend,
    forget: (analysisId) => Effect.sync(() => void answers.delete(analysisId)),
    learn: (answer) => Effect.asVoid(hold(answer)),
    linksHeld: Effect.map(Clock.currentTimeMillis, (now) =>
      [...answers.values()].reduce((sum, held) => sum + linksIn(held).filter((file) => now < file.freshUntil).length, 0)
    )
  }
})

const filesOf = ({ askedAt, links, listed }: LinkAnswer, now: number): Map<string, HeldFile> => {
  const files = new Map<string, HeldFile>()
  for (const { archived, fileName, size } of listed.files) {
    if (fileName === null) continue
    const link = links.get(fileName)
    if (files.has(fileName)) files.set(fileName, { state: "Several", freshUntil: now + freshFor.missing })
    else if (archived || link === undefined)
      files.set(fileName, { state: archived ? "Archived" : "Unlinked", freshUntil: now + freshFor.archived })
    else files.set(fileName, { state: "Linked", link, size, freshUntil: askedAt + freshFor.link })
  }
  return files
}

const isFresh = ({ answer, files, heldSince }: HeldAnswer<LinkAnswer>, fileName: string, now: number): boolean =>
  // The clock may have gone back.
  now >= answer.askedAt && now < (files.get(fileName)?.freshUntil ?? heldSince + freshFor.missing)

const linksIn = ({ files }: HeldAnswer<LinkAnswer>) => [...files.values()].filter(({ state }) => state === "Linked")

/** Who may ask the service when, where many want to. */
export interface LinkQueue<W> {
  /**
   * Does `work` when its turn has come, and to its end also when nobody waits for it any more.
   *
   * @param known - an older answer is there: such questions come first
   */
  readonly ask: <A, E extends Refusal>(known: boolean, work: Effect.Effect<A, E>) => Effect.Effect<A, E | W>
  /** Waits for an answer, but fails while nobody is answered. */
  readonly wait: <A, E>(answer: Effect.Effect<A, E>) => Effect.Effect<A, E | W>
}

type Refusal = { readonly retryable: boolean; readonly scope: string }

/** How long the service is not asked again about what it does not know, or does not show: such a no may cost a login, as a lost session does. */
export const refusedFor = Duration.minutes(1)
/** Most of these that are remembered. */
const mostRefused = 10_000

interface SharedAskOptions<K, W> {
  readonly queue?: LinkQueue<W> | undefined
  readonly isKnown?: (key: K) => boolean
  /** How long an answer counts; absent, for those alone who wait for it. */
  readonly keptFor?: Duration.Duration
}

/** `ask` that is done once for all who want the same at a time, in the turn of a `queue` if there is one. */
export const sharedAsk = Effect.fnUntraced(function* <K, A, E extends Refusal, W extends Refusal = never>(
  ask: (key: K) => Effect.Effect<A, E>,
  { queue, isKnown = () => false, keptFor = Duration.zero }: SharedAskOptions<K, W>
): Effect.fn.Return<(key: K) => Effect.Effect<A, E | W>> {
  const asking: Cache.Cache<K, A, E | W> = yield* Cache.makeWith(
    (key: K) => {
      if (queue === undefined) return ask(key)
      // The queue asks to the end, but a cache lets go of what nobody waits for, and whoever came next would ask once more. So somebody waits.
      const waiter = Effect.forkChild(Effect.exit(Cache.getOption(asking, key)), { startImmediately: true })
      return queue.ask(isKnown(key), Effect.andThen(waiter, ask(key)))
    },
    {
      capacity: mostRefused,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? keptFor : isFinal(exit) ? refusedFor : Duration.zero)
    }
  )
  return (key) => (queue === undefined ? Cache.get(asking, key) : queue.wait(Cache.get(asking, key)))
})

/** Whether asking again soon brings the same refusal. */
export const isFinal = (exit: Exit.Exit<unknown, Refusal>): boolean =>
  Result.match(Exit.findError(exit), {
    onFailure: () => false,
    onSuccess: ({ retryable, scope }) => !retryable && scope === "analysis"
  })
