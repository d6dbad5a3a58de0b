import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { findLockFolder, unusable, usualFolders } from "./LockFolder.ts"

const folder = temporaryFolder("lock-folder-")

/** No variable says where the locks lie, as in a shell of a user. */
const untold = Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({}))

const common = (uid: number) => ["/var/tmp", "/tmp"].map((at) => join(at, `svc-steps-${uid}`))

/** A home and a place for all users, and the folders of locks in them. */
const places = Effect.gen(function* () {
  const at = yield* folder
  const [home, common] = [join(at, "home"), join(at, "common")]
  mkdirSync(common)
  const [first, second] = [join(home, ".svc-steps", "locks"), join(common, "svc-steps-7")]
  const usual = [
    { path: first, below: home },
    { path: second, below: common }
  ]
  return { home, first, second, find: untold(findLockFolder(null, usual)) }
})

describe("LockFolder", () => {
  it.effect("S7 the usual folder is that of the uid, whatever the environment says", () =>
    Effect.gen(function* () {
      const usual = usualFolders()
      const names = ["HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "USER", "LOGNAME"]
      const before = names.map((name) => [name, process.env[name]] as const)
      const restore = Effect.sync(() => {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
      yield* Effect.sync(() => {
        for (const name of names) process.env[name] = "/elsewhere"
        assert.deepStrictEqual(usualFolders(), usual)
      }).pipe(Effect.ensuring(restore))
      const { homedir, uid } = userInfo()
      assert.deepStrictEqual(
        usual.map(({ path }) => path),
        [join(homedir, ".svc-steps/locks"), ...common(uid)]
      )
    })
  )

  it("a uid without an entry in passwd, and a home that is the root of the disk, have the folders for all users", () => {
    const all = common(12_345)
    for (const home of [null, "/", ""]) {
      const paths = usualFolders({ uid: 12_345, home }).map(({ path }) => path)
      assert.deepStrictEqual(paths, all)
    }
  })

  it.live("the folder in the home is made, for its user alone; a home that is not there is never made", () =>
    Effect.gen(function* () {
      const { find, first, home, second } = yield* places
      assert.deepStrictEqual(yield* find, { path: second, reason: null, chosen: false, insteadOf: null })
      mkdirSync(home)
      assert.deepStrictEqual(yield* find, { path: first, reason: null, chosen: false, insteadOf: null })
      assert.strictEqual(statSync(first).mode & 0o777, 0o700)
      assert.deepStrictEqual(readdirSync(home), [".svc-steps"])
    })
  )

  it.live("SVC_LOCK_DIR moves it, in a program too", () =>
    Effect.gen(function* () {
      const told = join(yield* folder, "told")
      const provider = ConfigProvider.fromUnknown({ SVC_LOCK_DIR: told })
      const found = yield* Effect.provideService(findLockFolder(null), ConfigProvider.ConfigProvider, provider)
      assert.deepStrictEqual(found, { path: told, reason: null, chosen: true, insteadOf: null })
      const other = join(yield* folder, "other")
      const named = yield* Effect.provideService(findLockFolder(other), ConfigProvider.ConfigProvider, provider)
      assert.strictEqual(named.path, other)
    })
  )

  it.live("Z2 a folder that others can write to, or a link in its place, is not used, and that is known", () =>
    Effect.gen(function* () {
      for (const [spoil, reason] of [
        [(at: string) => mkdirSync(at) ?? chmodSync(at, 0o777), "other users may write to it"],
        [(at: string) => mkdirSync(`${at}-elsewhere`) ?? symlinkSync(`${at}-elsewhere`, at), "it is not a folder"]
      ] as const) {
        const { find, first, home, second } = yield* places
        mkdirSync(join(home, ".svc-steps"), { recursive: true })
        spoil(first)
        assert.deepStrictEqual(yield* find, {
          path: second,
          reason: null,
          chosen: false,
          insteadOf: { path: first, reason }
        })
      }
    })
  )

  it.live("where none can be used the first one is named", () =>
    Effect.gen(function* () {
      const usual = ["/proc/svc-steps", "/sys/svc-steps"].map((path) => ({ path, below: "/" }))
      const found = yield* untold(findLockFolder(null, usual))
      assert.deepStrictEqual(found, { path: "/proc/svc-steps", reason: "ENOENT", chosen: false, insteadOf: null })
      const { path, reason } = yield* untold(findLockFolder(null, []))
      assert.deepStrictEqual({ path, reason }, { path: "of this user", reason: "it has no home" })
    })
  )

  it.live("a folder that cannot be made is refused, also where Node's own way would never end", () =>
    Effect.gen(function* () {
      for (const told of ["/proc/svc-steps", "/proc/svc-steps/locks"]) {
        assert.strictEqual(yield* unusable(told, true), "ENOENT")
      }
    })
  )
})
