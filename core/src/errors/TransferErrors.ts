/** A file from a link host: its link, or its bytes. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { AnalysisId } from "../contract/Ids.ts"
import { printable } from "../text/Printable.ts"
import { InArchive } from "./ArchiveErrors.ts"
import type { Busy, CannotCreate, FileDiffers, LocalIo, UnsafeName } from "./DiskErrors.ts"
import { NotFound, type ServiceError } from "./ServiceErrors.ts"

/**
 * A fresh link was refused as well.
 *
 * @category errors
 * @since 0.1.0
 */
export class LinkForbidden extends Schema.TaggedError<LinkForbidden>()("SvcLinkForbidden", {
  file: Schema.String,
  host: Schema.String,
  status: Schema.Int,
  /** Why, in the word of the store, such as `AccessDenied`. */
  code: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 77
  readonly retryable = false
  readonly advice = "linkOfService"
  readonly scope = "file"
  override get message() {
    const status = statusWord(this.status, this.code ?? null)
    return `${this.file}: ${this.host} refuses its link (status ${status}), also after renewing it`
  }
}

/** What the words of stores mean that do not say it themselves. */
const codeMeanings: Readonly<Record<string, string>> = {
  InvalidObjectState: "it lies in the archive of the store, whatever the service lists",
  BlobArchived: "it lies in the archive of the store, whatever the service lists",
  Archived: "it lies in the archive, as the gateway knows",
  BlobBeingRehydrated: "it is on its way out of the archive of the store",
  RequestTimeTooSkewed: "the clocks of the service and of the store differ",
  ExpiredToken: "the service signed it with a key that has expired"
}

/** The word of a store for why it refuses, with what it means. */
export const codeWord = (code: string): string => {
  const meaning = codeMeanings[code]
  return meaning === undefined ? code : `${code}: ${meaning}`
}

/** A status, with the word of the store where there is one. */
export const statusWord = (status: number, code: string | null): string =>
  code === null ? String(status) : `${status}, ${codeWord(code)}`

/** A link host that does not honour a link. */
export interface LinkRefusal {
  readonly host: string
  readonly status: number
  readonly code: string | null
}

/** Statuses by which a link host says that there is no such object, whoever asks. */
const gone: ReadonlySet<number> = new Set([404, 410])

/** Words by which stores say that an object lies in cold storage (S3, Azure, a gateway of ours), with whatever status. */
const cold: ReadonlySet<string | null> = new Set(["InvalidObjectState", "BlobArchived", "Archived"])

/** True where a store refuses since the object lies in cold storage. */
export const liesCold = (code: string | null): boolean => cold.has(code)

/**
 * What it means that a link host refuses a fresh link of a file as well.
 *
 * @param next - what helps where it lies in cold storage
 */
export const refusedLink = (
  { analysisId, fileName: file }: { readonly analysisId: string; readonly fileName: string },
  { code, host, status }: LinkRefusal
): InArchive | LinkForbidden | LinkProtocol | NotFound => {
  const answer = `${host} answers ${statusWord(status, code)}`
  if (liesCold(code)) {
    const listed = { file: printable(file), analysisId: AnalysisId.make(analysisId) }
    return new InArchive({ ...listed, estimate: null, answer, next: "restoreListed" })
  }
  // It says that the request is wrong, as one to another region is; only of a token that ended it says so too.
  if (status === 400 && !/token/i.test(code ?? "")) {
    return new LinkProtocol({
      file,
      host,
      reason: `answers ${statusWord(status, code)} to its link, also after renewing it`
    })
  }
  return gone.has(status)
    ? new NotFound({ what: file, detail: `${answer} to its link, also after renewing it`, next: "linkOfService" })
    : new LinkForbidden({ file, host, status, ...(code === null ? {} : { code }) })
}

/**
 * The address in a link is one we do not go to; nothing was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("SvcLinkRefused", {
  file: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 77
  readonly retryable = false
  readonly advice = null
  readonly scope = "file"
  override get message() {
    return `${this.file}: its link was not followed: ${this.reason}`
  }
}

/**
 * The link host answered something that cannot be this file: wrong range, encoding, status, redirect. It may be an accident, though it
 * was asked again: more often it speaks so always.
 *
 * @category errors
 * @since 0.1.0
 */
export class LinkProtocol extends Schema.TaggedError<LinkProtocol>()("SvcLinkProtocol", {
  file: Schema.String,
  host: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 69
  readonly retryable = true
  readonly advice = "linkOfService"
  readonly scope = "file"
  override get message() {
    return `${this.file}: ${this.host} ${this.reason}`
  }
}

/**
 * The bytes are complete but wrong; nothing was put under the final name.
 *
 * @category errors
 * @since 0.1.0
 */
export class FileDamaged extends Schema.TaggedError<FileDamaged>()("SvcFileDamaged", {
  file: Schema.String,
  fault: Schema.Literals([
    "Size",
    "Truncated",
    "NotBgzf",
    "BadBlock",
    "BadHeader",
    "BadRecord",
    "BadIndex",
    "IndexMismatch",
    "Changing",
    "Checksum"
  ]),
  reason: Schema.String,
  /**
   * Only fetching over what is there brings other bytes: of a file that was kept or stays, or of a data file and its index or checksum,
   * both. `vain`: fetching has nothing to do with it, or would bring the same bytes.
   */
  overwrite: Schema.optionalKey(Schema.Literals(["kept", "again", "both", "vain"]))
}) {
  override readonly [Runtime.errorExitCode] = 65
  readonly retryable = false
  get advice(): "again" | "damagedAtSource" | "overwrite" | null {
    if (this.overwrite === "vain") return null
    // What is there would be kept, and fail again. Other bytes may come when the file has settled; what is damaged at its source stays so.
    return this.overwrite !== undefined ? "overwrite" : this.fault === "Changing" ? "again" : "damagedAtSource"
  }
  readonly scope = "file"
  override get message() {
    const { file, overwrite, reason } = this
    return `${file}: ${reason}${overwrite === "kept" ? "; it was there before this run" : ""}`
  }
}

/**
 * The run was stopped before the file was whole.
 *
 * @category errors
 * @since 0.1.0
 */
export class Stopped extends Schema.TaggedError<Stopped>()("SvcStopped", {
  /** What becomes of the file in the next run: `resumes` from its part, `restarts` (a slice, which has none), `begins`. */
  next: Schema.Literals(["resumes", "restarts", "begins"])
}) {
  override readonly [Runtime.errorExitCode] = 75
  readonly retryable = true
  readonly advice = "again"
  readonly scope = "file"
  override get message() {
    return stops[this.next]
  }
}

const stops: Readonly<Record<Stopped["next"], string>> = {
  resumes: "the run was stopped before this file was whole; the next run resumes it",
  restarts: "the run was stopped before this slice was whole; the next run starts it again",
  begins: "the run was stopped before the transfer of this file began; the next run fetches it"
}

/**
 * Failures of reading a file at a link host.
 *
 * @category errors
 * @since 0.1.0
 */
export type SourceError = ServiceError | InArchive | LinkForbidden | LinkRefused | LinkProtocol | FileDamaged | LocalIo

/**
 * Failures of moving one file from a link host to its final name.
 *
 * @category errors
 * @since 0.1.0
 */
export type TransferError = SourceError | FileDiffers | Busy | UnsafeName | CannotCreate
