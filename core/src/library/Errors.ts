/**
 * Everything that can go wrong: a class for each situation, with its sentence and exit code.
 *
 * @since 0.1.0
 */
export {
  Busy,
  CannotCreate,
  type ChangeError,
  ConfigUnusable,
  DiskTooSmall,
  EntryUnusable,
  FileArchived,
  FileDamaged,
  FileDiffers,
  FileError,
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
  type ServiceError,
  SessionContention,
  type SessionError,
  SeveralFiles,
  Stopped,
  TlsRefused,
  type TrackingError,
  TrackingUnusable,
  Unavailable,
  UnsafeName,
  UsageError
} from "../Errors.ts"
