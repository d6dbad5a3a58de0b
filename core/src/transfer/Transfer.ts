/**
 * The way of a file to its final name, the same for a whole file and for a slice: it gets the name whole and right, or not at
 * all.
 *
 * ```
 * is it there? -> claim -> is it there by now? -> attempt -> final name
 *      |                          |                ^   |
 *      +-> its checksum <---------+                +---+  begin again: the remote file changed
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { FileDamaged, type LocalIo, type TransferError } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { unsafeName } from "../selection/FileName.ts"
import { LinkHost } from "./LinkHost.ts"
import { LinkPool } from "./LinkPool.ts"
import { PartFiles, type PartPlace } from "./PartFiles.ts"
import type { TransferProgress } from "./TransferRequest.ts"
import { Restart } from "./VersionWatch.ts"

/** What all transfers of a run share; span, annotations and logger are those of whoever calls. */
export type TransferServices = LinkHost | LinkPool | PartFiles | Codec
export const pickServices = Context.pick(LinkHost, LinkPool, PartFiles, Codec)

/** How often a remote file may change while it is downloaded before it is given up. */
const mostChanges = 2

/** `exists`: the file was there already and is kept; nothing was asked of the link host. */
export interface Outcome {
  readonly action: "downloaded" | "exists"
}

/** What is said of an outcome before `bring` adds what it took. */
export type Bare<O, T> = O extends unknown ? Omit<O, keyof T> : never

/** What stands under the final name. */
export type Standing<O, Found> =
  | { readonly _tag: "Kept"; readonly outcome: O }
  /** A file is to be brought; `found` is what an attempt has to know of the one that stands there. */
  | { readonly _tag: "Wanted"; readonly found: Found }

/** What was asked of link hosts so far: requests, and links asked for again. */
export interface Traffic {
  readonly attempts: number
  readonly renewals: number
}

/** Which attempt it is. */
export interface Turn {
  /** What an earlier attempt left must not be used. */
  readonly anew: boolean
  /** When the remote file changes once more, it is given up. */
  readonly last: boolean
}

/** What is brought, a whole file or a slice, and how. */
export interface Content<O extends Outcome, Found, T extends Traffic> {
  readonly place: PartPlace
  /** The name of the remote file, for messages. */
  readonly fileName: string
  readonly overwrite: boolean
  readonly progress: (event: TransferProgress) => Effect.Effect<void>
  /** Looks at what stands under the final name, and refuses what is neither kept nor replaced. */
  readonly standing: Effect.Effect<Standing<O, Found>, TransferError, PartFiles>
  /** Fetches one version of the remote file, checks it, and gives it its final name. */
  readonly attempt: (turn: Turn, found: Found) => Effect.Effect<O, TransferError | Restart, TransferServices>
  /** Says that the remote file changed so many times, for a message. */
  readonly changed: (times: number) => string
  /** Removes what attempts left. */
  readonly discard: Effect.Effect<void, LocalIo, PartFiles>
  /** Compares the checksums beside a file that is kept. */
  readonly vouch: Effect.Effect<unknown, TransferError, TransferServices>
  readonly traffic: Effect.Effect<T>
}

/** Brings a file to its final name, or keeps what is there. */
export const bring = Effect.fnUntraced(function* <O extends Outcome, Found, T extends Traffic>(
  content: Content<O, Found, T>
): Effect.fn.Return<O & T, TransferError, TransferServices> {
  const files = yield* PartFiles
  const { overwrite, place, progress, traffic, vouch } = content
  const unsafe = unsafeName(place.name)
  if (unsafe !== null) return yield* unsafe
  const claimed = Effect.andThen(
    files.claim(place),
    // Another run may have completed the file while this one waited for the claim.
    unlessKept(content, (found) => untilNamed(content, found))
  ).pipe(Effect.scoped)
  // What is replaced in any case is not looked at before the claim.
  const outcome = yield* (overwrite ? claimed : unlessKept(content, () => claimed)).pipe(
    Effect.tapError(() =>
      Effect.flatMap(traffic, ({ attempts, renewals }) => progress({ _tag: "GivenUp", attempts, renewals }))
    )
  )
  if (outcome.action === "exists") {
    yield* files.clearClaim(place)
    yield* vouch
  }
  const sum = yield* traffic
  yield* Effect.annotateCurrentSpan({ "svc.attempts": sum.attempts })
  return { ...outcome, ...sum }
})

const unlessKept = <O extends Outcome, Found, T extends Traffic>(
  { standing }: Content<O, Found, T>,
  otherwise: (found: Found) => Effect.Effect<O, TransferError, TransferServices>
): Effect.Effect<O, TransferError, TransferServices> =>
  Effect.flatMap(standing, (now) => (now._tag === "Wanted" ? otherwise(now.found) : Effect.succeed(now.outcome)))

/** Attempts until the file has its name. When the remote file changed, the next attempt begins anew. */
const untilNamed = Effect.fnUntraced(function* <O extends Outcome, Found, T extends Traffic>(
  { attempt, changed, discard, fileName, progress }: Content<O, Found, T>,
  found: Found
): Effect.fn.Return<O, TransferError, TransferServices> {
  for (let changes = 0; ; ) {
    const turn = { anew: changes > 0, last: changes === mostChanges }
    const outcome = yield* Effect.catchTag(attempt(turn, found), "Restart", Effect.succeed<Restart>)
    if (!(outcome instanceof Restart)) return outcome
    yield* progress({ _tag: "Restarting", reason: outcome.reason })
    changes++
    if (changes > mostChanges) {
      yield* discard
      const reason = `${changed(changes)}: ${outcome.reason}`
      return yield* new FileDamaged({ file: fileName, fault: "Changing", reason })
    }
  }
})

/** Clears away what a killed run left beside a file that is whole. Without the claim the run may still be alive, and nothing is touched. */
export const tidy = (
  place: PartPlace,
  clear: Effect.Effect<void, TransferError, PartFiles>
): Effect.Effect<void, never, PartFiles> =>
  PartFiles.use(({ claim }) => Effect.andThen(claim(place), clear)).pipe(Effect.scoped, Effect.ignore)
