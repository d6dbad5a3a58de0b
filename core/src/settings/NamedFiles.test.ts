import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { destinationProblem, idListsOf, type NamedFile, namedLikeData, sharedFiles, typeAt } from "./NamedFiles.ts"

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

  it.effect("Z8 are one by another way and by a symbolic link, also where nothing is yet", () =>
    Effect.gen(function* () {
      const folder = yield* folderWithFile
      const fs = yield* FileSystem.FileSystem
      yield* fs.symlink("a", `${folder}/soft`)
      const areOne = (one: string, other: string) =>
        Effect.map(
          sharedFiles([written(`${folder}/${one}`, "the log file"), written(`${folder}/${other}`, "the report file")]),
          (said) => said.length === 1
        )
      for (const other of ["./a", "here/a", "soft"]) assert.isTrue(yield* areOne("a", other), other)
      assert.isTrue(yield* areOne("later", "here/later"))
      assert.isTrue(yield* areOne("no/such", "no/such"))
      yield* fs.symlink("here/later", `${folder}/dangling`)
      assert.isTrue(yield* areOne("dangling", "later"))
      yield* fs.symlink("round", `${folder}/round`)
      assert.isFalse(yield* areOne("round", "a"))
      assert.isFalse(yield* areOne("a", "later"))
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

  it.effect("Z8 what is written beside data has no name that data has, in any case", () =>
    Effect.gen(function* () {
      const names = ["S1.bam", "d/S1.BAM.bai", "S1.vcf.gz", "S1.bam.md5"]
      const files = [...names, "S1.bam.log", "r.json"].map((path) => written(path, "the log file"))
      const refused = yield* namedLikeData([...files, read("S2.bam", "the BED file")])
      assert.deepStrictEqual(
        refused.map((sentence) => sentence.split(" ")[0]),
        names
      )
      const folder = yield* folderWithFile
      const fs = yield* FileSystem.FileSystem
      yield* fs.symlink("S1.bam", `${folder}/log`)
      assert.strictEqual((yield* namedLikeData([written(`${folder}/log`, "the log file")])).length, 1)
    })
  )

  it.effect("are told from what is no file: ids, and lists that come by standard input", () =>
    Effect.sync(() =>
      assert.deepStrictEqual(
        idListsOf({ analysisIds: ["A1", "@ids", "@-"], sampleIds: ["@more"] }).map(({ path }) => path),
        ["ids", "more"]
      )
    )
  )

  it.effect("a folder to download into is there, and what stands in its place is said", () =>
    Effect.gen(function* () {
      const folder = yield* folderWithFile
      const fs = yield* FileSystem.FileSystem
      yield* fs.symlink("disk", `${folder}/data`)
      const said = (name: string) =>
        Effect.map(destinationProblem(`${folder}/${name}`), (text) => text?.split(": /")[0])
      assert.deepStrictEqual(yield* Effect.forEach(["here/", "a", "none", "a/none", "data/"], said), [
        undefined,
        "Destination is not a directory",
        "Destination directory does not exist",
        "Destination directory does not exist",
        "Destination is a symbolic link to disk, where nothing is"
      ])
      // What cannot be looked at is not called missing.
      const error = yield* Effect.flip(typeAt(`${folder}/${"x".repeat(300)}`))
      assert.deepInclude(error, { _tag: "SvcLocalIo", errno: "ENAMETOOLONG" })
    })
  )
})
