/**
 * Every way a step can fail: one tagged class per situation, its sentence for a person, and its exit code.
 *
 * The exit code sits on the class (`Runtime.errorExitCode`), so it cannot differ between steps. Messages name the file
 * or analysis and what to do next; they never hold a link, a cookie, a token or a password.
 *
 * Long on purpose: one table in one place, read from top to bottom.
 */

import { Runtime, Schema } from "effect"
import { counted } from "./text/Counted.ts"

/** The exit codes that users rely on (sysexits), in the words of the documentation. */
export const ExitCodes = {
  0: "all done",
  1: "a defect in svc-steps",
  64: "wrong usage: an option, a value or a missing argument",
  65: "data is wrong: corrupt, truncated, an index of another file, an unreadable reply or tracking file",
  66: "not found: analysis, person, panel, or an input file",
  69: "the service or the network is unavailable, after retries",
  73: "output cannot be created: name collision, unsafe name, destination",
  74: "local input or output failed: disk full, permission",
  75: "not yet: restorations are pending, or links of a links file have ended: run again later",
  77: "login refused, or access forbidden",
  78: "credentials or configuration are missing or unusable",
  129: "stopped by SIGHUP",
  130: "stopped by SIGINT",
  141: "the reader of standard output closed it, as with `| head`",
  143: "stopped by SIGTERM"
} as const

/** One of {@link ExitCodes}. */
export type ExitCode = keyof typeof ExitCodes

/** With several failures the first of these that occurred is the exit code of the run. */
export const severityOrder = [1, 64, 78, 74, 77, 65, 73, 66, 69, 75] as const satisfies ReadonlyArray<ExitCode>

/** The exit code of a run whose items failed with `errors`; 0 when there are none. */
export const mostSevere = (errors: Iterable<unknown>): ExitCode => {
  const codes = new Set<number>()
  for (const error of errors) codes.add(Runtime.getErrorExitCode(error))
  if (codes.size === 0) return 0
  return severityOrder.find((code) => codes.has(code)) ?? 1
}

// --- 64, 78: what the user said ------------------------------------------------------------------------------------

/** An option, a value or a combination of them is wrong. `message` is the whole sentence. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 64
}

/** No user name or password, and no terminal to ask on. */
export class CredentialsMissing extends Schema.TaggedError<CredentialsMissing>()("CredentialsMissing", {
  missing: Schema.Literals(["username", "password"])
}) {
  override readonly [Runtime.errorExitCode] = 78
  override get message() {
    return this.missing === "username"
      ? "No user name: give --username, set SVC_USER, or put username into the configuration file"
      : "No password and no terminal to ask for it: set SVC_PASSWORD or put password into a configuration file only you can read"
  }
}

/** A configuration file cannot be used as it is. */
export class ConfigUnusable extends Schema.TaggedError<ConfigUnusable>()("ConfigUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 78
  override get message() {
    return `Configuration file ${this.path}: ${this.reason}`
  }
}

// --- 77, 69: the session ---------------------------------------------------------------------------------------------

/** The service answered the login without a token: wrong user name or password. It was tried exactly once. */
export class LoginRefused extends Schema.TaggedError<LoginRefused>()("LoginRefused", {
  user: Schema.String,
  host: Schema.String,
  /** Another program of the account tried the same password a short while ago; this one did not. */
  earlier: Schema.optionalKey(Schema.Boolean)
}) {
  override readonly [Runtime.errorExitCode] = 77
  override get message() {
    const tried =
      this.earlier === true
        ? "other steps have just tried it, so it was not sent again; wait 10 minutes if it is right now"
        : "tried once, not repeated"
    return `${this.host} refused the login of ${this.user}: check user name and password (${tried})`
  }
}

