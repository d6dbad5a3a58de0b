/** What a run works with, of which a test gives what it is about: the engines, and links to lend. */
import { Effect, Layer, Redacted } from "effect"
import type { RunLinks } from "../../core/src/download/RunLinks.ts"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import { SliceTransfer } from "../../core/src/transfer/SliceTransfer.ts"

/** A file of 100 bytes that came. */
export const came = {
  action: "downloaded" as const,
  bytes: 100,
  resumedFrom: 0,
  sha256: "ab",
  attempts: 1,
  renewals: 0,
  provenBy: null
}

export interface Engines {
  readonly whole?: FileTransfer["Service"]["download"]
  readonly cut?: SliceTransfer["Service"]["download"]
  readonly estimate?: SliceTransfer["Service"]["estimate"]
  readonly index?: FileTransfer["Service"]["index"]
}

/** What is not given is not asked for, but for indexes, of which none is made. */
export const engines = ({
  cut = () => Effect.die("no slice"),
  estimate = () => Effect.die("nothing is estimated"),
  index = () => Effect.succeed(null),
  whole = () => Effect.die("no whole file")
}: Engines) =>
  Layer.merge(
    Layer.succeed(FileTransfer, {
      download: whole,
      vouch: () => Effect.succeed(true),
      index,
      tidy: () => Effect.void
    }),
    Layer.succeed(SliceTransfer, {
      download: cut,
      estimate,
      tidy: () => Effect.void
    })
  )

/** Lends a first link to each file, and renews it with a second one. */
export const lending: RunLinks = {
  lend: ({ fileName }) => {
    const link = (nth: string) => ({ link: Redacted.make(`${nth} ${fileName}`), size: 7 })
    return Effect.succeed({ ...link("first"), renewLink: Effect.succeed(link("second")) })
  }
}
