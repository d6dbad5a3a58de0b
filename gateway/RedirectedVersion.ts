/** The version of a file whose bytes a reader gets from its link host: for HEAD, which link hosts refuse. */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Hash from "effect/Hash"
import { type BytesError, FileBytes, unknownVersion } from "../core/src/serving/FileBytes.ts"
import { LinkStore, type ServedFile } from "../core/src/serving/LinkStore.ts"
import { LinkHost } from "../core/src/transfer/LinkHost.ts"

/** How long a link host may take to answer while it is not known whether the gateway reaches it. */
const longestLook = Duration.seconds(3)
/** How long it is left alone after that. */
const silence = Duration.minutes(1)
/** Of how many link hosts is known whether they answer. */
const mostHosts = 1000

/** Failures that are no answer of a link host. */
const silent: ReadonlySet<BytesError["_tag"]> = new Set([
  "ServiceAway",
  "SvcUnavailable",
  "SvcTlsRefused",
  "SvcProxyRefused"
])

/** Whether a link host answers, found out with one of its files: whichever came first. */
class Look implements Equal.Equal {
  readonly file: ServedFile
  readonly host: string
  constructor(host: string, file: ServedFile) {
    this.file = file
    this.host = host
  }
  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Look && that.host === this.host
  }
  [Hash.symbol](): number {
    return Hash.string(this.host)
  }
}

export const makeRedirectedVersion = Effect.gen(function* () {
  const store = yield* LinkStore
  const bytes = yield* FileBytes
  const links = yield* LinkHost

  const answers = yield* Cache.makeWith(
    ({ file }: Look) =>
      bytes.version(file).pipe(
        Effect.as(true),
        // Whatever it says of this file, it is there.
        Effect.catch(({ _tag }) => Effect.succeed(!silent.has(_tag))),
        Effect.timeoutOrElse({ duration: longestLook, orElse: () => Effect.succeed(false) })
      ),
    {
      capacity: mostHosts,
      timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value ? Duration.infinity : silence)
    }
  )

  /**
   * A reader may reach a link host that the gateway does not, so as long as it has not answered, the size alone will do. Afterwards a
   * failure is one: a reader would take a file without its tag for another one.
   */
  return Effect.fnUntraced(function* (file: ServedFile) {
    const { size } = file
    // Of an empty file no link host is asked.
    if (size === null || size === 0) return yield* bytes.version(file)
    const { link } = yield* store.lend(file)
    const { host } = new URL(yield* links.approve({ file: file.fileName, link }))
    const reached = yield* Cache.get(answers, new Look(host, file))
    return reached ? yield* bytes.version(file) : { ...unknownVersion, size }
  })
})
