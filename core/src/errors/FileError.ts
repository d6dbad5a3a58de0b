/** What can stop a file, an analysis or a whole run, and how it is written as JSON. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { EntryUnusable, FileArchived, InArchive, TrackingUnusable } from "./ArchiveErrors.ts"
import {
  LoginProtocol,
  LoginRefused,
  ProxyRefused,
  SessionContention,
  TlsRefused,
  Unavailable
} from "./ConnectionErrors.ts"
import { Busy, CannotCreate, DiskTooSmall, FileDiffers, LocalIo, NameCollision, UnsafeName } from "./DiskErrors.ts"
import { codeOf, tagOf } from "./Failure.ts"
import { ConfigUnusable, InputMalformed, SeveralFiles, UsageError } from "./InputErrors.ts"
import { Forbidden, NotFound, OutcomeUnknown, ReplyMalformed, ReplyTooLarge, RequestRejected } from "./ServiceErrors.ts"
import { FileDamaged, LinkForbidden, LinkProtocol, LinkRefused, Stopped } from "./TransferErrors.ts"

/** All that a file, an analysis or a selection can fail with. */
const resultClasses = [
  Busy,
  CannotCreate,
  DiskTooSmall,
  EntryUnusable,
  FileArchived,
  FileDamaged,
  FileDiffers,
  Forbidden,
  InArchive,
  LinkForbidden,
  LinkProtocol,
  LinkRefused,
  LocalIo,
  LoginProtocol,
  LoginRefused,
  NameCollision,
  NotFound,
  OutcomeUnknown,
  ProxyRefused,
  ReplyMalformed,
  ReplyTooLarge,
  RequestRejected,
  SessionContention,
  Stopped,
  TlsRefused,
  TrackingUnusable,
  Unavailable,
  UnsafeName,
  UsageError
] as const

/** As JSON an error is its code, its sentence, and the fields of its class, by which it is read back. */
const asJson = <
  Class extends Schema.Codec<{ readonly _tag: string; readonly message: string }, { readonly _tag: string }>
>(
  classes: ReadonlyArray<Class>
) => {
  const union = Schema.Union(classes)
  const encode = Schema.encodeEffect(union)
  const decode = Schema.decodeUnknownEffect(union)
  return Schema.StructWithRest(Schema.Struct({ tag: Schema.String, message: Schema.String }), [
    Schema.Record(Schema.String, Schema.Json)
  ]).pipe(
    Schema.decodeTo(
      Schema.toType(union),
      SchemaTransformation.transformEffect({
        decode: ({ tag, ...fields }) => Effect.mapError(decode({ ...fields, _tag: tagOf(tag) }), ({ issue }) => issue),
        encode: (error) =>
          Effect.mapBoth(encode(error), {
            onSuccess: ({ _tag, ...fields }) => ({ tag: codeOf(error), message: error.message, ...fields }),
            onFailure: ({ issue }) => issue
          })
      })
    )
  )
}

/**
 * What stopped a file, an analysis or a selection.
 *
 * @category errors
 * @since 0.1.0
 */
export const FileError = asJson(resultClasses)
export type FileError = typeof FileError.Type

/**
 * What stopped a file, an analysis or a run: the latter can lack settings, or mean more than one file where one is read.
 *
 * @category errors
 * @since 0.1.0
 */
export const RunError = asJson([...resultClasses, ConfigUnusable, InputMalformed, SeveralFiles])
export type RunError = typeof RunError.Type
