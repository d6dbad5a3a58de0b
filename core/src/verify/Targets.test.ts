import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path, PlatformError } from "effect"
import type { Manifest } from "./Manifest.ts"
import { findTargets, type Target } from "./Targets.ts"

const roleText = ({ role }: Target): string => {
  switch (role._tag) {
    case "File":
      return `${role.checksum?.kind ?? role.named?.kind ?? "?"} ${role.bytes}`
    case "Unreadable":
      return `Unreadable ${role.errno}`
    case "Absent":
      return `Absent ${role.reason}`
    default:
      return role._tag
  }
}

/** A folder with files of as many bytes as their numbers say; those that end in `/` are folders. */
const folderOf = Effect.fnUntraced(function* (files: Readonly<Record<string, number>>) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const root = yield* fs.makeTempDirectoryScoped()
  for (const [name, size] of Object.entries(files)) {
    const file = path.join(root, name)
    yield* fs.makeDirectory(name.endsWith("/") ? file : path.dirname(file), { recursive: true })
    if (!name.endsWith("/")) yield* fs.writeFile(file, new Uint8Array(size))
  }
  const find = (names: ReadonlyArray<string>, manifest: Parameters<typeof findTargets>[1] = null) =>
    Effect.map(
      findTargets(
        names.map((name) => path.join(root, name)),
        manifest
      ),
      (targets) => targets.map((target) => `${target.path.replace(`${root}/`, "")} ${roleText(target)}`)
    )
  return { fs, path, root, find }
})

