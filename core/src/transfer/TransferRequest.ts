/**
 * What is asked of a transfer, what it reports while it runs, and its outcome. The steps need the types alone.
 */
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { FileDamaged, InArchive, LocalIo, ServiceError } from "../Errors.ts"
import type { Check, ChecksumKind } from "../selection/FileName.ts"
import { algorithms } from "./Digests.ts"

/** A link asked for again, with the size that the listing gives now. */
export interface FreshLink {
  readonly link: Redacted.Redacted
  readonly size: number | null
  /** When it was asked for, in ms since 1970; just now when it is left out. */
  readonly askedAt?: number
}

const size = Schema.NullOr(Schema.Int)

/**
 * What a running transfer reports, for a progress bar and the log; never with a link in it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TransferProgress = Schema.TaggedUnion({
  Started: { size, resumedFrom: Schema.Int },
  Bytes: { done: Schema.Int, size },
  Retrying: { reason: Schema.String, milliseconds: Schema.Finite },
  Renewing: { reason: Schema.String },
  Restarting: { reason: Schema.String },
  /** Bytes of an earlier run are fetched again, since the unfinished file does not hold them any more. */
  Refetching: { bytes: Schema.Int, reason: Schema.String },
  /** The last event of a transfer that fails: how many requests and renewals of the link it made. */
  GivenUp: { attempts: Schema.Int, renewals: Schema.Int }
})
export type TransferProgress = typeof TransferProgress.Type

/** Random access to a part that has all its bytes. */
export interface PartReader {
  readonly size: number
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, LocalIo>
}

/**
 * `structure`: a BAM, VCF or index must be what its name says, whole at both ends, and an index fit the data file beside
 * it. `content`: also every byte, by a digest that the link host states or else by the CRC-32 of each block. `full`: also every
 * record, and that an index leads to all of them. `none`: only the size is compared. A function is a check of the caller's own in
 * place of these. Digests that the link host states are compared in any case.
 */
export type TransferCheck = Check | "none" | ((part: PartReader) => Effect.Effect<unknown, FileDamaged | LocalIo>)

/** One file to bring, where from and where to. */
export interface TransferRequest {
  /** `target`, `analysisId` and `fileName` are the identity of the remote file. */
  readonly target: string
  readonly analysisId: string
  readonly fileName: string
  readonly directory: string
  /** The final name in `directory`. */
  readonly name: string
  readonly overwrite: boolean
  /** Bytes, from the listing. */
  readonly size: number | null
  readonly link: Redacted.Redacted
  /** Asks the service for the link again. */
  readonly renewLink: Effect.Effect<FreshLink, ServiceError | InArchive>
  /** What the complete file must pass before it gets its final name; `content` when it is left out. */
  readonly check?: TransferCheck
  /** Puts a checksum beside the file, in coreutils' form: `NAME.md5` or `NAME.sha256`. */
  readonly checksums?: ChecksumKind | null
  /** An index is made of the file once it has its name, so none of older data may lie beside it then. */
  readonly makesIndex?: boolean
  readonly progress: (event: TransferProgress) => Effect.Effect<void>
}

/**
 * By what a file is proven, the strongest: its records, a digest that the link host states, the CRC-32 of its blocks, its structure, its
 * size.
 */
export const Proof = Schema.Literals(["records", ...algorithms, "blocks", "structure", "size"])
export type Proof = typeof Proof.Type

/** What became of a file, and what it took. Sizes in bytes. */
export type TransferOutcome = TransferFigures &
  (
    | { readonly action: "downloaded" /** Hex. */; readonly sha256: string }
    /** A file was there and `overwrite` is false; nothing was asked of the link host. */
    | { readonly action: "exists"; readonly sha256: null }
  )

interface TransferFigures {
  /** Size of the file under the final name. */
  readonly bytes: number
  /** Bytes taken over from an earlier run. */
  readonly resumedFrom: number
  /** Null where nothing is known to compare with, and of a file that was there. */
  readonly provenBy: Proof | null
  /** Requests to link hosts. */
  readonly attempts: number
  readonly renewals: number
}
