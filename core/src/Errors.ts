/**
 * Every way a step can fail: one tagged class per situation, its sentence for a person, and its exit code.
 *
 * The exit code sits on the class (`Runtime.errorExitCode`), so it cannot differ between steps. Messages name the file
 * or analysis and what to do next; they never hold a link, a cookie, a token or a password.
 *
 * This is the door: the classes lie in `errors/` by what failed, each family with its unions.
 */
export * from "./errors/ArchiveErrors.ts"
export * from "./errors/DiskErrors.ts"
export * from "./errors/ExitCodes.ts"
export * from "./errors/InputErrors.ts"
export * from "./errors/ServiceErrors.ts"
export * from "./errors/TransferErrors.ts"
