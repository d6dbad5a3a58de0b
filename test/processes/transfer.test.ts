/** Whole processes that are killed, stopped, starved of disk, or two at a time. */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { bundled } from "../Bundles.ts"
import { readTrace } from "../durability/DiskModel.ts"
import { run, until } from "../Executables.ts"
import { lacks, unless } from "../Lacks.ts"
import { folder } from "../transfer/LiveTransfer.ts"
import { type Answer, good, goodAnswer, rawServer } from "../transfer/RawServer.ts"

const child = await bundled(new URL("../transfer/download-one.ts", import.meta.url))
const killPointSource = fileURLToPath(new URL("../transfer/kill-point.c", import.meta.url))
const failingCallsSource = fileURLToPath(new URL("../transfer/failing-calls.c", import.meta.url))
const compile = (source: string, library: string) =>
  spawnSync("gcc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]).status === 0

interface Out {
  readonly error?: string
  readonly message?: string
  readonly resumedFrom?: number
  readonly exit?: number
  readonly action?: string
  readonly bytes?: number
  readonly sha256?: string
  readonly maxRss?: number
}

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  /** What was printed last, and by all runs of a script. */
  readonly out: Out | null
  readonly outs: ReadonlyArray<Out>
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
    started.on("close", (code, signal) => {
      // Lines of the log stand between them.
      const outs = stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Out] : []))
      resume(Effect.succeed({ code, signal, out: outs.at(-1) ?? null, outs, stderr }))
    })
  })
  return { process: started, ended, stderr: () => stderr }
}

const download = (options: Options, env?: Record<string, string>, wrap?: ReadonlyArray<string>) =>
  start(options, env, wrap).ended

/** As a user who is neither root nor the one that made the folder; our temporary folders are opened for passing through. */
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
if (lacks.users === null) for (const path of [tmpdir(), dirname(child), dirname(dirname(child))]) chmodSync(path, 0o711)

