/** The indexes beside a whole file: which of them go with older data, and the one that is made. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Result } from "effect"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { bamFile, read } from "../genome/Fixtures.ts"
import { withCodec } from "../genome/WithCodec.ts"
import { patterned } from "./ScriptedHost.ts"
import { ground, succeeds } from "./TransferGround.ts"

type Ground = ReturnType<typeof ground>

const bamBytes = Effect.map(Codec, (codec) => bamFile(codec, [read("r", 0, 5)]).bam)

/** Makes the index of `s.bam`. */
const indexed = ({ layer }: Ground) =>
  Effect.flatMap(FileTransfer, (transfer) =>
    transfer.index({ directory: "out", name: "s.bam", checksums: "md5" })
  ).pipe(Effect.provide(layer))

const put = ({ disk }: Ground, ...names: ReadonlyArray<string>) => {
  for (const name of names) disk.files.set(name, patterned(10))
}

describe("indexes beside a file", () => {
  it.effect("where an index is to be made, those of older data are gone before the data has its name", () =>
    Effect.gen(function* () {
      const old = ["s.bam.bai", "s.bam.bai.md5", "s.bam.csi", "s.bai", "s.bai.sha256"]
      for (const overwrite of [true, false]) {
        const g = ground({ request: { makesIndex: true, overwrite } })
        for (const name of overwrite ? ["s.bam", ...old] : old) g.disk.files.set(name, patterned(10))
        let beside: ReadonlyArray<string> = old
        g.disk.fails = (operation) => {
          if (operation === "commit") beside = g.disk.names.filter((name) => old.includes(name))
          return null
        }
        yield* succeeds(g)
        assert.deepStrictEqual(beside, [])
      }
      const others = ground()
      others.disk.files.set("s.bam.bai", patterned(10))
      yield* yield* others.run
      assert.deepStrictEqual(others.disk.names, ["s.bam", "s.bam.bai"])
    })
  )

  it.effect("no index is put beside data that was changed meanwhile", () =>
    Effect.gen(function* () {
      const bam = yield* bamBytes
      for (const replaced of [true, false]) {
        const g = ground()
        g.disk.files.set("s.bam", bam)
        g.disk.fails = (operation) => {
          if (operation === "sync" && replaced) g.disk.files.set("s.bam", bam.slice())
          return null
        }
        const made = yield* Effect.result(indexed(g))
        if (replaced) {
          const message = "s.bam: it was changed while its index was made"
          assert.deepInclude(Result.getOrUndefined(Result.flip(made)), { fault: "Changing", message })
        }
        assert.deepStrictEqual(g.disk.names, replaced ? ["s.bam"] : ["s.bam", "s.bam.bai", "s.bam.bai.md5"])
      }
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  withCodec("s.csi is left to the s.bcf beside it: it goes with no s.bam, and is no index of one", function* () {
    for (const overwrite of [true, false]) {
      const g = ground({ request: { makesIndex: true, overwrite } })
      put(g, "s.bcf", "s.csi", "s.csi.md5", "s.bai", "s.bam.csi")
      yield* yield* g.run
      assert.deepStrictEqual(g.disk.names, ["s.bam", "s.bcf", "s.csi", "s.csi.md5"])
    }
    const g = ground()
    g.disk.files.set("s.bam", yield* bamBytes)
    put(g, "s.csi")
    assert.isNull(yield* indexed(g))
    put(g, "s.bcf")
    assert.strictEqual((yield* indexed(g))?.name, "s.bam.bai")
  })

  it.effect("of a file that appears under the name meanwhile nothing goes", () =>
    Effect.gen(function* () {
      const theirs = ["s.bam", "s.bam.bai", "s.bam.bai.md5"]
      const g = ground({ request: { makesIndex: true } })
      g.disk.fails = (operation) => {
        if (operation === "write") put(g, ...theirs)
        return null
      }
      assert.strictEqual((yield* Effect.flip(yield* g.run))._tag, "SvcCannotCreate")
      assert.deepStrictEqual(
        g.disk.names.filter((name) => !name.startsWith(".")),
        theirs
      )
    })
  )

  it.effect("what is no file has the name of an index: refused before a byte comes, and nothing goes", () =>
    Effect.gen(function* () {
      for (const odd of ["s.bai", "s.bam.bai.sha256"]) {
        for (const isLate of [false, true]) {
          const g = ground({ request: { makesIndex: true, overwrite: true } })
          put(g, "s.bam", "s.bam.csi", "s.bam.md5")
          if (!isLate) g.disk.odd.add(odd)
          g.disk.fails = (operation) => {
            if (operation === "write") g.disk.odd.add(odd)
            return null
          }
          assert.strictEqual((yield* Effect.flip(yield* g.run))._tag, "SvcCannotCreate")
          assert.strictEqual(g.links.seen.length > 0, isLate)
          assert.includeMembers([...g.disk.names], ["s.bam", "s.bam.csi", "s.bam.md5"])
        }
      }
      const kept = ground()
      put(kept, "s.bam")
      kept.disk.odd.add("s.bam.bai")
      assert.strictEqual((yield* Effect.flip(indexed(kept)))._tag, "SvcCannotCreate")
    })
  )

  it.effect("nothing is claimed where an index lies, and none is made where one came before the claim", () =>
    Effect.gen(function* () {
      const g = ground()
      g.disk.files.set("s.bam", yield* bamBytes)
      g.disk.claimed.has = () => true
      assert.strictEqual((yield* Effect.flip(indexed(g)))._tag, "SvcBusy")
      put(g, "s.bai")
      assert.isNull(yield* indexed(g))
      g.disk.files.delete("s.bai")
      g.disk.claimed.has = () => {
        put(g, "s.bam.bai")
        return false
      }
      assert.isNull(yield* indexed(g))
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.effect("that the index of a large file is made is said when it begins", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const g = ground()
      // Zeros that are never read take no memory.
      for (const size of [10, 1024 ** 3]) {
        g.disk.files.set("s.bam", new Uint8Array(size))
        assert.strictEqual((yield* Effect.flip(indexed(g)).pipe(Effect.provide(logger)))._tag, "SvcFileDamaged")
      }
      assert.deepStrictEqual(said, ["Making the index of s.bam"])
    })
  )
})
