/**
 * The disk under a transfer: the hidden files beside a final name, and the commit that gives the name away.
 *
 * ```
 * out/sample.bam                          the final name: whole, or not there
 * out/.sample.bam.1f0c93ab.part           the bytes that came so far, with holes
 * out/.sample.bam.1f0c93ab.part.json      the journal: which bytes these are (PartJournal.ts)
 * out/.sample.bam.1f0c93ab.part.lock      the claim of the run that writes them
 * ```
 *
 * The interface only; `platform/files/NodePartFiles.ts` does it on Node.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Busy, CannotCreate, LocalIo } from "../Errors.ts"
import { longestLockMark, shortened } from "../selection/FileName.ts"
import type { Algorithm, Digests } from "./Digests.ts"
import type { PartReader } from "./TransferRequest.ts"

/** The names of one transfer, all in one directory so that a rename never crosses file systems. */
export interface PartPlace {
  readonly directory: string
  readonly name: string
  readonly part: string
  readonly journal: string
  readonly lock: string
}

/** An open part file. Offsets and lengths in bytes; nothing under the final name changes before `commit`. */
export interface PartFile {
  /** Bytes that it occupied on the disk when it was opened. */
  readonly allocated: number
  readonly write: (offset: number, bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  /** Exactly `length` bytes, fewer only at the end of the file; in `room` where it is given, which must hold them. */
  readonly read: (offset: number, length: number, room?: Uint8Array) => Effect.Effect<Uint8Array, LocalIo>
  /** Returns when everything written so far survives a power cut. */
  readonly sync: Effect.Effect<void, LocalIo>
  /** Promises that the bytes before `frontier` are written and final, so that hashing can follow the download. */
  readonly finalUpTo: (frontier: number, algorithms: ReadonlyArray<Algorithm>) => Effect.Effect<void>
  /** Digests of the first `size` bytes. */
  readonly digests: (size: number, algorithms: ReadonlyArray<Algorithm>) => Effect.Effect<Digests, LocalIo>
  /** Fails as `commit` does where the final name is taken, or is that of something that is no file. */
  readonly checkName: (overwrite: boolean) => Effect.Effect<void, CannotCreate | LocalIo>
  /**
   * Gives the part its final name: cuts it to `size`, syncs, sets the mode of the user's umask, links or renames,
   * syncs the directory, removes the journal. Without `overwrite` an existing file is never replaced, and a failure
   * leaves no final name.
   */
  readonly commit: (size: number, overwrite: boolean) => Effect.Effect<void, CannotCreate | LocalIo>
}

/**
 * Random access to the first `size` bytes of a part. A read asks for no more than what is left of them, so that reading an
 * index of a few bytes takes no large buffer.
 */
export const readerOfPart = (part: Pick<PartFile, "read">, size: number): PartReader => ({
  size,
  read: (offset, length) => part.read(offset, Math.max(0, Math.min(length, size - offset)))
})

/** A file that was there when it was opened. */
export interface FileBeside extends PartReader {
  /** Its name is still that of this file, and nothing was written to it since. */
  readonly unchanged: Effect.Effect<boolean, CannotCreate | LocalIo>
}

export class PartFiles extends Context.Service<
  PartFiles,
  {
    /** The same place, or one of this user alone where the part there is that of another user and may not be written. */
    readonly ours: (place: PartPlace) => Effect.Effect<PartPlace>
    /**
     * Claims the part until the scope closes, against other processes too; `Busy` at once when a living run has it. A claim is
     * advice: a transfer stays correct when two processes hold the same one (`checkOwnership` in OpenPart.ts).
     */
    readonly claim: (place: PartPlace) => Effect.Effect<void, Busy | CannotCreate | LocalIo, Scope.Scope>
    /** Removes the claim of a run that was killed. */
    readonly clearClaim: (place: PartPlace) => Effect.Effect<void>
    /** SHA-256 of a text, in hex. */
    readonly fingerprint: (text: string) => Effect.Effect<string>
    /**
     * Size of the regular file under the final name, null when there is none; anything else there is refused. Clears
     * away what a crash in the middle of a commit left.
     */
    readonly settleExisting: (place: PartPlace) => Effect.Effect<number | null, CannotCreate | LocalIo>
    /** True where a regular file has that name; anything else there is refused. */
    readonly isThere: (directory: string, name: string) => Effect.Effect<boolean, CannotCreate | LocalIo>
    /** Opens the regular file of that name until the scope closes; null when there is none. */
    readonly beside: (directory: string, name: string) => Effect.Effect<FileBeside | null, LocalIo, Scope.Scope>
    /** Bytes free for this user on the file system of the directory, null when it cannot say. */
    readonly free: (place: Pick<PartPlace, "directory">) => Effect.Effect<number | null>
    /** Opens the part that is there (null when there is none that may be trusted). */
    readonly reopen: (place: PartPlace) => Effect.Effect<PartFile | null, CannotCreate | LocalIo, Scope.Scope>
    /** Starts an empty part in place of whatever part was there; its journal is gone before the old part is. */
    readonly create: (place: PartPlace) => Effect.Effect<PartFile, CannotCreate | LocalIo, Scope.Scope>
    /** The journal's text, null when there is none. */
    readonly readJournal: (place: PartPlace) => Effect.Effect<string | null, CannotCreate | LocalIo>
    /** Replaces the journal as a whole: readers see the old or the new one. */
    readonly writeJournal: (place: PartPlace, text: string) => Effect.Effect<void, CannotCreate | LocalIo>
    /** Removes the file under the final name, durably: what takes its place must never be taken for it. */
    readonly withdraw: (place: PartPlace) => Effect.Effect<void, CannotCreate | LocalIo>
    /** Removes part and journal. */
    readonly discard: (place: PartPlace) => Effect.Effect<void, LocalIo>
    /** Digest of a file that is there already. */
    readonly digest: (
      directory: string,
      name: string,
      algorithm: Algorithm
    ) => Effect.Effect<string, CannotCreate | LocalIo>
    /** Puts a small text file in place as a whole. */
    readonly replaceText: (directory: string, name: string, text: string) => Effect.Effect<void, CannotCreate | LocalIo>
    /** Returns when the names in a folder survive a power cut, those that are gone too; never fails: a courtesy. */
    readonly syncFolder: (directory: string) => Effect.Effect<void>
  }
>()("svc-steps/core/transfer/PartFiles") {}

/**
 * The text whose SHA-256 is the identity of a remote file. Its size is no part of it: the part of a version that the service
 * has replaced since would have a name of its own, and nothing would ever clear it away.
 */
export const identityText = (file: {
  readonly target: string
  readonly analysisId: string
  readonly fileName: string
}): string => JSON.stringify([file.target, file.analysisId, file.fileName])

/** A name shortened so that what is appended to it still fits. */
export const partStem = (name: string): string => shortened(name, "..12345678.part".length + longestLockMark)

const placeWith = (directory: string, name: string, mark: string): PartPlace => {
  const part = `.${partStem(name)}.${mark}.part`
  return { directory, name, part, journal: `${part}.json`, lock: `${part}.lock` }
}

/** The place of the same file with other hidden names. */
export const withMark = ({ directory, name }: PartPlace, mark: string): PartPlace => placeWith(directory, name, mark)

/** The hidden names beside `name`; a long name is shortened, the identity keeps it apart. */
export const placeOf = (directory: string, name: string, identity: string): PartPlace =>
  placeWith(directory, name, identity.slice(0, 8))

/** What earlier runs left beside `name`, out of the names in its directory. */
export const leftBeside = (directory: string, name: string, names: ReadonlyArray<string>): ReadonlyArray<PartPlace> => {
  const stem = `.${partStem(name)}.`
  const marks = names.flatMap((other) =>
    other.startsWith(stem) ? (/^([0-9a-f]{8})\.part(?:$|\.)/.exec(other.slice(stem.length))?.[1] ?? []) : []
  )
  return [...new Set(marks)].map((mark) => placeWith(directory, name, mark))
}
