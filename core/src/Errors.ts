/**
 * Every way a step can fail: one tagged class per situation, its sentence for a person, and its exit code.
 *
 * Each tag is `Svc` and the name of its class. What others ask of a failure sits on its class, so it cannot differ between steps: the exit code
 * (`Runtime.errorExitCode`); `retryable`, whether the same request may succeed later; `advice`, what to do next where the
 * message does not say it; `scope`, how far it reaches; and for requests to the service `mayHaveTakenEffect`, false where it
 * surely changed nothing. Messages name the file or analysis; they never hold a link, a cookie, a token or a password.
 *
 * The classes lie in `errors/` by what failed, each family with its unions; this module exports them all.
 */
export * from "./errors/ArchiveErrors.ts"
export * from "./errors/ConnectionErrors.ts"
export * from "./errors/DiskErrors.ts"
export * from "./errors/Failure.ts"
export * from "./errors/FileError.ts"
export * from "./errors/InputErrors.ts"
export * from "./errors/ServiceErrors.ts"
export * from "./errors/SystemErrors.ts"
export * from "./errors/TransferErrors.ts"
