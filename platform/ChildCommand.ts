/**
 * A command of the user's that runs with the terminal and the streams of this process, and not for longer than it: as a shell runs one,
 * in the same process group, so that Ctrl-C and Ctrl-Z of the terminal reach both.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { constants } from "node:os"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const shell = "/bin/sh"

/** The shell becomes the command: it says what cannot be started, and ends with 127 where nothing is there and 126 where it cannot be run. */
const start = 'exec "$@"'
/** As `nohup` wants it, which Node takes back from what it starts. */
const startWithoutTerminal = `trap '' HUP; ${start}`

/**
 * A process of its own that waits for the end of this one, since nothing of this one is left to act after `kill -9`. It reads the
 * command's number and then a line, once the command has ended; when the pipe ends without, it tells the command to end, and what the
 * command has started: those whose parents are still there. It needs no polling, and a signal for the whole group is none for it.
 */
const watch = `trap '' HUP INT QUIT TERM
read -r top && ! read -r ended || exit 0
kill -TERM "$top" $(ps -A -o pid= -o ppid= | awk -v top="$top" '
  { parent[$1] = $2 }
  END { for (each in parent) { at = parent[each]; while (at != top && at in parent) at = parent[at]; if (at == top) print each } }')`

export interface ChildCommand {
  /** Its exit code, or 128 and the number of the signal that ended it. What it leaves behind is not waited for. */
  readonly ended: Effect.Effect<number>
  /** Hands a signal on that this process got, unless the terminal has sent it to both. */
  readonly handOn: (signal: NodeJS.Signals) => void
}

/**
 * Starts a command; the end of the scope tells it to end (TERM) if it still runs, and waits until it has.
 *
 * @param words - the command and its arguments
 */
export const startCommand = (
  words: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Effect.Effect<ChildCommand, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const watcher = spawn(shell, ["-c", watch], { stdio: ["pipe", "ignore", "ignore"] })
      const script = process.stderr.isTTY ? start : startWithoutTerminal
      const child = spawn(shell, ["-c", script, "svc-gateway", ...words], { stdio: "inherit", env })
      const ended = new Promise<number>((resolve) => {
        // Arguments that are too long, a machine without processes to spare.
        child.once("error", () => resolve(126))
        child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
      })
      void ended.then(() => watcher.stdin.end("ended\n"))
      // Where no watcher can be started the command runs all the same.
      watcher.on("error", () => {})
      watcher.stdin.on("error", () => {})
      watcher.stdin.write(`${child.pid}\n`)
      return {
        ended: Effect.promise(() => ended),
        handOn: (signal: NodeJS.Signals) => {
          if (signal !== "SIGINT" || !ownsTerminal()) child.kill(signal)
        },
        end: () => watcher.stdin.end()
      }
    }),
    ({ end, ended }) => Effect.andThen(Effect.sync(end), ended)
  )

/** Whether Ctrl-C of a terminal goes to the process group of this process. */
const ownsTerminal = (): boolean => {
  try {
    const [, , group, , , foreground] = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
    return group === foreground
  } catch {
    // Where there is no such file, as on macOS.
    return process.stdin.isTTY
  }
}
