/** What a process says without a program that watches over its output. Loads nothing, since help and version wait for nothing. */
import process from "node:process"

/** As if SIGPIPE had ended us, which is what happens to other filters whose reader has gone. */
export const readerGone = 141

/** Prints what is known without a program, which would watch over its output: a reader who has gone and a full disk are no defects. */
export const answer = (text: string): void => {
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exitCode = readerGone
    else refuse(`Error: Cannot write to standard output: ${code ?? message}`, 74)
  })
  process.stdout.write(`${text}\n`)
}

/** Ends without a program; the exit code tells even those who cannot see the words. */
export const refuse = (text: string, code: number): void => {
  process.exitCode = code
  process.stderr.on("error", () => {})
  process.stderr.write(`${text}\n`)
}