const waitFor = (condition: () => boolean) => until("the process is there", Effect.sync(condition))

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
        words.every((word) => word === "downloaded" || word === "exists" || word === "SvcBusy"),
        words.join()
      )
      assert.isTrue(readFileSync(join(directory, "s.bam")).equals(object))
      assert.deepStrictEqual(readdirSync(directory), ["s.bam"])
    })
  )

  it.live("P10 an orphan that goes on after its parent died, and the next run beside it: one file, whole", () =>
    Effect.gen(function* () {
      const object = randomBytes(2_000_000)
      let answering = false
      const waiting: Array<() => void> = []
      const server = yield* rawServer((request, socket) => {
        if (answering) good(object)(request, socket)
        else waiting.push(() => good(object)(request, socket))
      })
      const directory = yield* folder
      const options = { link: `${server.url}/s.bam`, size: object.length, directory }
      // The shell is the parent that is killed; what it started keeps its claim on the file and its pipe to us.
      const parent = start(options, {}, ["sh", "-c", '"$@"; exit $?', "sh"])
      yield* waitFor(() => waiting.length === 1)
      parent.process.kill("SIGKILL")
      const second = yield* download(options)
      assert.deepInclude(second.out, { error: "SvcBusy", exit: 69 })
      answering = true
      for (const go of waiting) go()
      assert.deepInclude((yield* parent.ended).out, { action: "downloaded" })
      const third = yield* download(options)
      assert.deepInclude(third.out, { action: "exists" })
      assert.isTrue(readFileSync(join(directory, "s.bam")).equals(object))
      assert.deepStrictEqual(readdirSync(directory), ["s.bam"])
    })
  )

  it.live(
    "P3 killed at random moments, several times in a row: final names stay whole, and the last run ends well",
    () =>
      Effect.gen(function* () {
        // The long form: `SVC_KILL_SEEDS=500`.
        const everyKill = process.env["SVC_KILL_SEEDS"] !== undefined
        const seeds = Number(process.env["SVC_KILL_SEEDS"] ?? 2)
        for (let seed = 1; seed <= seeds; seed++) {
          const random = SeededRandom.make(seed)
          const object = randomBytes(3_000_000)
          let sent = 0
          // In portions, so that there are moments between them.
          const server = yield* rawServer((request, socket) => {
            const { head, bytes } = goodAnswer(object, request)
            socket.write(head)
            const portion = (at: number) => {
              if (socket.destroyed || at >= bytes.length) return
              const part = bytes.subarray(at, at + 100_000)
              sent += part.length
              socket.write(part, () => setTimeout(portion, 2, at + 100_000))
            }
            portion(0)
          })
          const directory = yield* folder
          const options = { link: `${server.url}/s.bam`, size: object.length, directory }
          const kills = everyKill ? random.between(1, 6) : 2
          for (let kill = 0; kill < kills; kill++) {
            const run = start(options)
            const moment = random.between(0, 1_500_000)
            const before = sent
            let over = false
            run.process.once("exit", () => {
              over = true
            })
            // A moment of the transfer, or one soon after the start when nothing is sent.
            yield* waitFor(() => over || sent - before >= moment)
            run.process.kill("SIGKILL")
            yield* run.ended
            const final = join(directory, "s.bam")
            assert.isTrue(!existsSync(final) || readFileSync(final).equals(object), `seed ${seed}`)
          }
          const last = yield* download(options)
          assert.strictEqual(last.code, 0, `seed ${seed}: ${JSON.stringify(last.out)}`)
          assert.isTrue(readFileSync(join(directory, "s.bam")).equals(object), `seed ${seed}`)
          assert.deepStrictEqual(readdirSync(directory).filter(lasting(directory)), ["s.bam"], `seed ${seed}`)
        }
      }),
    600_000
  )

  it.live(
    "P6 a file of many times the memory that the process may have comes whole",
    () =>
      Effect.gen(function* () {
        const pattern = randomBytes(1024 * 1024)
        const size = 300 * pattern.length
        const server = yield* rawServer(({ range }, socket) => {
          const [first, last] = range ?? [0, null]
          const end = Math.min(size, last ?? size)
          const status =
            range === null ? "200 OK" : `206 Partial Content\r\nContent-Range: bytes ${first}-${end - 1}/${size}`
          socket.write(`HTTP/1.1 ${status}\r\nETag: "v1"\r\nContent-Length: ${end - first}\r\n\r\n`)
          const portion = (at: number) => {
            if (at >= end || socket.destroyed) return
            const from = at % pattern.length
            const part = pattern.subarray(from, Math.min(pattern.length, from + end - at))
            socket.write(part, () => portion(at + part.length))
          }
          portion(first)
        })
        const directory = yield* folder
        const options = { link: `${server.url}/s.bam`, size, directory }
        const { code, out, stderr } = yield* download(options, { NODE_OPTIONS: "--max-old-space-size=64" })
        assert.strictEqual(code, 0, stderr)
        assert.strictEqual(statSync(join(directory, "s.bam")).size, size)
        const whole = createHash("sha256")
        for (let at = 0; at < size; at += pattern.length) whole.update(pattern)
        assert.strictEqual(out?.sha256, whole.digest("hex"))
        assert.isBelow(out?.maxRss ?? Number.POSITIVE_INFINITY, 200 * 1024)
        assert.deepStrictEqual(readdirSync(directory), ["s.bam"])
      }),
    300_000
  )

  describe("a small file system", unless(lacks.mounts), () => {
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
        assert.deepInclude(early.out, { error: "SvcLocalIo", exit: 74 })
        assert.match(early.out?.message ?? "", /3000000 bytes \(\d+ are free\).*the disk is full/)
        assert.deepStrictEqual(readdirSync(kept), ["filler"])
      })
    )

    it.live("K1 a disk without inodes is not said to be full", () =>
      Effect.gen(function* () {
        const object = randomBytes(3_000)
        const server = yield* rawServer(good(object))
        const directory = yield* folder
        const options = { link: `${server.url}/s.bam`, size: object.length, directory }
        const script =
          'mount -t tmpfs -o size=4m,nr_inodes=9 tmpfs "$0"; (cd "$0" && touch 1 2 3 4 5 6 7 8 9) 2>/dev/null; exec "$@"'
        const { out } = yield* download(options, {}, ["unshare", "-Urm", "sh", "-c", script, directory])
        assert.deepInclude(out, { error: "SvcLocalIo", exit: 74 })
        assert.match(out?.message ?? "", /can hold no more files \(its inodes are used up\)/)
        assert.strictEqual(server.requests.length, 0)
      })
    )

    it.live("K1 K2 a disk that gets full keeps what came, and with room for the rest only the rest is fetched", () =>
      Effect.gen(function* () {
        const object = randomBytes(3_000_000)
        const directory = yield* folder
        const [mounted, marks] = [join(directory, "mounted"), join(directory, "marks")]
        mkdirSync(mounted)
        mkdirSync(marks)
        let served = 0
        const server = yield* rawServer((request, socket) => {
          const { head, bytes } = goodAnswer(object, request)
          socket.write(head)
          const first = served++ === 0
          socket.write(first ? bytes.subarray(0, 1_000_000) : bytes)
          // The rest follows when the disk is full.
          const rest = setInterval(() => {
            if (!socket.destroyed && !existsSync(join(marks, "full"))) return
            clearInterval(rest)
            if (first) socket.write(bytes.subarray(1_000_000))
          }, 10)
        })
        const script = `
          mount -t tmpfs -o size=4m tmpfs "$0"
          { until [ "$(cat "$0"/.*.part 2>/dev/null | wc -c)" -ge 1000000 ]; do sleep 0.02; done
            cat /dev/zero > "$0/filler" 2>/dev/null; touch "${marks}/full"; } &
          "$@"; wait; cp "$0"/.*.json "${marks}/journal"
          head -c 1000000 /dev/zero > "$0/filler"
          "$@"; code=$?; cp "$0/s.bam" "${marks}/"; exit $code`
        const options = { link: `${server.url}/s.bam`, size: object.length, directory: mounted }
        const { code, outs, stderr } = yield* download(options, {}, ["unshare", "-Urm", "sh", "-c", script, mounted])
        assert.deepInclude(outs[0], { error: "SvcLocalIo", exit: 74 })
        assert.match(outs[0]?.message ?? "", /the disk is full/)
        assert.strictEqual(code, 0, stderr)
        assert.isTrue(readFileSync(join(marks, "s.bam")).equals(object))
      })
    )

    it.live("K6 K3 a read-only file system: 74 before anything is asked of the link host", () =>
      Effect.gen(function* () {
        const object = randomBytes(100_000)
        const server = yield* rawServer(good(object))
        const directory = yield* folder
        const options = { link: `${server.url}/s.bam`, size: object.length, directory }
        const script = 'mount -t tmpfs -o size=4m,ro tmpfs "$0" && exec "$@"'
        const { out } = yield* download(options, {}, ["unshare", "-Urm", "sh", "-c", script, directory])
        assert.deepInclude(out, { error: "SvcLocalIo", exit: 74 })
        assert.match(out?.message ?? "", /the file system is read-only/)
        assert.strictEqual(server.requests.length, 0)
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
        assert.deepInclude(limited.out, { error: "SvcLocalIo", exit: 74 })
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

  /** A file system of this kind in an image, until the scope closes. */
  const imageOf = Effect.fnUntraced(function* (format: string, size: string, mount: string) {
    const directory = yield* folder
    const [image, at] = [join(directory, "image"), join(directory, "at")]
    mkdirSync(at)
    yield* Effect.acquireRelease(
      Effect.sync(() => execFileSync("sh", ["-ec", `truncate -s ${size} "$0"; ${format}; ${mount}`, image, at])),
      () => Effect.sync(() => execFileSync("umount", [at]))
    )
    return at
  })

  describe("btrfs", unless(lacks.btrfs), () => {
    it.live(
      "K1 a disk quota (btrfs, which then refuses even to shorten a file): 74 in words, and the next run brings the file",
      () =>
        Effect.gen(function* () {
          const object = randomBytes(6_000_000)
          // Slowly, so that there is something to keep when the quota is used up.
          const server = yield* rawServer((request, socket) => {
            const { head, bytes } = goodAnswer(object, request)
            socket.write(head)
            let sent = 0
            const more = setInterval(() => {
              socket.write(bytes.subarray(sent, sent + 500_000))
              sent += 500_000
              if (sent >= bytes.length || socket.destroyed) clearInterval(more)
            }, 20)
          })
          const at = yield* imageOf(
            'mkfs.btrfs -q "$0"',
            "120M",
            'mount -o loop "$0" "$1"; btrfs -q quota enable "$1"; btrfs -q subvolume create "$1/v"; btrfs -q qgroup limit 4M "$1/v"'
          )
          const options = { link: `${server.url}/s.bam`, size: object.length, directory: join(at, "v") }
          const first = yield* download(options)
          assert.deepInclude(first.out, { error: "SvcLocalIo", exit: 74 })
          assert.match(first.out?.message ?? "", /the disk quota is used up/)
          execFileSync("btrfs", ["-q", "qgroup", "limit", "none", join(at, "v")])
          const next = yield* download(options)
          assert.strictEqual(next.code, 0, JSON.stringify(next.out))
          assert.isTrue(readFileSync(join(at, "v", "s.bam")).equals(object))
        })
    )
  })

  describe("a folder that users share", unless(lacks.users), () => {
    for (const [kind, mode] of [
      ["whose group may remove everything", 0o777],
      ["with the sticky bit", 0o1777]
    ] as const) {
      it.live(`K6 ${kind}: a file of a colleague that cannot be replaced is told before a byte is fetched`, () =>
        Effect.gen(function* () {
          const object = randomBytes(3_000)
          const server = yield* rawServer(good(object))
          const directory = yield* folder
          chmodSync(directory, mode)
          writeFileSync(join(directory, "s.bam"), "old")
          const options = { link: `${server.url}/s.bam`, size: object.length, directory, overwrite: true }
          const { code, out } = yield* download(options, {}, asNobody)
          if (mode === 0o777) return assert.strictEqual(code, 0, JSON.stringify(out))
          assert.deepInclude(out, { error: "SvcCannotCreate", exit: 73 })
          assert.match(out?.message ?? "", /only its owner replace it/)
          assert.strictEqual(server.requests.length, 0)
          assert.deepStrictEqual(readdirSync(directory), ["s.bam"])
        })
      )
      it.live(`K6 ${kind}: an unfinished file of a colleague whose run was killed is left alone`, () =>
        Effect.gen(function* () {
          const object = randomBytes(3_000_000)
          let slow = true
          const server = yield* rawServer((request, socket) =>
            (slow ? stallingAfter(object, 2_000_000) : good(object))(request, socket)
          )
          const directory = yield* folder
          chmodSync(directory, mode)
          const options = { link: `${server.url}/s.bam`, size: object.length, directory }
          const colleague = start(options)
          yield* waitFor(() => partSize(directory) >= 2_000_000)
          const busy = yield* download(options, {}, asNobody)
          assert.deepInclude(busy.out, { error: "SvcBusy", exit: 69 })
          colleague.process.kill("SIGKILL")
          yield* colleague.ended
          const theirs = readdirSync(directory).filter((name) => !name.includes(".lock"))
          const mine = start(options, {}, asNobody)
          yield* waitFor(() => readdirSync(directory).filter((name) => name.endsWith(".part")).length === 2)
          yield* waitFor(() => server.requests.length === 2)
          mine.process.kill("SIGTERM")
          assert.strictEqual((yield* mine.ended).code, 130)
          slow = false
          const again = yield* download(options, {}, asNobody)
          assert.strictEqual(again.code, 0, JSON.stringify(again.out))
          assert.isTrue(readFileSync(join(directory, "s.bam")).equals(object))
          for (const name of theirs) assert.isTrue(existsSync(join(directory, name)), name)
        })
      )
    }
  })

  describe("calls that fail every time", unless(lacks.compiler), () => {
    /** A call fails in the folder of the file: a `write` behind so many bytes, any other call each time. */
    const failing = (
      call: "rename" | "close" | "fsync" | "fchmod" | "write",
      errno: number,
      expected: number,
      left: RegExp
    ) =>
      Effect.gen(function* () {
        const object = randomBytes(3_000_000)
        const server = yield* rawServer(good(object))
        const root = yield* folder
        const [directory, library] = [join(root, "out"), join(root, "failing-calls.so")]
        mkdirSync(directory)
        assert.isTrue(compile(failingCallsSource, library))
        const options = { link: `${server.url}/s.bam`, size: object.length, directory }
        const fault = { LD_PRELOAD: library, FAIL_DIR: directory, FAIL_CALL: call, FAIL_ERRNO: String(errno) }
        const first = yield* download(options, call === "write" ? { ...fault, FAIL_ROOM: "1500000" } : fault)
        assert.strictEqual(first.out?.exit ?? first.code, expected, JSON.stringify(first))
        assert.match(readdirSync(directory).filter(lasting(directory)).sort().join(" "), left)
        const next = yield* download(options)
        assert.strictEqual(next.code, 0, JSON.stringify(next.out))
        assert.isTrue(readFileSync(join(directory, "s.bam")).equals(object))
        assert.deepStrictEqual(readdirSync(directory).filter(lasting(directory)), ["s.bam"])
        return first.out?.message ?? ""
      })

    it.live("K4 a file system that nothing can be renamed into: 74 and no final name", () =>
      failing("rename", constants.errno.EXDEV, 74, /^(?:\.s\.bam\S*(?: |$))*$/)
    )
    it.live("K4 K8 a file system without fsync: the file is whole, and svc-doctor warns", () =>
      Effect.gen(function* () {
        yield* failing("fsync", constants.errno.EINVAL, 0, /^s\.bam$/)
        const root = yield* folder
        const library = join(root, "failing-calls.so")
        assert.isTrue(compile(failingCallsSource, library))
        const env = { LD_PRELOAD: library, FAIL_DIR: root, FAIL_CALL: "fsync" }
        const examine = (errno: number) =>
          run("svc-doctor", ["-d", root, "-t", "http://127.0.0.1:9"], { env: { ...env, FAIL_ERRNO: String(errno) } })
        assert.match((yield* examine(constants.errno.ENOTSUP)).stdout, /^warn +disk .*\(no fsync\)$/m)
        assert.match((yield* examine(constants.errno.EIO)).stdout, /^FAIL +disk /m)
      })
    )
    for (const refusal of ["EPERM", "ENOTSUP"] as const) {
      it.live(`K6 a file system that refuses to change modes (${refusal}): the file comes all the same`, () =>
        failing("fchmod", constants.errno[refusal], 0, /^s\.bam$/)
      )
    }
    it.live("K6 a change of mode that fails as the disk does ends with 74", () =>
      failing("fchmod", constants.errno.EIO, 74, /\.part/)
    )
    for (const [name, errno, words] of [
      ["EDQUOT", 122, "the disk quota is used up"],
      ["ESTALE", 116, "the file server no longer knows it"],
      ["EUCLEAN", 117, "the file system is damaged"],
      ["EKEYEXPIRED", 127, "the login for this file system has expired"]
    ] as const) {
      it.live(`K3 ${name}, which Node does not name, is said in words`, () =>
        Effect.gen(function* () {
          const said = yield* failing("fsync", errno, 74, /^(?:\.s\.bam\S*(?: |$))*$/)
          assert.include(said, words)
        })
      )
    }
    for (const [name, errno] of [
      ["ENOSPC", 28],
      ["EDQUOT", 122]
    ] as const) {
      it.live(`K1 ${name} to the last byte: 74 and no final name, and the next run brings the file`, () =>
        failing("write", errno, 74, /^(?:\.s\.bam\S*(?: |$))*$/)
      )
    }
    it.live("K9 errors at close come after every sync, so the file is whole and has its name", () =>
      failing("close", constants.errno.EIO, 0, /^s\.bam$/)
    )
  })

  const library = join(tmpdir(), `kill-point-${process.pid}.so`)
  afterAll(() => rmSync(library, { force: true }))
  const compiled = () => existsSync(library) || compile(killPointSource, library)

  describe("an operation that fails once", unless(lacks.compiler), () => {
    it.live("K3 an input/output error behind the final name: 74 and the name is not there, or 0 and it is", () =>
      Effect.gen(function* () {
        assert.isTrue(compiled())
        const object = randomBytes(100_000)
        const server = yield* rawServer(good(object))
        const root = yield* folder
        const runs = Effect.fnUntraced(function* (name: string, env: Record<string, string>) {
          const directory = join(root, name)
          mkdirSync(directory)
          const options = { link: `${server.url}/s.bam`, size: object.length, directory }
          const ended = yield* download(options, { LD_PRELOAD: library, KILL_DIR: directory, ...env })
          return { directory, options, ended }
        })
        const trace = join(root, "trace")
        const { directory } = yield* runs("traced", { KILL_TRACE: trace })
        const operations = readTrace(readFileSync(trace), directory).filter(({ number }) => number > 0)
        const named = operations.findIndex(({ name, second }) => name === "link" && second === "s.bam")
        const behind = operations.slice(named + 1, named + 4)
        assert.deepStrictEqual(
          behind.map(({ name }) => name),
          ["sync", "unlink", "unlink"]
        )
        for (const { number } of behind) {
          const run = yield* runs(`out-${number}`, { KILL_AT: String(number), KILL_ERRNO: "5" })
          const there = readdirSync(run.directory).includes("s.bam")
          assert.strictEqual(there ? 0 : 74, there ? run.ended.code : run.ended.out?.exit, `operation ${number}`)
          assert.strictEqual((yield* download(run.options)).code, 0)
          assert.deepStrictEqual(readdirSync(run.directory), ["s.bam"])
        }
      })
    )
  })
})
