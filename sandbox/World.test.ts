import { readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { lacks, realFolder, unless } from "../test/Lacks.ts"
import { type ListedFile, say, visit } from "../test/servers/Visitor.ts"
import { type SandboxOptions, start } from "./Sandbox.ts"

const names = (files: ReadonlyArray<ListedFile>) => files.map((file) => file.fileName)

const folderWith = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const dir = yield* fs.makeTempDirectoryScoped()
  for (const [name, content] of Object.entries(files)) yield* fs.writeFileString(`${dir}/${name}`, content)
  return dir
})

layer(NodeServices.layer, { excludeTestServices: true })("world", (it) => {
  it.effect("without --data: several people, an archived BAM, variants alone, a CNV analysis", () =>
    Effect.gen(function* () {
      const { analyses, files } = yield* visit()
      const items = yield* analyses
      assert.deepStrictEqual(
        items.map((item) => item.id),
        ["A1", "A2", "A3", "A4", "A5", "A6"]
      )
      assert.isAtLeast(new Set(items.map((item) => item.personLimsId)).size, 3)
      assert.deepStrictEqual(names(yield* files("A1")), ["S1.bam", "S1.bam.bai", "S1.vcf.gz", "S1.vcf.gz.tbi"])
      const archived = (yield* files("A3")).map((file) => [file.fileName, file.currentlyArchived])
      assert.deepStrictEqual(archived, [
        ["S3.bam", true],
        ["S3.bam.bai", false]
      ])
      assert.deepStrictEqual(names(yield* files("A4")), ["S3.vcf.gz", "S3.vcf.gz.tbi"])
      assert.deepStrictEqual(yield* files("A5"), [])
    })
  )

  it.effect("the same seed makes the same bytes, another seed others", () =>
    Effect.gen(function* () {
      const bytes = Effect.fnUntraced(function* (seed: number) {
        const { files } = yield* visit({ behaviour: { seed } })
        return (yield* say((yield* files("A1"))[0]?.downloadLink ?? "")).body
      })
      const one = yield* bytes(1)
      assert.isTrue(one.equals(yield* bytes(1)))
      assert.isFalse(one.equals(yield* bytes(2)))
    })
  )

  describe("--data", () => {
    it.effect("makes one analysis of each base name, in the order of the names", () =>
      Effect.gen(function* () {
        const dir = yield* folderWith({
          "b.bam": "b",
          "b.bam.bai": "",
          "a.vcf.gz": "a",
          "a.vcf.gz.tbi": "",
          "b.vcf.gz": "v",
          "c.archived.bam": "c",
          "c.archived.bam.bai": "",
          "lonely.bam.bai": "",
          "notes.txt": ""
        })
        const { analyses, files } = yield* visit({ data: dir })
        assert.deepStrictEqual(
          (yield* analyses).map((item) => [item.id, item.sampleId]),
          [
            ["A1", "a"],
            ["A2", "b"],
            ["A3", "c.archived"]
          ]
        )
        assert.deepStrictEqual(names(yield* files("A2")), ["b.bam", "b.bam.bai", "b.vcf.gz"])
        assert.deepStrictEqual(
          (yield* files("A3")).map((file) => [file.fileName, file.currentlyArchived]),
          [
            ["c.archived.bam", true],
            ["c.archived.bam.bai", false]
          ]
        )
      })
    )

    it.effect("D16 an index may have its suffix in place of that of its data", () =>
      Effect.gen(function* () {
        const content = ["a.bam", "a.bai", "a.vcf.gz", "a.vcf.tbi", "b.bam", "b.csi", "c.bai", "d.bed.gz.csi"]
        const dir = yield* folderWith(Object.fromEntries(content.map((name) => [name, name])))
        const { analyses, files } = yield* visit({ data: dir })
        assert.deepStrictEqual(
          (yield* analyses).map((item) => item.sampleId),
          ["a", "b"]
        )
        assert.deepStrictEqual(names(yield* files("A1")), ["a.bai", "a.bam", "a.vcf.gz", "a.vcf.tbi"])
        assert.deepStrictEqual(names(yield* files("A2")), ["b.bam", "b.csi"])
      })
    )

    it.effect(
      "serves real files byte for byte, index beside its file",
      () =>
        Effect.gen(function* () {
          const { analyses, files } = yield* visit({ data: realFolder })
          let served = 0
          for (const { id } of yield* analyses) {
            const listed = yield* files(id)
            assert.isTrue(/\.(bam|vcf\.gz)$/.test(listed[0]?.fileName ?? ""), `${id} begins with its data`)
            for (const { downloadLink, fileName, size } of listed) {
              const { body } = yield* say(downloadLink ?? "")
              assert.isTrue(body.equals(readFileSync(`${realFolder}/${fileName}`)), fileName)
              assert.strictEqual(body.length, size)
              served++
            }
          }
          assert.isAbove(served, 20)
        }),
      unless(lacks.realFiles)
    )

    it.effect("without a file to serve is an error that names the folder", () =>
      Effect.gen(function* () {
        const dir = yield* folderWith({ "notes.txt": "" })
        const error = yield* Effect.flip(start({ data: dir }))
        assert.strictEqual(error.message, `${dir}: no *.bam and no *.vcf.gz in it`)
      })
    )
  })

  describe("world file", () => {
    it.effect("adds and changes accounts, people, analyses and files", () =>
      Effect.gen(function* () {
        const dir = yield* folderWith({ "x.bam": "from disk" })
        const world = {
          accounts: [{ user: "ada", password: "pw" }],
          persons: [{ limsId: "L/7 ü", id: 77, personalInformation: { firstName: "Zoë", shoeSize: 38 } }],
          analyses: [
            {
              id: "A2",
              item: { futureField: { deep: [1] }, status: "PAUSED" },
              files: [{ name: "S2.bam", archived: true }]
            },
            {
              id: "NEW",
              personLimsId: "L/7 ü",
              sampleId: "x",
              files: [
                { name: "x.bam", path: "x.bam", listedSize: null },
                { name: "../evil\u0000.bam", base64: "AAEC" },
                { name: "copy.bam", copyOf: "A1/S1.bam" },
                { name: "far.bam", copyOf: "A1/S1.bam", link: "http://169.254.169.254/meta" }
              ]
            }
          ]
        }
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(`${dir}/world.json`, JSON.stringify(world))
        const { analyses, files, payload, sandbox } = yield* visit({ world: `${dir}/world.json` })
        assert.deepStrictEqual([sandbox.user, sandbox.password], ["ada", "pw"])
        assert.deepStrictEqual((yield* payload("/api/person/L%2F7%20%C3%BC")).personalInformation, {
          limsId: "L/7 ü",
          firstName: "Zoë",
          shoeSize: 38
        })
        const changed = (yield* payload("/api/analyses?analysisIds=A2"))[0]
        assert.deepStrictEqual([changed.futureField, changed.status], [{ deep: [1] }, "PAUSED"])
        assert.isTrue((yield* files("A2"))[0]?.currentlyArchived)
        assert.strictEqual((yield* analyses).at(-1)?.id, "NEW")
        const [disk, evil, copy, far] = yield* files("NEW")
        assert.strictEqual((yield* say(disk?.downloadLink ?? "")).body.toString(), "from disk")
        assert.isNull(disk?.size)
        assert.deepStrictEqual(
          [evil?.fileName, [...(yield* say(evil?.downloadLink ?? "")).body]],
          ["../evil\u0000.bam", [0, 1, 2]]
        )
        assert.strictEqual((yield* say(copy?.downloadLink ?? "")).body.length, copy?.size)
        assert.strictEqual(far?.downloadLink, "http://169.254.169.254/meta")
      })
    )

    it.effect("can start with nothing", () =>
      Effect.gen(function* () {
        const { analyses } = yield* visit({ world: { empty: true, analyses: [{ id: 1 }] } })
        assert.deepStrictEqual(
          (yield* analyses).map((item) => item.id),
          [1]
        )
      })
    )

    it.effect("that is wrong is an error that says where", () =>
      Effect.gen(function* () {
        const dir = yield* folderWith({ "broken.json": "{", "typo.json": '{"analyses":[{"id":"A1","file":[]}]}' })
        const message = (world: NonNullable<SandboxOptions["world"]>) =>
          Effect.map(Effect.flip(start({ world })), (error) => error.message)
        assert.include(yield* message(`${dir}/absent.json`), "absent.json")
        assert.include(yield* message(`${dir}/broken.json`), "broken.json")
        assert.include(yield* message(`${dir}/typo.json`), "typo.json: analyses[0].file: ")
        const noBytes = { analyses: [{ id: "A1", files: [{ name: "n.bam" }] }] }
        assert.include(yield* message(noBytes), "A1/n.bam: give path, base64, or copyOf")
      })
    )
  })
})
