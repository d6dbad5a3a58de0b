import { execFileSync, spawnSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { CannotCreate, LocalIo } from "../../core/src/Errors.ts"
import { algorithms } from "../../core/src/transfer/Digests.ts"
import { type PartFile, PartFiles, type PartPlace, placeOf } from "../../core/src/transfer/PartFiles.ts"
import { unless } from "../../test/Lacks.ts"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import * as Live from "./NodePartFiles.ts"

const identity = "0123456789abcdef"
const bytes = randomBytes(1000)

interface Ground {
  readonly files: PartFiles["Service"]
  readonly place: PartPlace
  readonly folder: string
  /** A path in the folder. */
  readonly at: (name: string) => string
  readonly names: () => ReadonlyArray<string>
}

/** A test in a folder of its own. */
const inFolder = <A, E>(name: string, test: (ground: Ground) => Effect.Effect<A, E, import("effect").Scope.Scope>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder("part-files-")
      const files = yield* PartFiles
      const at = (each: string) => join(folder, each)
      return yield* test({
        files,
        place: placeOf(folder, "s.bam", identity),
        folder,
        at,
        names: () => readdirSync(folder).sort()
      })
    }).pipe(Effect.provide(Live.layer))
  )

const written = Effect.fnUntraced(function* ({ files, place }: Ground, content: Uint8Array = bytes) {
  const part = yield* files.create(place)
  yield* files.writeJournal(place, "{}")
  yield* part.write(0, content)
  return part
})

const refused = Effect.fnUntraced(function* (ground: Ground, what: RegExp) {
  const { files, place } = ground
  const actions: ReadonlyArray<Effect.Effect<unknown, CannotCreate | LocalIo, Scope.Scope>> = [
    files.settleExisting(place),
    files.reopen(place),
    files.create(place),
    files.readJournal(place),
    files.writeJournal(place, "{}")
  ]
  for (const action of actions) {
    const error = yield* Effect.scoped(action).pipe(
      Effect.flip,
      Effect.orElseSucceed(() => null)
    )
    if (error !== null && what.test(error.message)) return error._tag
  }
  return null
})

const makeFifo = (path: string) => execFileSync("mkfifo", [path])

