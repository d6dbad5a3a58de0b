/** What can stop a file, an analysis or a whole run, and how it is written as JSON. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { EntryUnusable, FileArchived, TrackingUnusable } from "./ArchiveErrors.ts"
import { Busy, CannotCreate, DiskTooSmall, FileDiffers, LocalIo, NameCollision, UnsafeName } from "./DiskErrors.ts"
import { codeOf, tagOf } from "./Failure.ts"
import { ConfigUnusable, CredentialsMissing, InputMalformed, PasswordFileUnusable, UsageError } from "./InputErrors.ts"
import {
  Forbidden,
  LoginProtocol,
  LoginRefused,
  NotFound,
  OutcomeUnknown,
  ProxyRefused,
  ReplyMalformed,
  ReplyTooLarge,
  RequestRejected,
  SessionContention,
  TlsRefused,
  Unavailable
} from "./ServiceErrors.ts"
import { FileDamaged, LinkExpired, LinkForbidden, LinkProtocol, LinkRefused, Stopped } from "./TransferErrors.ts"

const classes = Schema.Union([
  Busy,
  CannotCreate,
  ConfigUnusable,
  CredentialsMissing,
  DiskTooSmall,
  EntryUnusable,
  FileArchived,
  FileDamaged,
  FileDiffers,
  Forbidden,
  InputMalformed,
  LinkExpired,
  LinkForbidden,
  LinkProtocol,
  LinkRefused,
  LocalIo,
  LoginProtocol,
  LoginRefused,
  NameCollision,
  NotFound,
  OutcomeUnknown,
  PasswordFileUnusable,
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
])

/** What stopped a file, an analysis or a run. */
export type FileError = typeof classes.Type

const encode = Schema.encodeEffect(classes)
const decode = Schema.decodeUnknownEffect(classes)

/** As JSON an error is its code, its sentence, and the fields of its class, by which it is read back. */
export const FileError = Schema.StructWithRest(Schema.Struct({ tag: Schema.String, message: Schema.String }), [
  Schema.Record(Schema.String, Schema.Json)
]).pipe(
  Schema.decodeTo(
    Schema.toType(classes),
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
