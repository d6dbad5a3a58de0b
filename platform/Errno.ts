/** Failures of the operating system by their names, such as `ENOSPC`. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { errnoOf } from "../core/src/Errors.ts"

/** Errors of `fsync` on file systems that do not support it; they are ignored. */
export const unsyncable: ReadonlyArray<string> = ["ENOTSUP", "EOPNOTSUPP", "EINVAL", "ENOSYS"]

/** Errors of `chmod` on file systems whose modes are those of the mount (exFAT, CIFS): such a mode is what the user gets there. */
export const modeless: ReadonlyArray<string> = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]

/** Errors of `link` on file systems without hard links, or for a file that cannot have another one. */
export const linkless: ReadonlyArray<string> = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]

/** An error code of the operating system, before a caller turns it into an error for the user. */
export class Errno extends Data.TaggedError("Errno")<{ readonly code: string }> {}

/** Runs file system calls; fails with the error code of the system. */
export const io = <A>(work: () => Promise<A>): Effect.Effect<A, Errno> =>
  Effect.tryPromise({ try: work, catch: (error) => new Errno({ code: errnoOf(error) }) })

/** Null in place of a failure with one of `codes`. */
export const tolerate =
  (...codes: ReadonlyArray<string>) =>
  <A, R>(self: Effect.Effect<A, Errno, R>): Effect.Effect<A | null, Errno, R> =>
    Effect.catch(self, (error) => (codes.includes(error.code) ? Effect.succeed(null) : Effect.fail(error)))