describe("NodePartFiles", () => {
  inFolder("a file beside a part is read where it is one, and nothing else is", ({ at, files, folder }) =>
    Effect.gen(function* () {
      writeFileSync(at("s.bam"), bytes)
      mkdirSync(at("folder"))
      execFileSync("mkfifo", [at("pipe")])
      const found = yield* files.beside(folder, "s.bam")
      assert.strictEqual(found?.size, bytes.length)
      assert.deepStrictEqual(Buffer.from(found === null ? [] : yield* found.read(900, 500)), bytes.subarray(900))
      for (const name of ["folder", "pipe", "nothing"]) assert.isNull(yield* files.beside(folder, name))
    })
  )

  inFolder(
    "a file beside a part is known to be the same until it is written to, replaced or removed",
    ({ at, files, folder }) =>
      Effect.gen(function* () {
        const changes: ReadonlyArray<readonly [boolean, (path: string) => void]> = [
          [true, () => undefined],
          [false, (path) => writeFileSync(path, "more", { flag: "a" })],
          [false, (path) => utimesSync(path, 1, 1)],
          [false, (path) => rmSync(path)],
          [
            false,
            (path) => {
              const { atime, mtime } = statSync(path)
              writeFileSync(at("other"), bytes)
              utimesSync(at("other"), atime, mtime)
              renameSync(at("other"), path)
            }
          ]
        ]
        for (const [same, change] of changes) {
          writeFileSync(at("s.bam"), bytes)
          const found = yield* files.beside(folder, "s.bam")
          change(at("s.bam"))
          assert.strictEqual(found === null ? null : yield* found.unchanged, same)
        }
      })
  )

  inFolder("a part becomes the file, and nothing is left beside it", (ground) =>
    Effect.gen(function* () {
      const part = yield* written(ground)
      assert.deepStrictEqual(ground.names(), [".s.bam.01234567.part", ".s.bam.01234567.part.json"])
      assert.strictEqual(statSync(ground.at(ground.place.part)).mode & 0o777, 0o600)
      assert.strictEqual(statSync(ground.at(ground.place.journal)).mode & 0o777, 0o600)
      yield* part.commit(bytes.length, false)
      assert.deepStrictEqual(ground.names(), ["s.bam"])
      assert.isTrue(readFileSync(ground.at("s.bam")).equals(bytes))
      assert.strictEqual(statSync(ground.at("s.bam")).nlink, 1)
    })
  )

  inFolder(
    "getting its name makes a file no younger, so an index that was written after its data stays the younger",
    (ground) =>
      Effect.gen(function* () {
        const part = yield* written(ground)
        const before = new Date("2020-01-01T00:00:00Z")
        utimesSync(ground.at(ground.place.part), before, before)
        yield* part.commit(bytes.length, false)
        assert.strictEqual(statSync(ground.at("s.bam")).mtimeMs, before.getTime())
      })
  )

  for (const mask of [0o000, 0o022, 0o077]) {
    it.live(`K6 the file has the mode of the user's umask ${mask.toString(8).padStart(3, "0")}`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder("part-files-")
        yield* Effect.acquireRelease(
          Effect.sync(() => process.umask(mask)),
          (old) => Effect.sync(() => process.umask(old))
        )
        const place = placeOf(folder, "s.bam", identity)
        yield* Effect.gen(function* () {
          const part = yield* (yield* PartFiles).create(place)
          yield* part.commit(0, false)
        }).pipe(Effect.scoped, Effect.provide(Live.layer))
        assert.strictEqual(statSync(join(folder, "s.bam")).mode & 0o777, 0o666 & ~mask)
      })
    )
  }

  // The owner, and users of group 100, by a default ACL: tag, rights and id of each entry.
  const shared = `
import os, struct, sys
everyone = 0xFFFFFFFF
entries = [(1, 6, everyone), (4, 0, everyone), (8, 6, 100), (16, 6, everyone), (32, 0, everyone)]
os.setxattr(sys.argv[1], "system.posix_acl_default", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries))`
  const probe = mkdtempSync(join(tmpdir(), "acl-"))
  const hasAcl = spawnSync("python3", ["-c", shared, probe]).status === 0
  rmSync(probe, { recursive: true })

  it.live(
    "K6 in a folder that is shared by a default ACL the file is for those whom it names, also one that was resumed",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder("part-files-")
        execFileSync("python3", ["-c", shared, folder])
        yield* Effect.acquireRelease(
          Effect.sync(() => process.umask(0o077)),
          (old) => Effect.sync(() => process.umask(old))
        )
        for (const begin of ["create", "reopen"] as const) {
          const place = placeOf(folder, `${begin}.bam`, identity)
          yield* Effect.gen(function* () {
            const files = yield* PartFiles
            if (begin === "reopen") writeFileSync(join(folder, place.part), "", { mode: 0o600 })
            const part = yield* files[begin](place)
            assert.isNotNull(part)
            yield* part?.commit(0, false) ?? Effect.void
          }).pipe(Effect.scoped, Effect.provide(Live.layer))
          // Where there is an ACL, what stands in the place of the group's rights bounds those of all whom it names.
          assert.strictEqual(statSync(join(folder, place.name)).mode & 0o777, 0o660, begin)
        }
        assert.deepStrictEqual(readdirSync(folder).sort(), ["create.bam", "reopen.bam"])
      }),
    unless(hasAcl ? null : "python3, which sets an ACL")
  )

  inFolder("a file that appears during the download is not replaced, unless overwriting was asked for", (ground) =>
    Effect.gen(function* () {
      const part = yield* written(ground)
      writeFileSync(ground.at("s.bam"), "old")
      const error = yield* Effect.flip(part.commit(bytes.length, false))
      assert.strictEqual(error._tag, "SvcCannotCreate")
      assert.strictEqual(readFileSync(ground.at("s.bam"), "utf8"), "old")
      yield* part.commit(bytes.length, true)
      assert.isTrue(readFileSync(ground.at("s.bam")).equals(bytes))
    })
  )

  inFolder("what a crash in the middle of a commit left is cleared away", (ground) =>
    Effect.gen(function* () {
      yield* Effect.scoped(written(ground))
      linkSync(ground.at(ground.place.part), ground.at("s.bam"))
      assert.strictEqual(yield* ground.files.settleExisting(ground.place), bytes.length)
      assert.deepStrictEqual(ground.names(), ["s.bam"])
    })
  )

  inFolder("an unfinished part of another run stays when the file is there", (ground) =>
    Effect.gen(function* () {
      yield* Effect.scoped(written(ground))
      writeFileSync(ground.at("s.bam"), "old")
      assert.strictEqual(yield* ground.files.settleExisting(ground.place), 3)
      assert.strictEqual(ground.names().length, 3)
    })
  )

  const digest = (content: Uint8Array) => createHash("sha256").update(content).digest("hex")
  const sha256Of = (part: PartFile, size: number) =>
    Effect.map(part.digests(size, ["sha256"]), (digests) => digests.get("sha256"))
  const upTo = Effect.fnUntraced(function* (part: PartFile, content: Uint8Array, from = 0) {
    for (let at = from; at < content.length; at += 1_000_000) {
      yield* part.write(at, content.subarray(at, at + 1_000_000))
      yield* part.finalUpTo(Math.min(at + 1_000_000, content.length), ["sha256"])
    }
  })

  /** Of which a digest of 32 MiB and more follows. */
  const content = randomBytes(41_000_001)

  inFolder("the digest follows large files and waits for small ones", (ground) =>
    Effect.gen(function* () {
      for (const size of [0, 1, 32 * 1024 * 1024 - 1, 32 * 1024 * 1024]) {
        const part = yield* ground.files.create(ground.place)
        yield* upTo(part, content.subarray(0, size))
        assert.strictEqual(yield* sha256Of(part, size), digest(content.subarray(0, size)), String(size))
      }
    }).pipe(Effect.scoped)
  )

  inFolder("several digests are computed at once, also those that are asked for only in the end", (ground) =>
    Effect.gen(function* () {
      const check = new TextEncoder().encode("123456789")
      for (const content of [check, Buffer.concat([Buffer.alloc(33 * 1024 * 1024, 7), check])]) {
        const part = yield* ground.files.create(ground.place)
        yield* upTo(part, content)
        const digests = yield* part.digests(content.length, algorithms)
        assert.deepStrictEqual(Object.fromEntries(digests), {
          ...Object.fromEntries(
            ["md5", "sha1", "sha256", "sha512"].map((one) => [one, createHash(one).update(content).digest("hex")])
          ),
          crc32: crc32(content).toString(16).padStart(8, "0"),
          // The check value of CRC-32C in the catalogue of CRC algorithms; the other was computed byte by byte.
          crc32c: content.length === 9 ? "e3069283" : "238199b7"
        })
      }
    }).pipe(Effect.scoped)
  )

  inFolder("a checksum of a file that is there, and a text in place as a whole", ({ at, files, folder, names }) =>
    Effect.gen(function* () {
      writeFileSync(at("s.bam"), bytes)
      const hex = yield* files.digest(folder, "s.bam", "md5")
      assert.strictEqual(hex, createHash("md5").update(bytes).digest("hex"))
      yield* files.replaceText(folder, "s.bam.md5", "old")
      yield* files.replaceText(folder, "s.bam.md5", `${hex}  s.bam\n`)
      assert.deepStrictEqual(names(), ["s.bam", "s.bam.md5"])
      assert.include(execFileSync("md5sum", ["-c", "s.bam.md5"], { cwd: folder, encoding: "utf8" }), "s.bam: OK")
      symlinkSync("s.bam", at("link"))
      assert.strictEqual((yield* Effect.flip(files.replaceText(folder, "link", "x")))._tag, "SvcCannotCreate")
      assert.deepStrictEqual(readFileSync(at("s.bam")), bytes)
    })
  )

  inFolder("a resumed part has the digest of all its bytes", (ground) =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.flatMap(ground.files.create(ground.place), (part) => upTo(part, content.subarray(0, 34_000_000)))
      )
      const part = yield* ground.files.reopen(ground.place)
      assert.isNotNull(part)
      if (part === null) return
      yield* part.finalUpTo(34_000_000, ["sha256"])
      yield* upTo(part, content, 34_000_000)
      assert.strictEqual(yield* sha256Of(part, content.length), digest(content))
    })
  )

  inFolder("a digest that is not wanted any more does not disturb the next", (ground) =>
    Effect.gen(function* () {
      const other = Buffer.alloc(34_000_000, 1)
      for (let round = 0; round < 3; round++) {
        yield* Effect.scoped(Effect.flatMap(ground.files.create(ground.place), (part) => upTo(part, other)))
      }
      const wanted = content.subarray(0, other.length)
      const part = yield* ground.files.create(ground.place)
      yield* upTo(part, wanted)
      assert.strictEqual(yield* sha256Of(part, wanted.length), digest(wanted))
    })
  )

  inFolder("a file cut by someone else is an error of the digest, not a wait for ever", (ground) =>
    Effect.gen(function* () {
      const part = yield* ground.files.create(ground.place)
      yield* upTo(part, content.subarray(0, 34_000_000))
      truncateSync(ground.at(ground.place.part), 0)
      assert.strictEqual((yield* Effect.flip(sha256Of(part, 30_000_000)))._tag, "SvcLocalIo")
    })
  )

  const plants: ReadonlyArray<readonly [string, RegExp, (path: string, ground: Ground) => void]> = [
    ["a symbolic link", /a symbolic link of that name/, (path, { at }) => symlinkSync(at("secret"), path)],
    ["a dangling symbolic link", /a symbolic link of that name/, (path, { at }) => symlinkSync(at("nowhere"), path)],
    ["a pipe", /a pipe of that name/, (path) => makeFifo(path)],
    ["a directory", /a directory of that name/, (path) => mkdirSync(path)]
  ]
  for (const [what, message, plant] of plants) {
    for (const where of ["name", "part", "journal"] as const) {
      inFolder(
        `Z2 Z4 ${what} in place of the ${where === "name" ? "final file" : where} is refused and not followed`,
        (ground) =>
          Effect.gen(function* () {
            writeFileSync(ground.at("secret"), "secret")
            plant(ground.at(ground.place[where]), ground)
            assert.strictEqual(yield* refused(ground, message), "SvcCannotCreate")
            assert.strictEqual(readFileSync(ground.at("secret"), "utf8"), "secret")
            assert.isFalse(existsSync(ground.at("nowhere")))
          })
      )
    }
  }

  inFolder("Z2 a link planted at the final name during the download is not followed", (ground) =>
    Effect.gen(function* () {
      const part = yield* written(ground)
      writeFileSync(ground.at("secret"), "secret")
      yield* part.checkName(false)
      assert.isFalse(yield* ground.files.isThere(ground.folder, "s.bam"))
      assert.isTrue(yield* ground.files.isThere(ground.folder, "secret"))
      symlinkSync(ground.at("secret"), ground.at("s.bam"))
      assert.strictEqual((yield* Effect.flip(ground.files.isThere(ground.folder, "s.bam")))._tag, "SvcCannotCreate")
      for (const overwrite of [false, true]) {
        assert.strictEqual((yield* Effect.flip(part.checkName(overwrite)))._tag, "SvcCannotCreate")
        assert.strictEqual((yield* Effect.flip(part.commit(bytes.length, overwrite)))._tag, "SvcCannotCreate")
      }
      assert.strictEqual(readFileSync(ground.at("secret"), "utf8"), "secret")
    })
  )

  inFolder("Z2 a link planted where the journal is written anew is removed, not followed", (ground) =>
    Effect.gen(function* () {
      writeFileSync(ground.at("secret"), "secret")
      symlinkSync(ground.at("secret"), `${ground.at(ground.place.journal)}.new`)
      yield* ground.files.writeJournal(ground.place, "{}")
      assert.strictEqual(readFileSync(ground.at("secret"), "utf8"), "secret")
      assert.isTrue(lstatSync(ground.at(ground.place.journal)).isFile())
    })
  )

  inFolder(
    "Z4 a part with a second name is not written to, and a second name of the final file keeps its bytes",
    (ground) =>
      Effect.gen(function* () {
        writeFileSync(ground.at("precious"), "precious")
        linkSync(ground.at("precious"), ground.at(ground.place.part))
        assert.isNull(yield* ground.files.reopen(ground.place))
        linkSync(ground.at("precious"), ground.at("s.bam"))
        const part = yield* written(ground)
        yield* part.commit(bytes.length, true)
        assert.strictEqual(readFileSync(ground.at("precious"), "utf8"), "precious")
        assert.isTrue(readFileSync(ground.at("s.bam")).equals(bytes))
      })
  )

  inFolder("Z3 K5 a folder that is moved and replaced during the download gets no file", (ground) =>
    Effect.gen(function* () {
      const inner = ground.at("out")
      mkdirSync(inner)
      const place = placeOf(inner, "s.bam", identity)
      const part = yield* ground.files.create(place)
      yield* part.write(0, bytes)
      renameSync(inner, ground.at("moved"))
      assert.strictEqual((yield* Effect.flip(part.commit(bytes.length, false)))._tag, "SvcCannotCreate")
      mkdirSync(inner)
      assert.strictEqual((yield* Effect.flip(part.commit(bytes.length, false)))._tag, "SvcCannotCreate")
      assert.deepStrictEqual(readdirSync(inner), [])
    })
  )

  inFolder("P9 a part that was replaced under us is not committed", (ground) =>
    Effect.gen(function* () {
      const part = yield* written(ground)
      rmSync(ground.at(ground.place.part))
      writeFileSync(ground.at(ground.place.part), "another run's")
      assert.strictEqual((yield* Effect.flip(part.commit(bytes.length, false)))._tag, "SvcCannotCreate")
      assert.isFalse(existsSync(ground.at("s.bam")))
    })
  )

  inFolder("K5 a folder that does not exist is said", (ground) =>
    Effect.gen(function* () {
      const place = placeOf(ground.at("missing"), "s.bam", identity)
      assert.strictEqual((yield* Effect.flip(ground.files.create(place)))._tag, "SvcCannotCreate")
      assert.isNull(yield* ground.files.free(place))
    })
  )

  inFolder("K7 a name of 255 bytes works, with letters of several bytes", (ground) =>
    Effect.gen(function* () {
      const name = `${"ä".repeat(125)}x.bam`
      const place = placeOf(ground.folder, name, identity)
      const part = yield* ground.files.create(place)
      yield* ground.files.writeJournal(place, "{}")
      yield* part.commit(0, false)
      assert.deepStrictEqual(ground.names(), [name])
    })
  )

  inFolder("the old journal is gone before a new part begins", (ground) =>
    Effect.gen(function* () {
      yield* Effect.scoped(written(ground))
      yield* ground.files.create(ground.place)
      assert.isNull(yield* ground.files.readJournal(ground.place))
      assert.strictEqual(statSync(ground.at(ground.place.part)).size, 0)
    })
  )
})
