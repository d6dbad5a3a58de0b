/**
 * Runs the built executables without a process for each: they follow each other in one that has loaded them, which takes a sixth of
 * the CPU. For tests of what a command line prints, writes, asks the service and ends with. What belongs to the process itself
 * (signals, its memory, its threads, options of Node, a terminal) takes `run` of Executables.ts.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { Effect } from "effect"
import type { WarmRun } from "./children/WarmExecutables.ts"
import { commandOf, environment, executable, type Outcome, type RunOptions, run, runCommand } from "./Executables.ts"
import { root } from "./Root.ts"

interface Warm {
  readonly child: ChildProcess
  busy: boolean
}

let warm: Warm | null = null

const warmUp = (): Warm => {
  const child = spawn(process.execPath, [`${root}test/children/WarmExecutables.ts`], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  // It ends with this process, and never keeps it.
  child.unref()
  child.channel?.unref()
  const started = { child, busy: false }
  child.once("exit", () => {
    if (warm === started) warm = null
  })
  return started
}

/** A module that is a program, to its end; in a process of its own when another runs at the moment. */
export const runWarmProgram = (
  path: string,
  args: ReadonlyArray<string>,
  options: RunOptions = {}
): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    warm ??= warmUp()
    const here = warm
    if (here.busy) return runCommand(process.execPath, [path, ...args], options)
    here.busy = true
    return Effect.callback<Outcome>((resume) => {
      const end = (effect: Effect.Effect<Outcome>) => {
        here.busy = false
        here.child.off("message", onMessage).off("exit", onExit)
        resume(effect)
      }
      const onMessage = (outcome: Outcome) => end(Effect.succeed(outcome))
      const onExit = (code: number | null, signal: string | null) =>
        end(Effect.die(new Error(`${path} ended its process: ${code ?? signal}`)))
      here.child.once("message", onMessage).once("exit", onExit)
      here.child.send({
        path,
        args,
        cwd: options.cwd ?? root,
        env: environment(options),
        input: options.input ?? ""
      } satisfies WarmRun)
      return Effect.sync(() => {
        warm = null
        here.child.kill("SIGKILL")
      })
    })
  })

/** One of our executables to its end. */
export const runWarm = (name: string, args: ReadonlyArray<string>, options?: RunOptions): Effect.Effect<Outcome> =>
  // Links to the binary are no modules.
  commandOf(name)[0] === process.execPath ? runWarmProgram(executable(name), args, options) : run(name, args, options)
