/** Whole processes that are killed, stopped, starved of disk, or two at a time. */
import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "./LiveTransfer.ts"
import { type Answer, good, goodAnswer, rawServer } from "./RawServer.ts"

const child = fileURLToPath(new URL("download-one.ts", import.meta.url))
const killPointSource = fileURLToPath(new URL("kill-point.c", import.meta.url))
const inCi = process.env["CI"] === "true"

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly out: {
    readonly error?: string
    readonly message?: string
    readonly resumedFrom?: number
    readonly exit?: number
    readonly action?: string
  } | null
  readonly stderr: string
}

interface Options {
  readonly link: string
  readonly size: number
  readonly directory: string
  readonly overwrite?: boolean
}

/** Starts a download; `wrap` puts a command before it. */
const start = (options: Options, env: Record<string, string> = {}, wrap: ReadonlyArray<string> = []) => {
  const line = [...wrap, process.execPath, child, JSON.stringify({ overwrite: false, ...options })]
  const [command = "", ...args] = line
  const started = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  let [stdout, stderr] = ["", ""]
  started.stdout.on("data", (bytes) => {
    stdout += bytes
  })
  started.stderr.on("data", (bytes) => {
    stderr += bytes
  })
  const ended = Effect.callback<Ended>((resume) => {
    started.on("close", (code, signal) =>
      resume(Effect.succeed({ code, signal, out: stdout === "" ? null : JSON.parse(stdout), stderr }))
    )
  })
  return { process: started, ended, stderr: () => stderr }
}

const download = (options: Options, env?: Record<string, string>, wrap?: ReadonlyArray<string>) =>
  start(options, env, wrap).ended

const waitFor = (condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.sleep("10 millis")
  }).pipe(Effect.timeout("10 seconds"))

/** Bytes of the part in a folder, 0 without one. */
const partSize = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".part"))
    .map((name) => statSync(join(directory, name)).size)[0] ?? 0

/** Sends what `bytes` it is told of each reply and then nothing. */
const stallingAfter =
  (object: Buffer, length: number): Answer =>
  (request, socket) => {
    const { head, bytes } = goodAnswer(object, request)
    socket.write(head)
    socket.write(bytes.subarray(0, length))
  }

/** An empty lock card says nothing of its owner, so it is cleared away when it is ten seconds old. */
const lasting = (directory: string) => (name: string) =>
  !name.endsWith(".wait") || statSync(join(directory, name)).size > 0