/** The service did not speak the login protocol: no token, no cookie, or a maintenance page. */
export class LoginProtocol extends Schema.TaggedError<LoginProtocol>()("LoginProtocol", {
  host: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 69
  override get message() {
    return `Cannot log in to ${this.host}: ${this.reason}`
  }
}

/** The session was lost again and again: something else uses the same account at the same time. */
export class SessionContention extends Schema.TaggedError<SessionContention>()("SessionContention", {
  host: Schema.String,
  logins: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 69
  override get message() {
    return (
      `${this.host} ended the session again after ${counted(this.logins, "login")}: is another program or browser using ` +
      "this account? Give all steps of one account the same SVC_LOCK_DIR, or try again later"
    )
  }
}

/** The session was lost while a request that changes data was under way; nobody knows whether it took effect. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  request: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 69
  override get message() {
    return `${this.request}: the connection or session broke before the answer came; look whether it took effect before repeating it`
  }
}

/** 403 with a session that is known to be good: this account may not see the thing. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", { what: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 77
  override get message() {
    return `${this.what}: the service forbids it to this account`
  }
}

// --- 69: service and network -----------------------------------------------------------------------------------------

/** No usable answer after all retries: refused, reset, silent, unknown host, 5xx. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  host: Schema.String,
  reason: Schema.String,
  attempts: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 69
  override get message() {
    return `${this.host} is unavailable: ${this.reason} (${counted(this.attempts, "attempt")})`
  }
}

/** The certificate was not accepted; never retried, never downgraded. */
export class TlsRefused extends Schema.TaggedError<TlsRefused>()("TlsRefused", {
  host: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 69
  override get message() {
    return `TLS with ${this.host} failed: ${this.reason}. For a private certificate authority give --caFile`
  }
}

/** The proxy refused us. */
export class ProxyRefused extends Schema.TaggedError<ProxyRefused>()("ProxyRefused", {
  proxy: Schema.String,
  status: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 77
  override get message() {
    return this.status === 407 || this.status === 401
      ? `The proxy ${this.proxy} refused the credentials: check proxyUsername and proxyPassword`
      : `The proxy ${this.proxy} answered ${this.status}`
  }
}

// --- 66, 65: what the service answered -------------------------------------------------------------------------------

/** The thing does not exist, however the endpoint said it (404, 400 or null; specification section 7). */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  /** For example `analysis A7`. */
  what: Schema.String,
  detail: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 66
  override get message() {
    return `${this.what}: not found${this.detail === undefined ? "" : ` (${this.detail})`}`
  }
}

/** The service understood and said no (`success: false`, or a 4xx that is not "not found"). */
export class RequestRejected extends Schema.TaggedError<RequestRejected>()("RequestRejected", {
  request: Schema.String,
  status: Schema.Int,
  errorMessageId: Schema.NullOr(Schema.String),
  errorId: Schema.NullOr(Schema.String),
  additionalInformation: Schema.NullOr(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 65
  override get message() {
    const parts = [
      this.errorMessageId,
      this.additionalInformation,
      this.errorId === null ? null : `support reference ${this.errorId}`
    ]
    const said = parts.filter((part) => part !== null && part !== "").join("; ")
    return `${this.request}: the service rejected it${said === "" ? ` with status ${this.status}` : `: ${said}`}`
  }
}

/** A file or standard input that was given as data to send is not what it must be. */
export class InputMalformed extends Schema.TaggedError<InputMalformed>()("InputMalformed", {
  /** Path of the file, or `standard input`. */
  input: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 65
  override get message() {
    return `${this.input}: ${this.reason}`
  }
}

/** The body is not what the contract says: cut JSON, HTML, a missing field. */
export class ReplyMalformed extends Schema.TaggedError<ReplyMalformed>()("ReplyMalformed", {
  request: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 65
  override get message() {
    return `${this.request}: unreadable reply: ${this.reason}`
  }
}

/** The body is larger than this reader keeps in memory; nothing of it was used. */
export class ReplyTooLarge extends Schema.TaggedError<ReplyTooLarge>()("ReplyTooLarge", {
  request: Schema.String,
  /** Bytes. */
  limit: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 65
  override get message() {
    return `${this.request}: the reply is larger than the limit of ${this.limit} bytes`
  }
}

// --- transfer --------------------------------------------------------------------------------------------------------

/** A fresh link was refused as well. */
export class LinkForbidden extends Schema.TaggedError<LinkForbidden>()("LinkForbidden", {
  file: Schema.String,
  host: Schema.String,
  status: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 77
  override get message() {
    return `${this.file}: ${this.host} refuses its link (status ${this.status}), also after renewing it`
  }
}

/** The address in a link is one we do not go to; nothing was sent. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", {
  file: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 77
  override get message() {
    return `${this.file}: its link was not followed: ${this.reason}`
  }
}

/** The link host answered something that cannot be this file: wrong range, encoding, status, redirect. */
export class LinkProtocol extends Schema.TaggedError<LinkProtocol>()("LinkProtocol", {
  file: Schema.String,
  host: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 69
  override get message() {
    return `${this.file}: ${this.host} ${this.reason}`
  }
}

/** The bytes are complete but wrong; nothing was left under the final name. */
export class FileDamaged extends Schema.TaggedError<FileDamaged>()("FileDamaged", {
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
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 65
  override get message() {
    return `${this.file}: ${this.reason}`
  }
}

/** The restoration file is not one that can be read or trusted; it was not changed. */
export class TrackingUnusable extends Schema.TaggedError<TrackingUnusable>()("TrackingUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 65
  override get message() {
    return (
      `Restoration file ${this.path}: ${this.reason}. It was left as it is: repair it, or move it away to begin a new ` +
      "one without the restorations in it"
    )
  }
}

/** One entry of the restoration file cannot be used; it stays in the file as it is, and the others are served. */
export class EntryUnusable extends Schema.TaggedError<EntryUnusable>()("EntryUnusable", {
  path: Schema.String,
  /** From 1. */
  position: Schema.Int,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 65
  override get message() {
    return `Restoration file ${this.path}: entry ${this.position} is kept but not used: ${this.reason}`
  }
}

/** Another run is writing the same file. */
export class Busy extends Schema.TaggedError<Busy>()("Busy", { file: Schema.String, owner: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 69
  override get message() {
    return `${this.file}: another run (${this.owner}) is writing it; try again when it has ended`
  }
}

// --- 73, 74: the local disk ------------------------------------------------------------------------------------------

/** Two different remote files would get one local name. */
export class NameCollision extends Schema.TaggedError<NameCollision>()("NameCollision", {
  name: Schema.String,
  analyses: Schema.Array(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 73
  override get message() {
    return this.analyses.length > 1
      ? `${this.name} exists in several analyses (${this.analyses.join(", ")}): use --layout analysis to give each its own folder`
      : `${this.name} stands for several files of analysis ${this.analyses.join()}: none of them was chosen`
  }
}

/** The service gave a name that is not a plain file name. */
export class UnsafeName extends Schema.TaggedError<UnsafeName>()("UnsafeName", {
  /** Escaped for a terminal. */
  name: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 73
  override get message() {
    return `Refused file name ${this.name}: ${this.reason}`
  }
}

/** The destination cannot take the file. */
export class CannotCreate extends Schema.TaggedError<CannotCreate>()("CannotCreate", {
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 73
  override get message() {
    return `Cannot create ${this.path}: ${this.reason}`
  }
}

/** Reading or writing a local file failed. `errno` is the system's name, such as `ENOSPC`. */
export class LocalIo extends Schema.TaggedError<LocalIo>()("LocalIo", {
  path: Schema.String,
  operation: Schema.String,
  errno: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 74
  override get message() {
    const known: Readonly<Record<string, string>> = {
      ENOSPC: "the disk is full",
      EDQUOT: "the disk quota is used up",
      EACCES: "permission denied",
      EPERM: "not permitted",
      EROFS: "the file system is read-only",
      EIO: "the disk reports an input/output error",
      EMFILE: "too many open files",
      ENFILE: "too many open files in the system",
      EFBIG: "the file is larger than allowed here",
      ENOENT: "it does not exist"
    }
    return `Cannot ${this.operation} ${this.path}: ${known[this.errno] ?? this.errno}`
  }
}

/** The files of a run would not fit; refused before the first byte. Sizes in bytes. */
export class DiskTooSmall extends Schema.TaggedError<DiskTooSmall>()("DiskTooSmall", {
  path: Schema.String,
  needed: Schema.Int,
  free: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 74
  override get message() {
    return `${this.path} has ${this.free} bytes free, but ${this.needed} are needed: nothing was fetched`
  }
}

// --- 75 --------------------------------------------------------------------------------------------------------------

/** Nothing failed, but files are still being restored from the archive. */
export class RestorationsPending extends Schema.TaggedError<RestorationsPending>()("RestorationsPending", {
  count: Schema.Int,
  nextEstimate: Schema.NullOr(Schema.String),
  /** The command that goes on, without credentials. */
  rerun: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 75
  override get message() {
    const when = this.nextEstimate === null ? "" : `, the next expected at ${this.nextEstimate}`
    return `${counted(this.count, "restoration")} pending${when}: run again later: ${this.rerun}`
  }
}

/** The link of a links file works no longer, and without a session it cannot be renewed. What was fetched is kept. */
export class LinkExpired extends Schema.TaggedError<LinkExpired>()("LinkExpired", {
  file: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 75
  override get message() {
    return (
      `${this.file}: its link has expired (${this.reason}): write the links file again with --links --linksFile, then ` +
      "run this command again; what is there is kept"
    )
  }
}

/** Failures of the session and of any API request that goes through it. */
export type SessionError =
  | LoginRefused
  | LoginProtocol
  | SessionContention
  | OutcomeUnknown
  | Forbidden
  | Unavailable
  | TlsRefused
  | ProxyRefused
  | ReplyTooLarge

/** Failures of a typed endpoint call. */
export type ServiceError = SessionError | NotFound | RequestRejected | ReplyMalformed

/** Failures of reading the restoration file. */
export type TrackingReadError = TrackingUnusable | LocalIo

/** Failures of changing the restoration file; the file is then as it was. */
export type TrackingError = TrackingReadError | Busy | CannotCreate

/** Failures of moving one file from a link host to its final name. */
export type TransferError =
  | ServiceError
  | LinkForbidden
  | LinkRefused
  | LinkExpired
  | LinkProtocol
  | FileDamaged
  | Busy
  | UnsafeName
  | CannotCreate
  | LocalIo