layer(NodeServices.layer, { excludeTestServices: true })("targets", (it) => {
  it.effect("a folder without any file is one, unless another operand has named its files", () =>
    Effect.gen(function* () {
      const { find } = yield* folderOf({ "empty/": 0, "hollow/in/side/": 0, "full/a.bam": 1 })
      assert.deepStrictEqual(yield* find(["empty", "hollow", "full"]), [
        "empty Empty",
        "hollow Empty",
        "full/a.bam bam 1"
      ])
      assert.deepStrictEqual(yield* find(["full/a.bam", "full"]), ["full/a.bam bam 1"])
    })
  )

  it.effect("folders are searched to any depth, indexes come last, journals and locks are left out", () =>
    Effect.gen(function* () {
      const { find } = yield* folderOf({
        "a.bam.bai": 3,
        "z.bam": 1,
        "deep/er/b.vcf.gz.tbi": 4,
        "deep/er/b.vcf.gz": 2,
        "notes.txt": 5,
        ".a.bam.0123abcd.part": 6,
        ".a.bam.0123abcd.part.json": 7,
        ".a.bam.0123abcd.part.lock": 8
      })
      assert.deepStrictEqual(yield* find(["."]), [
        ".a.bam.0123abcd.part Part",
        "deep/er/b.vcf.gz vcf.gz 2",
        "notes.txt ? 5",
        "z.bam bam 1",
        "a.bam.bai bam.bai 3",
        "deep/er/b.vcf.gz.tbi vcf.gz.tbi 4"
      ])
    })
  )

  it.effect(
    "checksums of known files come after them and their indexes; those of other files are of no known kind",
    () =>
      Effect.gen(function* () {
        const { find } = yield* folderOf({
          "a.bam": 1,
          "a.bam.bai": 2,
          "a.bam.bai.sha256": 3,
          "a.bam.md5": 4,
          "notes.txt.md5": 5
        })
        assert.deepStrictEqual(yield* find(["."]), [
          "a.bam bam 1",
          "notes.txt.md5 ? 5",
          "a.bam.bai bam.bai 2",
          "a.bam.bai.sha256 sha256 3",
          "a.bam.md5 md5 4"
        ])
      })
  )

  it.effect("a data file brings the indexes and checksums that lie beside it, and nothing else", () =>
    Effect.gen(function* () {
      const { find } = yield* folderOf({
        "a.bam": 1,
        "a.bai": 2,
        "a.bam.md5": 3,
        "a.bai.sha256": 4,
        "a.vcf.gz": 5,
        "b.bam": 6,
        "b.bam.bai": 7,
        "b.bam.csi/": 0
      })
      assert.deepStrictEqual(yield* find(["a.bam", "b.bam.bai"]), [
        "a.bam bam 1",
        "a.bai bam.bai 2",
        "b.bam.bai bam.bai 7",
        "a.bam.md5 md5 3",
        "a.bai.sha256 sha256 4"
      ])
    })
  )

  it.effect("each file counts once, however often and by whatever path it is named", () =>
    Effect.gen(function* () {
      const { find } = yield* folderOf({ "sub/a.bam": 1 })
      assert.deepStrictEqual(yield* find(["sub/a.bam", "sub", "sub/../sub/a.bam"]), ["sub/a.bam bam 1"])
    })
  )

  it.effect("a link to a folder is not followed, so a circle ends", () =>
    Effect.gen(function* () {
      const { find, fs, path, root } = yield* folderOf({ "sub/a.bam": 1 })
      yield* fs.symlink(root, path.join(root, "sub", "circle"))
      yield* fs.symlink(path.join(root, "sub", "a.bam"), path.join(root, "linked.bam"))
      assert.deepStrictEqual(yield* find(["."]), ["linked.bam bam 1", "sub/a.bam bam 1"])
    })
  )

  it.effect("what is not there is missing, also below a file; what is no file cannot be read", () =>
    Effect.gen(function* () {
      const { find } = yield* folderOf({ "a.bam": 1 })
      assert.deepStrictEqual(yield* find(["gone.bam", "a.bam/inside.bam"]), [
        "gone.bam Missing",
        "a.bam/inside.bam Missing"
      ])
      const device = yield* findTargets(["/dev/null"], null)
      assert.deepStrictEqual(device.map(roleText), ["Unreadable it is no file"])
    })
  )

  it.effect("K6 a file or folder that may not be read is reported and stops nothing", () => {
    const denied = (method: string, path: string, code: string | null) =>
      Effect.fail(
        PlatformError.systemError({
          _tag: "PermissionDenied",
          module: "FileSystem",
          method,
          pathOrDescriptor: path,
          ...(code === null ? {} : { cause: Object.assign(new Error(code), { code }) })
        })
      )
    const guarded = Layer.effect(
      FileSystem.FileSystem,
      Effect.map(FileSystem.FileSystem, (fs) => ({
        ...fs,
        stat: (path: string) =>
          path.endsWith("secret.bam")
            ? denied("stat", path, "EACCES")
            : path.endsWith("odd.bam")
              ? denied("stat", path, null)
              : fs.stat(path),
        readDirectory: (path: string) =>
          path.endsWith("closed") ? denied("readDirectory", path, "EACCES") : fs.readDirectory(path)
      }))
    )
    return Effect.gen(function* () {
      const { find } = yield* folderOf({ "a.bam": 1, "secret.bam": 2, "odd.bam": 2, "closed/": 0, "open/b.bam": 3 })
      assert.deepStrictEqual(yield* find(["."]), [
        "a.bam bam 1",
        "closed Unreadable EACCES",
        "odd.bam Unreadable EIO",
        "open/b.bam bam 3",
        "secret.bam Unreadable EACCES"
      ])
    }).pipe(Effect.provide(guarded))
  })

  const entry = (path: string) => ({ path, bytes: 1, sha256: null })
  const manifestOf = (file: string, paths: ReadonlyArray<string>, absent: Manifest["absent"] = []) => ({
    file,
    entries: paths.map(entry),
    absent
  })

  it.effect("what a manifest names is found at its path or beside the manifest, else it is missing", () =>
    Effect.gen(function* () {
      const { find, path, root } = yield* folderOf({
        "far/a.bam": 1,
        "far/sub/b.bam": 2,
        "here/c.bam": 3,
        "far/d.bam/": 0
      })
      const manifest = manifestOf(path.join(root, "far", "report.json"), [
        "elsewhere/a.bam",
        "sub/b.bam",
        path.join(root, "here", "c.bam"),
        "d.bam",
        "lost.bam"
      ])
      assert.deepStrictEqual(yield* find([], manifest), [
        "far/a.bam bam 1",
        "far/sub/b.bam bam 2",
        "here/c.bam bam 3",
        "d.bam Missing",
        "lost.bam Missing"
      ])
    })
  )

  it.effect("what the manifest does not name is looked at too, and said; what need not be there has its reason", () =>
    Effect.gen(function* () {
      const { path, root } = yield* folderOf({ "a.bam": 1, "extra.bam": 2 })
      const file = path.join(root, "report.json")
      const manifest = manifestOf(file, ["a.bam"], [{ path: "cold.bam", reason: "it was in the archive" }])
      const targets = yield* findTargets([path.join(root, "a.bam"), path.join(root, "extra.bam")], manifest)
      assert.deepStrictEqual(targets.map(roleText), ["bam 1", "Absent it was in the archive", "bam 2"])
      assert.deepStrictEqual(
        targets.map(({ expected, notes }) => [expected?.path, notes]),
        [
          ["a.bam", []],
          [undefined, []],
          [undefined, [`not in ${file}`]]
        ]
      )
    })
  )
})