describe("processes", () => {
  for (const [signal, code] of [
    ["SIGTERM", 130],
    ["SIGINT", 130]
  ] as const) {
    it.live(`P4 ${signal} leaves a part that the next run goes on with, and no lock`, () =>
      Effect.gen(function* () {
        const object = randomBytes(3_000_000)
        let slow = true
        const server = yield* rawServer((request, socket) =>
          (slow ? stallingAfter(object, 2_000_000) : good(object))(request, socket)
        )
        const directory = yield* folder
        const options = { link: `${server.url}/s.bam`, size: object.length, directory }
        const first = start(options)
        yield* waitFor(() => partSize(directory) >= 2_000_000)
        first.process.kill(signal)
        const ended = yield* first.ended
        assert.strictEqual(ended.code, code)
        assert.deepStrictEqual(
          readdirSync(directory)
            .map((name) => name.replace(/\.[0-9a-f]{8}/, ""))
            .sort(),
          [".s.bam.part", ".s.bam.part.json"]
        )
        slow = false
        const second = yield* download(options)
        assert.strictEqual(second.code, 0)
        assert.strictEqual(second.out?.resumedFrom, 2_000_000)
        assert.isTrue(readFileSync(join(directory, "s.bam")).equals(object))
        assert.deepStrictEqual(readdirSync(directory), ["s.bam"])
      })
    )
  }

  it.live("P8 four runs of one file in one folder: one file, whole, and the others are told", () =>
    Effect.gen(function* () {
      const object = randomBytes(2_000_000)
      const server = yield* rawServer((request, socket) => void setTimeout(() => good(object)(request, socket), 500))
      const directory = yield* folder
      const options = { link: `${server.url}/s.bam`, size: object.length, directory }
      const all = yield* Effect.all(
        Array.from({ length: 4 }, () => download(options)),
        { concurrency: "unbounded" }
      )
      const words = all.map(({ out }) => out?.error ?? out?.action)
      assert.strictEqual(words.filter((word) => word === "downloaded").length, 1, words.join())
      assert.isTrue(
        words.every((word) => word === "downloaded" || word === "exists" || word === "Busy"),
        words.join()
      )
      assert.isTrue(readFileSync(join(directory, "s.bam")).equals(object))
      assert.deepStrictEqual(readdirSync(directory), ["s.bam"])
    })
  )

  it.live("P1 a run that was killed leaves a lock that the next run takes over at once", () =>
    Effect.gen(function* () {
      const object = randomBytes(3_000_000)
      let slow = true
      const server = yield* rawServer((request, socket) =>
        (slow ? stallingAfter(object, 1_000_000) : good(object))(request, socket)
      )
      const directory = yield* folder
      const options = { link: `${server.url}/s.bam`, size: object.length, directory }
      const first = start(options)
      yield* waitFor(() => first.stderr().includes("Started"))
      first.process.kill("SIGKILL")
      assert.strictEqual((yield* first.ended).signal, "SIGKILL")
      slow = false
      assert.strictEqual((yield* download(options)).code, 0)
      assert.isTrue(readFileSync(join(directory, "s.bam")).equals(object))
      assert.deepStrictEqual(readdirSync(directory), ["s.bam"])
    })
  )

  describe.skipIf(!inCi && spawnSync("unshare", ["-Urm", "true"]).status !== 0)("a small file system", () => {
    it.live("K1 a full disk: exit 74, the part stays, and the run goes on when there is room", () =>
      Effect.gen(function* () {
        const object = randomBytes(3_000_000)
        const server = yield* rawServer(good(object))
        const directory = yield* folder
        const mounted = join(directory, "mounted")
        const kept = join(directory, "kept")
        mkdirSync(mounted)
        mkdirSync(kept)
        // The space looks large enough at first: a second file takes it while the download runs.
        const script = `mount -t tmpfs -o size=4m tmpfs "$0" && head -c 2000000 /dev/zero > "$0/filler" && shift 0 && "$@"; code=$?; cp -a "$0"/. "${kept}"; exit $code`
        const options = { link: `${server.url}/s.bam`, size: object.length, directory: mounted }
        const early = yield* download(options, {}, ["unshare", "-Urm", "sh", "-c", script, mounted])
        assert.deepInclude(early.out, { error: "LocalIo", exit: 74 })
        assert.match(early.out?.message ?? "", /3000000 bytes \(\d+ are free\).*the disk is full/)
        assert.deepStrictEqual(readdirSync(kept), ["filler"])
      })
    )

    it.live("K1 K3 a disk that fills up during the download, and a file size limit", () =>
      Effect.gen(function* () {
        const object = randomBytes(3_000_000)
        const directory = yield* folder
        // The rest follows when the first bytes are in the part, else one write could hold all of them and keep none.
        const server = yield* rawServer((request, socket) => {
          const { head, bytes } = goodAnswer(object, request)
          socket.write(head)
          socket.write(bytes.subarray(0, 500_000))
          const rest = setInterval(() => {
            if (!socket.destroyed && partSize(directory) < 500_000) return
            clearInterval(rest)
            socket.write(bytes.subarray(500_000))
          }, 10)
        })
        const options = { link: `${server.url}/s.bam`, size: object.length, directory }
        // 1 MiB in blocks of 512 or 1024 bytes, as the shell counts them.
        const limited = yield* download(options, {}, ["sh", "-c", 'ulimit -f 1500; "$0" "$@"'])
        assert.deepInclude(limited.out, { error: "LocalIo", exit: 74 })
        assert.match(limited.out?.message ?? "", /larger than allowed/)
        const names = readdirSync(directory)
        assert.strictEqual(names.length, 2, names.join())
        const next = yield* download(options)
        assert.strictEqual(next.code, 0)
        assert.isAbove(next.out?.resumedFrom ?? 0, 100_000)
        assert.isTrue(readFileSync(join(directory, "s.bam")).equals(object))
      })
    )
  })

  const library = join(tmpdir(), `kill-point-${process.pid}.so`)
  afterAll(() => rmSync(library, { force: true }))
  const compiled = () =>
    existsSync(library) ||
    spawnSync("gcc", ["-shared", "-fPIC", "-O1", "-o", library, killPointSource, "-ldl"]).status === 0

  describe.skipIf(!inCi && spawnSync("gcc", ["--version"]).status !== 0)("at every operation on the disk", () => {
    // All of them take minutes (`SVC_KILL_POINTS=all`); the short form spreads over them.
    const everyPoint = process.env["SVC_KILL_POINTS"] === "all"

    const sweep = (name: string, short: boolean, env: Record<string, string>, check: (ended: Ended) => void) =>
      it.live(
        name,
        () =>
          Effect.gen(function* () {
            assert.isTrue(compiled())
            const object = randomBytes(1_500_000)
            const server = yield* rawServer(good(object))
            const root = yield* folder
            const log = join(root, "operations")
            for (const overwrite of everyPoint ? [false, true] : [short]) {
              const runs = (at: number | null) =>
                Effect.gen(function* () {
                  const directory = join(root, `out-${overwrite}-${at}`)
                  mkdirSync(directory)
                  if (overwrite) writeFileSync(join(directory, "s.bam"), "the old one")
                  const options = { link: `${server.url}/s.bam`, size: object.length, directory, overwrite }
                  const point = at === null ? { KILL_LOG: log } : { KILL_AT: String(at), ...env }
                  const ended = yield* download(options, { LD_PRELOAD: library, KILL_DIR: directory, ...point })
                  const final = existsSync(join(directory, "s.bam")) ? readFileSync(join(directory, "s.bam")) : null
                  // A final name is whole at every moment: absent, the old file, or the new one.
                  assert.isTrue(
                    final === null
                      ? !overwrite
                      : final.equals(object) || (overwrite && final.toString() === "the old one"),
                    `operation ${at}`
                  )
                  if (at === null) return
                  check(ended)
                  const next = yield* download(options)
                  assert.strictEqual(next.code, 0, `operation ${at}: ${JSON.stringify(next.out)}`)
                  assert.isTrue(readFileSync(join(directory, "s.bam")).equals(object))
                  assert.deepStrictEqual(
                    readdirSync(directory).filter(lasting(directory)),
                    ["s.bam"],
                    `operation ${at}`
                  )
                  rmSync(directory, { recursive: true })
                })
              rmSync(log, { force: true })
              yield* runs(null)
              const count = statSync(log).size
              assert.isAbove(count, 15)
              const stride = everyPoint ? 1 : Math.ceil(count / 3)
              const points = Array.from({ length: Math.ceil(count / stride) }, (_, i) => 1 + i * stride)
              yield* Effect.forEach(points, runs, { concurrency: 2 })
            }
          }),
        everyPoint ? 1_200_000 : 60_000
      )

    sweep("P1 kill -9 before it", false, {}, () => {})
    sweep("P1 kill -9 after it", true, { KILL_AFTER: "1" }, () => {})
    sweep("K3 an input/output error of it", false, { KILL_ERRNO: "5" }, (ended) => {
      assert.isTrue(ended.code === 0 || ended.out?.exit === 74, JSON.stringify(ended))
    })
    sweep("K8 a file system that cannot do it", true, { KILL_ERRNO: "95" }, (ended) => {
      assert.isTrue(ended.code === 0 || ended.out?.exit === 74, JSON.stringify(ended))
    })
  })
})
