/** Runs of one account that know nothing of each other but the machine: other environments, other users. */
import { createHash } from "node:crypto"
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { thisProcess } from "../../platform/ProcessIdentity.ts"
import { fault, ground } from "../DownloadGround.ts"
import { commandOf, run, runCommand } from "../Executables.ts"
import { lacks, unless } from "../Lacks.ts"
import { removeFolder } from "../RemoveFolder.ts"
import { preload } from "../tracking/Race.ts"

/** Users without an entry in passwd, as in a container. */
const [ana, ben, cleo] = ["61234", "61235", "61236"]

const usualFolder = (uid: string) => `/var/tmp/svc-steps-${uid}`

/** The usual folder of a user goes with the test, as nothing else of it lies outside. */
const withoutLocks = (uid: string) =>
  Effect.acquireRelease(Effect.void, () => Effect.sync(() => removeFolder(usualFolder(uid))))

interface Place {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** `svc-download --list` as a user; without `lockDir` nothing says where the locks lie. */
const list = ({ env: { SVC_LOCK_DIR: _, ...account }, folder }: Place, uid: string, env: Place["env"]) => {
  const user = ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups"]
  const command = [...user, ...commandOf("svc-download"), "-a", "A1,A2,A4", "--list"]
  const unset = "SVC_LOCK_DIR" in env ? [] : ["-u", "SVC_LOCK_DIR"]
  return runCommand("env", [...unset, ...command], { cwd: folder, env: { ...account, ...env } })
}

/** What is set in a login shell, in cron, under `sudo -u`, in a job of Slurm, and in one of cwltool, which has a home of its own. */
const surroundings = (folder: string): ReadonlyArray<Place["env"]> => {
  const own = (name: string) => {
    const path = join(folder, name)
    mkdirSync(path)
    chmodSync(path, 0o777)
    return path
  }
  return [
    { HOME: own("home"), XDG_RUNTIME_DIR: own("run") },
    { HOME: join(folder, "home") },
    { HOME: own("home-of-another") },
    { HOME: join(folder, "home"), TMPDIR: own("slurm-17") },
    { HOME: own("cwl-1"), TMPDIR: own("cwl-1-tmp") }
  ]
}

/** A strict service with slow answers, and a folder that all users may read. */
const slowGround = Effect.gen(function* () {
  const place = yield* ground({ behaviour: { strict: true }, faults: [fault({ plane: "api" }, { delay: 40 })] })
  chmodSync(place.folder, 0o755)
  return place
})

const lockName = (url: string, user: string) =>
  `${createHash("sha256")
    .update(`${new URL(url).href}\n${user}`)
    .digest("hex")
    .slice(0, 32)}.lock`

it.live("S7 two commands of one user that share a lock folder take turns, with a login each", () =>
  Effect.gen(function* () {
    const { env, folder, stats } = yield* slowGround
    const one = run("svc-api", ["get-person-analyses", "LIMS-0001", "LIMS-0002", "LIMS-0003"], { cwd: folder, env })
    for (const { exitCode, stderr } of yield* Effect.all([one, one], { concurrency: 2 }))
      assert.strictEqual(exitCode, 0, stderr)
    assert.deepInclude(yield* stats, { maxApiInFlight: 1, overlaps: 0, logins: 2 })
    assert.deepStrictEqual(readdirSync(env["SVC_LOCK_DIR"] ?? ""), [])
  })
)

describe("a lock folder that is away for a moment", unless(lacks.compiler), () => {
  const library = preload(new URL("../transfer/kill-point.c", import.meta.url), "-pthread", "-ldl") ?? ""

  for (const [name, errno] of [
    ["ESTALE", 116],
    ["ENOLCK", 37],
    ["EIO", 5]
  ] as const) {
    it.live(`S7 ${name} at any of its operations keeps no command from taking its turn, and ends none`, () =>
      Effect.gen(function* () {
        const place = yield* slowGround
        const list = (env: Place["env"] = {}) =>
          run("svc-api", ["get-person-analyses", "LIMS-0001", "LIMS-0002"], {
            cwd: place.folder,
            env: { ...place.env, ...env }
          })
        const failing = (point: number) => ({
          LD_PRELOAD: library,
          KILL_DIR: place.env["SVC_LOCK_DIR"] ?? "",
          KILL_AT: String(point),
          KILL_ERRNO: String(errno),
          UV_USE_IO_URING: "0"
        })
        for (const point of [2, 3, 4, 5, 7]) {
          for (const { exitCode, stderr } of yield* Effect.all([list(failing(point)), list()], { concurrency: 2 })) {
            assert.strictEqual(exitCode, 0, `operation ${point}: ${stderr}`)
            assert.notMatch(stderr, /cannot be used/, `operation ${point}`)
          }
        }
        assert.deepInclude(yield* place.stats, { maxApiInFlight: 1, overlaps: 0, logins: 10 })
      })
    )
  }
})

describe("one account on one machine", unless(lacks.users), () => {
  it.live("S7 runs of one user take turns, whatever their environment says", () =>
    Effect.gen(function* () {
      yield* withoutLocks(ana)
      const place = yield* slowGround
      const runs = surroundings(place.folder).map((env) => list(place, ana, env))
      const outcomes = yield* Effect.all(runs, { concurrency: "unbounded" })
      for (const { exitCode, stderr } of outcomes) assert.strictEqual(exitCode, 0, stderr)
      assert.deepInclude(yield* place.stats, { maxApiInFlight: 1, overlaps: 0, logins: runs.length })
      assert.deepStrictEqual(readdirSync(usualFolder(ana)), [])
    })
  )

  it.live("S1 a wrong password is sent once, though each job has a home and a TMPDIR of its own", () =>
    Effect.gen(function* () {
      yield* withoutLocks(ana)
      const place = yield* slowGround
      const runs = surroundings(place.folder).map((env) => list(place, ana, { ...env, SVC_PASSWORD: "CANARY-wrong" }))
      const outcomes = yield* Effect.all(runs, { concurrency: "unbounded" })
      for (const { exitCode, stderr } of outcomes) assert.strictEqual(exitCode, 77, stderr)
      assert.deepInclude(yield* place.stats, { failedLogins: 1, overlaps: 0 })
    })
  )

  it.live(
    "T11 in a folder of all users the lock that a killed run of one left holds nobody up, and they still take turns",
    () =>
      Effect.gen(function* () {
        const place = yield* slowGround
        const locks = join(place.folder, "shared")
        mkdirSync(locks)
        chmodSync(locks, 0o1777)
        const left = join(locks, lockName(place.url, place.user))
        const self = thisProcess()
        writeFileSync(left, `${JSON.stringify({ ...self, start: `${self.start}1` })}\n`)
        chownSync(left, Number(ben), Number(ben))
        const old = Date.now() / 1000 - 3600
        utimesSync(left, old, old)
        const both = [list(place, ana, { SVC_LOCK_DIR: locks }), list(place, cleo, { SVC_LOCK_DIR: locks })]
        const outcomes = yield* Effect.all(both, { concurrency: "unbounded" })
        for (const { exitCode, stderr } of outcomes) {
          assert.strictEqual(exitCode, 0, stderr)
          assert.match(stderr, /left by a run of another user that was killed/)
          assert.strictEqual(stderr.match(/left by a run/g)?.length, 1)
        }
        assert.isTrue(existsSync(left))
        // Its own user removes it, and still waits for the others.
        const owners = [list(place, ben, { SVC_LOCK_DIR: locks }), list(place, ana, { SVC_LOCK_DIR: locks })]
        const again = yield* Effect.all(owners, { concurrency: "unbounded" })
        for (const { exitCode, stderr } of again) assert.strictEqual(exitCode, 0, stderr)
        assert.deepInclude(yield* place.stats, { maxApiInFlight: 1, overlaps: 0, logins: 4 })
        assert.deepStrictEqual(readdirSync(locks), [])
      })
  )
})
