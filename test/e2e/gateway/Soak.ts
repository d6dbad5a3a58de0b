/**
 * Many ranges through the relay of a gateway, and questions to the API behind it, while links end all the time, sessions die, and
 * readers are killed: what failed, and what the gateway's memory did.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { startSandbox, until } from "../../Executables.ts"
import { startGateway } from "../../GatewayGround.ts"
import { fault, setFaults } from "../../SandboxFaults.ts"
import { words } from "../../Words.ts"
import { connectDevTools } from "../DevTools.ts"
import { allTypes, download, stats } from "../Download.ts"
import { folder } from "../Ground.ts"

export interface SoakOptions {
  readonly ranges: number
  /** One of so many is a question to the API instead; 0 for none. */
  readonly oneQuestionOf: number
  /** The ranges are asked for in so many rounds; after each the memory of the gateway is looked at. */
  readonly rounds: number
  /** Requests under way at a time. */
  readonly readers: number
  /** In whole seconds. */
  readonly linkLifetime: number
  /** One reader of so many is killed in the middle of a file; 0 for none. */
  readonly oneKilledOf: number
}

/** Memory of the gateway in MB. */
export interface Memory {
  readonly resident: number
  /** What is reachable on the heap, after a collection of garbage. */
  readonly heap: number
}

/** Resident memory of a process, in MB. */
export const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Takes the first bytes of a file and is gone. */
const killedReader = async (url: string): Promise<void> => {
  const reading = new AbortController()
  const reply = await fetch(url, { signal: reading.signal })
  await reply.body?.getReader().read()
  reading.abort()
}

/** Small answers and larger ones, and none that a fault of the soak is about. */
const questions = words`/api/analysis/A1/annotations /api/analyses /virtual-panels /api/analysis/A2/annotations
  /api/person/LIMS-0001/id`

/** Ends the link that is in use, in the middle of each round. */
const ended = fault({ plane: "link", times: 1 }, { expireLink: "now" })

/** Each round ends a session, first with 302 and HTML, then with 403, when the links of A1 are asked for a second time. */
const deadSession = (round: number) =>
  fault(
    { plane: "api", endpoint: "getFileDownloadLinks", nth: 2 },
    { invalidate: round % 2 === 0 ? "redirect" : "forbid" }
  )

export const soak = Effect.fnUntraced(function* (options: SoakOptions) {
  const { linkLifetime, ranges, readers, rounds } = options
  const sandbox = yield* startSandbox(["--strict", "--linkLifetime", `${linkLifetime}s`])
  const files = yield* folder
  yield* download(sandbox, sandbox.url, ["-a", "A1", ...allTypes, "-d", files])
  const whole = readFileSync(join(files, "S1.bam"))
  const gateway = yield* startGateway(
    sandbox,
    ["--relay", "--api", "--loglevel", "info"],
    {},
    words`--inspect=127.0.0.1:0`
  )
  const inspector = () =>
    gateway.lines
      .map((line) => /^Debugger listening on (ws:\S+)/.exec(line)?.[1])
      .find((address) => address !== undefined)
  // It stands on the other stream than the line of a ready gateway, and so may be read later.
  yield* until(
    "the gateway tells where its inspector is",
    Effect.sync(() => inspector() !== undefined)
  )
  const { send } = yield* connectDevTools(inspector() ?? "")
  const memory: Effect.Effect<Memory> = Effect.gen(function* () {
    const resident = Math.round(residentMb(gateway.pid))
    yield* send(undefined, "HeapProfiler.collectGarbage")
    const { usedSize } = yield* send(undefined, "Runtime.getHeapUsage")
    return { resident, heap: Math.round(Number(usedSize) / 1e5) / 10 }
  })

  const failures = new Map<string, number>()
  const failed = (why: string) => failures.set(why, (failures.get(why) ?? 0) + 1)
  const answers = new Map<string, string>()
  const question = (i: number) =>
    Effect.promise(async () => {
      const path = questions[i % questions.length] ?? ""
      const url = `${gateway.url}/service${path}`
      if (options.oneKilledOf > 0 && i % options.oneKilledOf === 1) return killedReader(url)
      const reply = await fetch(url)
      const text = await reply.text()
      if (!answers.has(path) && reply.status === 200) answers.set(path, text)
      if (answers.get(path) !== text) failed(`${path}: ${reply.status} ${text.slice(0, 200)}`)
    })
  const range = (i: number) =>
    Effect.promise(async () => {
      if (options.oneKilledOf > 0 && i % options.oneKilledOf === 0)
        return killedReader(`${gateway.url}/files/A1/S1.bam`)
      const first = (i * 7919) % (whole.length - 5000)
      const end = first + 1 + ((i * 104_729) % 5000)
      const reply = await fetch(`${gateway.url}/files/A1/S1.bam`, { headers: { range: `bytes=${first}-${end - 1}` } })
      const bytes = Buffer.from(await reply.arrayBuffer())
      if (reply.status === 206 && bytes.equals(whole.subarray(first, end))) return
      const why = reply.status === 206 ? "other bytes" : `${reply.status} ${bytes.toString()}`
      failed(why)
    })
  const isQuestion = (i: number) => options.oneQuestionOf > 0 && i % options.oneQuestionOf === 0
  const batch = (from: number, length: number) =>
    Effect.forEach(
      Array.from({ length }, (_, i) => from + i),
      (i) => (isQuestion(i) ? question(i / options.oneQuestionOf) : range(i)),
      { concurrency: readers, discard: true }
    )

  const memories: Array<Memory> = []
  const half = Math.ceil(ranges / rounds / 2)
  for (let round = 0; round < rounds; round++) {
    yield* batch(2 * round * half, half)
    yield* setFaults(sandbox.url, [ended])
    yield* batch((2 * round + 1) * half, half)
    yield* setFaults(sandbox.url, [deadSession(round)])
    memories.push(yield* memory)
  }
  const { expiredLinks, logins } = yield* stats(sandbox)
  return { failures, memories, expiredLinks: Number(expiredLinks), logins: Number(logins) }
})
