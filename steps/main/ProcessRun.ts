/** The process around a program: signals, broken standard output, defects, and the exit code. */

import { existsSync } from "node:fs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { errnoOf, meaningOf } from "../../core/src/Errors.ts"
import { readerGone } from "./PlainWords.ts"

/**
 * Schedulers send the last two before a limit is reached. On SIGUSR1 Node would open a debugger instead, through which
 * every user of the machine could read the password.
 */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143, SIGUSR1: 138, SIGUSR2: 140 } as const
export type Signal = keyof typeof signalCodes
export const signals = Object.keys(signalCodes) as ReadonlyArray<Signal>

/** How long finalizers (logout, flushing, locks) may take after a signal, in ms. */
const defaultGrace = 10_000

const shell = "/bin/sh"

/** How long what is still open (an idle connection) may keep the process when all is done, in ms. */
const lastWait = 200

/**
 * Ends the process by letting its event loop end. `process.exit` waits for the compiler threads of V8, and one of them may wait
 * for the main thread to collect garbage: such a process had written its last line, and neither ended nor heard SIGTERM
 * (https://github.com/nodejs/node/issues/54918; 1 of 180 runs that had read a million entries, on a busy machine).
 */
const end = (code: number) => {
  process.exitCode = code
  setTimeout(() => endNow(code), lastWait).unref()
}

/**
 * Ends the process at once. `process.exit` waits for file system calls that are under way, and one on a pipe in which nothing
 * comes never returns: during such a call a process that a signal stops dies of that signal, which waits for nothing. Where it is to
 * end with another code, and as process 1 of a container, which survives the signals that it does not handle, a shell takes its
 * place, which gives that code.
 */
const endNow = (code: number): void => {
  const signal = signals.find((name) => signalCodes[name] === code)
  const isWaiting = process.getActiveResourcesInfo().some((resource) => /^(FSReq|GetAddrInfoReq)/.test(resource))
  if (signal !== undefined && isWaiting) {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
  if (isWaiting && existsSync(shell)) process.execve?.(shell, ["sh", "-c", `exit ${code}`], {})
  process.exit(code)
}

export interface ProcessRun {
  /**
   * Why the program is being stopped, and the exit code that this means; null when there is nothing to say, or it was taken before.
   * `wanted`: it has succeeded.
   */
  readonly takeReason: () => { readonly why: string; readonly code: number; readonly wanted: boolean } | null
  /** The exit code when a signal stops the program from now on; null for that of the signal. */
  readonly endWith: (code: number | null) => void
  /** What these signals do from now on in place of stopping the program; null makes them stop it again. */
  readonly onSignals: (some: ReadonlyArray<Signal>, act: ((signal: Signal) => void) | null) => void
}

interface Stop {
  readonly code: number
  why: string | null
  /** Standard output is incomplete, so the process fails even when the program succeeded. */
  readonly outputLost: boolean
}

/**
 * Runs the one program of this process and exits with its code.
 *
 * The first of these signals interrupts it, so that finalizers run, for `grace` ms at most; a second one ends
 * the process at once. A reader that closed standard output ends it quietly; any other failure there is code 74.
 *
 * @param sayLast - writes a line to standard error when the program itself can no longer do it
 */
export const runProcess = (
  program: (run: ProcessRun) => Effect.Effect<number>,
  sayLast: (message: string) => void,
  grace = defaultGrace
): void => {
  let stop: Stop | null = null
  let code = 1
  let stoppedCode: number | null = null
  const acts = new Map<Signal, (signal: Signal) => void>()
  const takeReason = () => {
    if (stop === null || stop.why === null) return null
    const { why } = stop
    stop.why = null
    return { why, code: stoppedCode ?? stop.code, wanted: stoppedCode === 0 }
  }
  const endWith: ProcessRun["endWith"] = (code) => {
    stoppedCode = code
  }
  const onSignals: ProcessRun["onSignals"] = (some, act) => {
    for (const signal of some) act === null ? acts.delete(signal) : acts.set(signal, act)
  }
  const finish = () => {
    const reason = takeReason()
    if (reason !== null) sayLast(reason.why)
    if (stop === null || (code !== 1 && !stop.outputLost)) return end(code)
    end(stop.outputLost ? stop.code : (stoppedCode ?? stop.code))
  }
  const counted = Effect.map(program({ takeReason, endWith, onSignals }), (result) => {
    code = result
  })
  Runtime.makeRunMain(({ fiber, teardown }) => {
    const begin = (reason: Stop) => {
      if (stop !== null) return
      stop = reason
      fiber.interruptUnsafe(fiber.id)
      setTimeout(() => {
        sayLast(`Not finished ${grace / 1000} s after it was told to stop: ended`)
        endNow(reason.code)
      }, grace).unref()
    }
    // That of the start, which ends the process at once.
    process.removeAllListeners("SIGUSR1")
    for (const signal of signals) {
      process.on(signal, () => {
        // Also while it stops: one that comes late is no second signal.
        const act = acts.get(signal)
        if (act !== undefined) return act(signal)
        if (stop !== null) endNow(signalCodes[signal])
        begin({ code: signalCodes[signal], why: `Stopped by ${signal}`, outputLost: false })
      })
    }
    process.stdout.on("error", (error) => {
      begin(
        errnoOf(error) === "EPIPE"
          ? { code: readerGone, why: null, outputLost: true }
          : {
              code: 74,
              why: `Cannot write to standard output: ${meaningOf(errnoOf(error, error.message))}`,
              outputLost: true
            }
      )
    })
    // Standard error has no reader any more; the run itself goes on.
    process.stderr.on("error", () => {})
    process.on("uncaughtException", (error) => begin({ code: 1, why: defectSentence(error), outputLost: false }))
    fiber.addObserver((exit) => {
      // What was written must have left; a failure of that comes as an error event before the callback.
      teardown(exit, () => process.stdout.write("", () => setImmediate(finish)))
    })
  })(counted, {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      if (Exit.isFailure(exit) && stop === null) sayLast(defectSentence(Cause.squash(exit.cause)))
      onExit(code)
    }
  })
}

/** One line about a defect, that is an error in this program; its details go to the log at level debug. */
export const defectSentence = (defect: unknown): string => {
  const what = defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)
  return `Internal error (${what.split("\n")[0]}). This is a defect in svc-steps: please report it with the output of --loglevel debug`
}
