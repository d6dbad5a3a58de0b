/**
 * Runs programs, our executables or others, one after the other, each as if this process were its own, and sends its outcome. A run ends when nothing
 * keeps the process any more, or when it calls `process.exit`.
 */
import process from "node:process"
import { Readable, type Writable } from "node:stream"
import { pathToFileURL } from "node:url"
import type { Outcome } from "../Executables.ts"

export interface WarmRun {
  /** Path of the program. */
  readonly path: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: string
}

const events = ["SIGHUP", "SIGINT", "SIGTERM", "SIGUSR1", "SIGUSR2", "uncaughtException"]
const startTimer = globalThis.setTimeout
let runs = 0

/** Collects what is written to a stream. */
const collect = (stream: Writable) => {
  const written: Array<Buffer> = []
  stream.write = (chunk: string | Uint8Array, ...more: ReadonlyArray<unknown>) => {
    written.push(Buffer.from(chunk as Uint8Array))
    const done = more.at(-1)
    if (typeof done === "function") process.nextTick(done)
    return true
  }
  return () => Buffer.concat(written).toString("utf8")
}

const begin = ({ args, cwd, env, input, path }: WarmRun): void => {
  const stdout = collect(process.stdout)
  const stderr = collect(process.stderr)
  const timers = new Set<NodeJS.Timeout>()
  const finish = (code: number) => {
    process.off("beforeExit", ended)
    // Such as the one that would end this process if something kept it.
    for (const timer of timers) clearTimeout(timer)
    for (const event of events) process.removeAllListeners(event)
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error")
    process.exitCode = 0
    process.channel?.ref()
    process.send?.({ exitCode: code, stdout: stdout(), stderr: stderr() } satisfies Outcome)
  }
  const ended = () => finish(Number(process.exitCode))

  process.chdir(cwd)
  // The object stays: Node reads some variables past JavaScript.
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv = [process.execPath, path, ...args]
  process.exitCode = 0
  process.exit = finish as typeof process.exit
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true })
  globalThis.setTimeout = Object.assign((...of: Parameters<typeof startTimer>) => {
    const timer = startTimer(...of)
    timers.add(timer)
    return timer
  }, startTimer)
  process.channel?.unref()
  process.once("beforeExit", ended)
  runs += 1
  // The entry alone is evaluated anew, what it imports is loaded once.
  void import(`${pathToFileURL(path).href}?${runs}`)
}

process.on("message", (run: WarmRun) => begin(run))
