/** The local disk: names, folders, space, input and output. */
import type * as PlatformError from "effect/PlatformError"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { humanSize } from "../text/Quantity.ts"
import { errnoOf, meaningOf } from "./SystemErrors.ts"

/**
 * Two different remote files would get one local name.
 *
 * @category errors
 * @since 0.1.0
 */
export class NameCollision extends Schema.TaggedError<NameCollision>()("SvcNameCollision", {
  name: Schema.String,
  analyses: Schema.Array(Schema.String),
  /** How many analyses with a file of this name are not among `analyses`. */
  others: Schema.optionalKey(Schema.Int),
  /** Their ids are one name where case does not count, so that folders of these names would be one too. */
  alike: Schema.optionalKey(Schema.Boolean)
}) {
  override readonly [Runtime.errorExitCode] = 73
  readonly retryable = false
  get advice(): "layout" | "ownDestinations" | null {
    if (this.analyses.length < 2) return null
    return this.alike === true ? "ownDestinations" : "layout"
  }
  readonly scope = "file"
  override get message() {
    const others = (this.others ?? 0) > 0 ? ` and ${this.others} more` : ""
    return this.analyses.length > 1
      ? `${this.name} exists in several analyses (${this.analyses.join(", ")}${others})`
      : `${this.name} stands for several files of analysis ${this.analyses.join()}: none of them was chosen`
  }
}

/**
 * The service gave a name that is not a plain file name.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnsafeName extends Schema.TaggedError<UnsafeName>()("SvcUnsafeName", {
  /** Escaped for a terminal. */
  name: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 73
  readonly retryable = false
  readonly advice = null
  readonly scope = "file"
  override get message() {
    return `Refused file name ${this.name}: ${this.reason}`
  }
}

/**
 * The destination cannot take the file.
 *
 * @category errors
 * @since 0.1.0
 */
export class CannotCreate extends Schema.TaggedError<CannotCreate>()("SvcCannotCreate", {
  path: Schema.String,
  reason: Schema.String,
  /** A file is there that may be replaced. */
  replaceable: Schema.optionalKey(Schema.Boolean)
}) {
  override readonly [Runtime.errorExitCode] = 73
  readonly retryable = false
  get advice(): "overwrite" | null {
    return this.replaceable === true ? "overwrite" : null
  }
  readonly scope = "file"
  override get message() {
    return `Cannot create ${this.path}: ${this.reason}`
  }
}

/**
 * A file of another size than the service lists stands where the file goes; it was left as it is. Sizes in bytes.
 *
 * @category errors
 * @since 0.1.0
 */
export class FileDiffers extends Schema.TaggedError<FileDiffers>()("SvcFileDiffers", {
  path: Schema.String,
  bytes: Schema.Int,
  listed: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 73
  readonly retryable = false
  readonly advice = "overwrite"
  readonly scope = "file"
  /** Null when the file at `path` has the listed size, or none is listed. */
  static readonly of = (path: string, bytes: number, listed: number | null): FileDiffers | null =>
    listed === null || bytes === listed ? null : new FileDiffers({ path, bytes, listed })
  override get message() {
    return `${this.path} exists with ${this.bytes} bytes, but ${this.listed} are listed: it was left as it is`
  }
}

/**
 * Another run is writing the same file.
 *
 * @category errors
 * @since 0.1.0
 */
export class Busy extends Schema.TaggedError<Busy>()("SvcBusy", { file: Schema.String, owner: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 69
  readonly retryable = true
  readonly advice = null
  readonly scope = "file"
  override get message() {
    return `${this.file}: another run (${this.owner}) is writing it; try again when it has ended`
  }
}

/**
 * Reading or writing a local file failed. `errno` is the system's name, such as `ENOSPC`.
 *
 * @category errors
 * @since 0.1.0
 */
export class LocalIo extends Schema.TaggedError<LocalIo>()("SvcLocalIo", {
  path: Schema.String,
  operation: Schema.String,
  errno: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 74
  readonly retryable = false
  readonly advice = "afterMending"
  readonly scope = "file"
  /** What a failure of `FileSystem` is, for `Effect.mapError`. */
  static readonly of = (operation: string, path: string) => (error: PlatformError.PlatformError) =>
    new LocalIo({ path, operation, errno: errnoOf(error) })
  override get message() {
    return `Cannot ${this.operation} ${this.path}: ${meaningOf(this.errno)}`
  }
}

/**
 * The files of a run would not fit; refused before the first byte. Sizes in bytes.
 *
 * @category errors
 * @since 0.1.0
 */
export class DiskTooSmall extends Schema.TaggedError<DiskTooSmall>()("SvcDiskTooSmall", {
  path: Schema.String,
  needed: Schema.Int,
  free: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 74
  readonly retryable = false
  readonly advice = "afterMending"
  readonly scope = "run"
  override get message() {
    const [free, needed, short] = [this.free, this.needed, this.needed - this.free].map((bytes) =>
      humanSize(Math.max(0, bytes))
    )
    return `${this.path} has ${free} free, but all files together need ${needed}, ${short} more: nothing was fetched`
  }
}
