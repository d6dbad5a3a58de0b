import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { identityOf, type NamedFile, namedLikeData, sharedFiles } from "./NamedFiles.ts"

const written = (path: string, what: string): NamedFile => ({ path, what, use: "written" })
const read = (path: string, what: string): NamedFile => ({ path, what, use: "read" })

layer(NodeServices.layer, { excludeTestServices: true })("the files that a command line names", (it) => {
  const folderWithFile = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    yield* fs.writeFileString(`${folder}/a`, "text")
    yield* fs.symlink(".", `${folder}/here`)
    return folder
  })

  it.effect("Z8 are one by another way, by a link of either kind, and by a link to nothing yet", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* folderWithFile
      yield* fs.link(`${folder}/a`, `${folder}/hard`)
      yield* fs.symlink("a", `${folder}/soft`)
      yield* fs.symlink("later", `${folder}/dangling`)
      yield* fs.symlink("loop", `${folder}/loop`)
      const same = Effect.fnUntraced(function* (one: string, other: string) {
        const ids = yield* Effect.all([identityOf(`${folder}/${one}`), identityOf(`${folder}/${other}`)])
        return ids[0] !== null && ids[0] === ids[1]
      })
      for (const other of ["./a", "here/a", "hard", "soft"]) assert.isTrue(yield* same("a", other), other)
      assert.isTrue(yield* same("later", "dangling"))
      assert.isTrue(yield* same("later", "here/later"))
      assert.isTrue(yield* same("no/such/file", "here/no/such/file"))
      assert.isFalse(yield* same("a", "later"))
      assert.isFalse(yield* same("b/later", "later"))
      assert.isNull(yield* identityOf(`${folder}/loop`))
    })
  )

  it.effect(
    "Z8 are one where they would differ only in case or composition; files that are there tell it themselves",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* folderWithFile
        const [composed, decomposed] = ["caf\u00e9.json", "cafe\u0301.json"]
        assert.strictEqual(yield* identityOf(`${folder}/${composed}`), yield* identityOf(`${folder}/${decomposed}`))
        assert.strictEqual(yield* identityOf(`${folder}/Run.log`), yield* identityOf(`${folder}/RUN.log`))
        yield* fs.writeFileString(`${folder}/Run.log`, "")
        const folds = yield* fs.exists(`${folder}/RUN.log`)
        const ids = yield* Effect.all([identityOf(`${folder}/Run.log`), identityOf(`${folder}/RUN.log`)])
        assert.strictEqual(ids[0] === ids[1], folds)
      })
  )

  it.effect("Z8 may be one where none is written to, or where it is a device", () =>
    Effect.gen(function* () {
      const folder = yield* folderWithFile
      const [log, report] = [written(`${folder}/a`, "the log file"), written(`${folder}/here/a`, "the report file")]
      assert.deepStrictEqual(yield* sharedFiles([log, report]), [
        `${folder}/a and ${folder}/here/a are the same file, which cannot be the log file and the report file at once: ` +
          "name another file for one of them"
      ])
      assert.strictEqual((yield* sharedFiles([log, read(`${folder}/a`, "the BED file")])).length, 1)
      const both = [read(`${folder}/a`, "the BED file"), read(`${folder}/a`, "the CA file")]
      assert.deepStrictEqual(yield* sharedFiles(both), [])
      const devices = [written("/dev/null", "the log file"), written("/dev/null", "the report file")]
      assert.deepStrictEqual(yield* sharedFiles(devices), [])
    })
  )

  it.effect(
    "P1 a restoration file and its copy may be one file, as a killed run leaves them, but no third one with them",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* folderWithFile
        yield* fs.link(`${folder}/a`, `${folder}/a.bak`)
        const original = written(`${folder}/a`, "the restoration file")
        const copy = { ...written(`${folder}/a.bak`, "its copy"), copies: `${folder}/a` }
        assert.deepStrictEqual(yield* sharedFiles([original, copy]), [])
        const log = written(`${folder}/a.bak`, "the log file")
        assert.strictEqual((yield* sharedFiles([original, copy, log])).length, 1)
      })
  )

  it.effect("Z8 what is written beside data has no name that data has, in any case", () =>
    Effect.sync(() => {
      const names = [
        "S1.bam",
        "d/S1.BAM.bai",
        "S1.vcf.gz",
        "S1.bam.md5",
        "S1.bcf.csi",
        "d/.S1.bam.1F0C93ab.part",
        ".x.00000000.part.json"
      ]
      const files = [...names, "S1.bam.log", "r.json", "d.00000000.part/r.json", ".S1.bam.part"].map((path) =>
        written(path, "the log file")
      )
      const refused = namedLikeData([...files, read("S2.bam", "the BED file")])
      assert.deepStrictEqual(
        refused.map((sentence) => sentence.split(" ")[0]),
        names
      )
    })
  )
})
