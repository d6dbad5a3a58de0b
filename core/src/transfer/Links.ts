/**
 * The links of analyses, for all who need them: a run and a gateway.
 *
 * The last answer of the service about an analysis is held. What it says of a file counts while that is fresh; then the service is
 * asked again, once for all who wait, and what else the old answer says stays in use meanwhile. Each answer has a number, its
 * generation: whoever was refused with a link gets one of a later generation, which is asked for unless somebody else did.
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

/** What is known of an analysis, its links among it. */
export interface LinkAnswer {
  readonly listed: {
    readonly id: string
    readonly files: ReadonlyArray<Pick<HeldFile, "size" | "archived"> & { readonly fileName: string | null }>
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
   * What is known of an analysis.
   *
   * @param about - the files of which it has to be fresh
   */
  readonly answer: (analysisId: string, about: (answer: A) => ReadonlyArray<string>) => Effect.Effect<A, E>
  /**
   * A link of exactly one file.
   *
   * @param longest - how long ago it may have been asked for: for somebody who can have it renewed, ten minutes
   */
  readonly lend: (file: WantedFile, longest?: Duration.Input) => Effect.Effect<LentLink<E | F>, E | F>
  /** Makes the next question about this analysis a request to the service. */
  readonly forget: (analysisId: string) => Effect.Effect<void>
  /** Takes an answer that somebody else was given. */
  readonly learn: (answer: A) => Effect.Effect<void>
  /** Of how many files a link is held that is given out without a question. */
  readonly held: Effect.Effect<number>
}

/** Who may ask the service when, where many want to. */
export interface LinkQueue<W> {
  /** Does `work` when its turn has come, and to its end also when nobody waits for it any more. */
  readonly ask: <A, E extends Refusal>(known: boolean, work: Effect.Effect<A, E>) => Effect.Effect<A, E | W>
  /** What each one who waits for an answer waits at most while nobody is answered. */
  readonly wait: <A, E>(answer: Effect.Effect<A, E>) => Effect.Effect<A, E | W>
}

type Refusal = { readonly retryable: boolean; readonly scope: string }

export interface LinksOptions<A, E, W, F> {
  /** Asks the service about an analysis. */
  readonly ask: (analysisId: string) => Effect.Effect<A, E>
  /** The error of a file that has no link by this answer. */
  readonly noLink: (no: NoLink, file: WantedFile, answer: A) => F
  readonly queue?: LinkQueue<W>
  readonly held?: Iterable<A>
  /** Analyses that are held; the one asked for longest ago is dropped first. */
  readonly most?: number
  /** A link is given out once, and not kept: of ten thousand files nothing is held that is done. */
  readonly once?: boolean
}

/** Links are given out no longer than this after they were asked for, to who can have them renewed: they live for an hour or more. */
const givenFor = Duration.toMillis("10 minutes")
/** An archived file may be back at any time, so what is known of it is kept only for those who ask at the same time. */
const archivedFor = Duration.toMillis("5 seconds")
/** Tools look for indexes under names that are not listed, each time they open a file. */
const missingFor = Duration.toMillis("30 seconds")
/** How long the service is not asked again about what it does not know, or does not show. */
export const unknownFor = Duration.minutes(1)
/** Most of them that are remembered. */
const mostUnknown = 10_000

interface HeldFile {
  /** Bytes. */
  readonly size: number | null
  readonly archived: boolean
  readonly link: Redacted.Redacted | null
  /** Its link was given out, and is not kept. */
  readonly given: boolean
  /** Until when this counts, in ms since 1970. */
  readonly freshUntil: number
}

/** One answer of the service. */
interface Held<A> {
  readonly answer: A
  readonly generation: number
  /** In ms since 1970. */
  readonly since: number
  /** By name; null for the name of several. */
  readonly files: ReadonlyMap<string, HeldFile | null>
}

export const makeLinks = Effect.fnUntraced(function* <
  A extends LinkAnswer,
  F,
  E extends Refusal = never,
  W extends Refusal = never
>({
  ask,
  held: known = [],
  most = Number.POSITIVE_INFINITY,
  noLink,
  once = false,
  queue
}: LinksOptions<A, E, W, F>): Effect.fn.Return<Links<A, E | W, F>> {
  const answers = new Map<string, Held<A>>()
  let generation = 0

  const hold = (answer: A, now: number): Held<A> => {
    const held = { answer, generation: ++generation, since: now, files: filesOf(answer, now) }
    // The newest comes last.
    answers.delete(answer.listed.id)
    answers.set(answer.listed.id, held)
    for (const oldest of answers.keys()) {
      if (answers.size <= most) break
      answers.delete(oldest)
    }
    return held
  }
  const begun = yield* Clock.currentTimeMillis
  for (const answer of known) hold(answer, begun)

  const askNext = (analysisId: string) =>
    Effect.flatMap(ask(analysisId), (answer) => Effect.map(Clock.currentTimeMillis, (now) => hold(answer, now)))

  const asking: Cache.Cache<string, Held<A>, E | W> = yield* Cache.makeWith(
    (analysisId: string) => {
      const work = askNext(analysisId)
      return queue === undefined ? work : queue.ask(answers.has(analysisId), awaited(asking, analysisId, work))
    },
    { capacity: mostUnknown, timeToLive: (exit) => (isNo(exit) ? unknownFor : Duration.zero) }
  )

  /** The answer that is held when it `counts`; else the next. */
  const current = Effect.fnUntraced(function* (
    analysisId: string,
    counts: (held: Held<A>, now: number) => boolean
  ): Effect.fn.Return<Held<A>, E | W> {
    const held = answers.get(analysisId)
    if (held !== undefined && counts(held, yield* Clock.currentTimeMillis)) return held
    const answer = Cache.get(asking, analysisId)
    return yield* queue === undefined ? answer : queue.wait(answer)
  })

  const lend = Effect.fnUntraced(function* ({ analysisId, fileName }: WantedFile, longest: Duration.Input = givenFor) {
    let last = 0
    const counts = (held: Held<A>, now: number) =>
      held.generation > last && isFresh(held, fileName, now) && now - held.answer.askedAt < Duration.toMillis(longest)
    const next: Effect.Effect<Required<FreshLink>, E | W | F> = Effect.gen(function* () {
      const held = yield* current(analysisId, counts)
      const file = held.files.get(fileName)
      // Somebody else who waited for this answer was first.
      if (file?.given === true) return yield* next
      if (file == null || file.link === null) {
        return yield* Effect.fail(noLink(whyNot(file), { analysisId, fileName }, held.answer))
      }
      const { link, size } = file
      last = held.generation
      if (once) {
        Object.assign(file, { link: null, given: true, freshUntil: 0 })
        if (linksIn(held, () => true) === 0) answers.delete(analysisId)
      }
      return { link, size, askedAt: held.answer.askedAt }
    })
    const { link, size } = yield* next
    return { link, size, renewLink: next }
  })

  return {
    answer: (analysisId, about) =>
      Effect.map(
        current(analysisId, (held, now) => about(held.answer).every((name) => isFresh(held, name, now))),
        ({ answer }) => answer
      ),
    lend,
    forget: (analysisId) => Effect.sync(() => void answers.delete(analysisId)),
    learn: (answer) => Effect.map(Clock.currentTimeMillis, (now) => void hold(answer, now)),
    held: Effect.map(Clock.currentTimeMillis, (now) => {
      let links = 0
      for (const held of answers.values()) links += linksIn(held, (until) => now < until)
      return links
    })
  }
})

const whyNot = (file: HeldFile | null | undefined): NoLink =>
  file === undefined ? "Missing" : file === null ? "Several" : file.archived ? "Archived" : "Unlinked"

const filesOf = ({ askedAt, links, listed }: LinkAnswer, now: number) => {
  const files = new Map<string, HeldFile | null>()
  for (const { archived, fileName, size } of listed.files) {
    if (fileName === null) continue
    const link = archived ? null : (links.get(fileName) ?? null)
    const freshUntil = link === null ? now + archivedFor : askedAt + givenFor
    files.set(fileName, files.has(fileName) ? null : { size, archived, link, given: false, freshUntil })
  }
  return files
}

const isFresh = ({ answer, files, since }: Held<LinkAnswer>, fileName: string, now: number): boolean =>
  // The clock may have gone back.
  now >= answer.askedAt && now < (files.get(fileName)?.freshUntil ?? since + missingFor)

const linksIn = ({ files }: Held<LinkAnswer>, counts: (freshUntil: number) => boolean): number => {
  let links = 0
  for (const file of files.values()) if (file !== null && file.link !== null && counts(file.freshUntil)) links++
  return links
}

/**
 * `work` of a queue, whose result `cache` gives for `key`. It goes on when nobody waits for it; but a cache lets go of what nobody waits
 * for, and whoever came next would ask once more. So somebody waits from its begin on.
 */
export const awaited = <K, A, E, R>(cache: Cache.Cache<K, A, E>, key: K, work: Effect.Effect<A, E, R>) =>
  Effect.andThen(Effect.forkChild(Effect.exit(Cache.getOption(cache, key)), { startImmediately: true }), work)

/** Whether the service has refused to tell, so that asking again soon brings the same. */
export const isNo = (exit: Exit.Exit<unknown, Refusal>): boolean =>
  Result.match(Exit.findError(exit), {
    onFailure: () => false,
    onSuccess: ({ retryable, scope }) => !retryable && scope === "analysis"
  })
