/** Failures of the operating system by their names, such as `ENOSPC`. */
import { Data, Effect } from "effect"

/** The system's name of an error of Node; `otherwise` when it has none. */
export const errnoOf = (error: unknown, otherwise = "EIO"): string =>
  error instanceof Error && "code" in error ? String(error.code) : otherwise

/** Answers of a file system that cannot tell when data is on the disk: it promises nothing more than it has done. */
export const unsyncable: ReadonlyArray<string> = ["ENOTSUP", "EOPNOTSUPP", "EINVAL", "ENOSYS"]

/** Answers of a file system that has no hard links, or not of this file. */
export const linkless: ReadonlyArray<string> = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]

/** What the system said, before it is known what it means. */
export class Errno extends Data.TaggedError("Errno")<{ readonly code: string }> {}

/** File system calls; fails with what the system said. */
export const io = <A>(work: () => Promise<A>): Effect.Effect<A, Errno> =>
  Effect.tryPromise({ try: work, catch: (error) => new Errno({ code: errnoOf(error) }) })

/** Null instead of failing with one of `codes`. */
export const unless = <A, R>(
  self: Effect.Effect<A, Errno, R>,
  ...codes: ReadonlyArray<string>
): Effect.Effect<A | null, Errno, R> =>
  Effect.catch(self, (error) => (codes.includes(error.code) ? Effect.succeed(null) : Effect.fail(error)))
