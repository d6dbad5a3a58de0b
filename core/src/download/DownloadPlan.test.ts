import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { listedFile as file } from "../../../test/selection/ListedFiles.ts"
import { words } from "../../../test/Words.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { pathOf } from "../selection/OutputPath.ts"
import type { ListedAnalysis, ListedFile } from "../selection/WantedFiles.ts"
import { type Destination, type PlanRequest, plan } from "./DownloadPlan.ts"
import { diskNeed, shortage } from "./Planning.ts"

const analysis = (id: string, files: ReadonlyArray<ListedFile>, named = true): ListedAnalysis => ({
  analysisId: AnalysisId.make(id),
  named,
  sampleId: null,
  limsId: null,
  files
})
const both: PlanRequest = { destination: "out", filetypes: ["bam", "bam.bai"], layout: "flat", overwrite: false }
const empty: Destination = { occupants: new Map(), slices: new Map() }

const decisions = (analyses: ReadonlyArray<ListedAnalysis>, request = both, destination = empty) =>
  plan(analyses, request, destination).files.map((it) => {
    const why =
      it.decision._tag === "Fetch" ? "" : it.decision._tag === "Skip" ? it.decision.reason : it.decision.error._tag
    return `${pathOf(it)} ${it.decision._tag} ${why}`.trimEnd()
  })

describe("decisions", () => {
  it("fetches the requested types only; an index alone is fine", () => {
    const a = analysis("A1", [file("S.bam"), file("S.bam.bai"), file("S.vcf.gz"), file("notes.txt"), file(null)])
    assert.deepStrictEqual(decisions([a]), ["S.bam Fetch", "S.bam.bai Fetch"])
    assert.deepStrictEqual(decisions([a], { ...both, filetypes: ["bam.bai"] }), ["S.bam.bai Fetch"])
    assert.deepStrictEqual(decisions([a], { ...both, layout: "analysis" }), ["A1/S.bam Fetch", "A1/S.bam.bai Fetch"])
  })

  it("D16 S1.bai is an index as S1.bam.bai is, under its listed name; where both are listed both are fetched", () => {
    const index = { ...both, filetypes: ["bam.bai"] } satisfies PlanRequest
    const picard = words`S1.bam S1.bai S1.vcf.gz S1.vcf.tbi S1.csi S1.tbi`.map((name) => file(name))
    assert.deepStrictEqual(decisions([analysis("A1", picard)], index), ["S1.bai Fetch"])
    assert.deepStrictEqual(decisions([analysis("A1", picard)]), ["S1.bam Fetch", "S1.bai Fetch"])
    assert.deepStrictEqual(decisions([analysis("A1", picard)], { ...both, filetypes: ["vcf.gz.tbi"] }), [
      "S1.vcf.tbi Fetch"
    ])
    assert.deepStrictEqual(plan([analysis("A1", picard)], both, empty).warnings, [])
    const twice = analysis("A1", [file("S1.bam"), file("S1.bai"), file("S1.bam.bai")])
    assert.deepStrictEqual(decisions([twice], index), ["S1.bai Fetch", "S1.bam.bai Fetch"])
  })

  it("existing and archived files are skipped, existing first, so that nothing is restored in vain", () => {
    const a = analysis("A1", [file("S.bam", { archived: true }), file("T.bam", { archived: true }), file("S.bam.bai")])
    const there: Destination = {
      ...empty,
      occupants: new Map([
        ["S.bam", { kind: "file", size: 100 }],
        ["S.bam.bai", { kind: "file", size: 100 }]
      ])
    }
    assert.deepStrictEqual(decisions([a], both, there), [
      "S.bam Skip exists",
      "T.bam Skip archived",
      "S.bam.bai Skip exists"
    ])
    assert.deepStrictEqual(decisions([a], { ...both, overwrite: true }, there), [
      "S.bam Skip archived",
      "T.bam Skip archived",
      "S.bam.bai Fetch"
    ])
  })

  const occupied = (sizes: Readonly<Record<string, number>>): Destination => ({
    ...empty,
    occupants: new Map(Object.entries(sizes).map(([name, size]) => [name, { kind: "file", size }]))
  })

  it("Z9 an existing file of another size fails and is left, and no index is fetched to lie beside it", () => {
    const pair = [analysis("A1", [file("S.bam"), file("S.bam.bai")])]
    const { files } = plan(pair, both, occupied({ "S.bam": 99 }))
    const [data, index] = files.map(({ decision }) => (decision._tag === "Fail" ? decision : null))
    assert.strictEqual(data?.error.message, "out/S.bam exists with 99 bytes, but 100 are listed: it was left as it is")
    assert.deepStrictEqual([data?.existing, index?.error === data?.error, index?.existing], [99, true, undefined])
    assert.deepStrictEqual(decisions(pair, both, occupied({ "S.bam": 100, "S.bam.bai": 7 })), [
      "S.bam Skip exists",
      "S.bam.bai Fail SvcFileDiffers"
    ])
    assert.deepStrictEqual(decisions(pair, both, occupied({ "S.bam": 99, "S.bam.bai": 100 })), [
      "S.bam Fail SvcFileDiffers",
      "S.bam.bai Skip exists"
    ])
    assert.deepStrictEqual(decisions(pair, { ...both, overwrite: true }, occupied({ "S.bam": 99 })), [
      "S.bam Fetch",
      "S.bam.bai Fetch"
    ])
    const other = analysis("A1", [file("T.bam"), file("S.bam", { archived: true }), file("T.bam.bai")])
    assert.deepStrictEqual(decisions([other], both, occupied({ "S.bam": 99 })), [
      "T.bam Fetch",
      "S.bam Fail SvcFileDiffers",
      "T.bam.bai Fetch"
    ])
  })

  it("an existing file is kept where no size is listed, whatever its link host says", () => {
    const unlisted = [file("S.bam", { size: null }), file("T.bam", { size: 100, sizeLearned: true })]
    const there = occupied({ "S.bam": 99, "T.bam": 99 })
    assert.deepStrictEqual(decisions([analysis("A1", unlisted)], both, there), [
      "S.bam Skip exists",
      "T.bam Skip exists"
    ])
  })

  it("something that is no file, and a missing link are refused", () => {
    const a = analysis("A1", [file("S.bam"), file("U.bam", { hasLink: false })])
    const there: Destination = {
      occupants: new Map([["S.bam", { kind: "other", size: 0 }]]),
      slices: new Map()
    }
    assert.deepStrictEqual(decisions([a], { ...both, overwrite: true }, there), [
      "S.bam Fail SvcCannotCreate",
      "U.bam Fail SvcNotFound"
    ])
  })

  it("a file of the listed size that another tool has not finished is not kept as whole, and may be replaced", () => {
    const unfinished = { kind: "file", size: 100, note: "S.bam.aria2" } as const
    const there: Destination = { occupants: new Map([["S.bam", unfinished]]), slices: new Map() }
    const a = analysis("A1", [file("S.bam", { size: 100 })])
    assert.deepStrictEqual(decisions([a], both, there), ["S.bam Fail SvcCannotCreate"])
    assert.deepStrictEqual(decisions([a], { ...both, overwrite: true }, there), ["S.bam Fetch"])
    const indexed = analysis("A1", [file("S.bam", { size: 100 }), file("S.bam.bai")])
    assert.deepStrictEqual(decisions([indexed], both, there), [
      "S.bam Fail SvcCannotCreate",
      "S.bam.bai Fail SvcCannotCreate"
    ])
  })

  it("Z1 unsafe names of a requested type fail, also when unsafe at their end; others go on", () => {
    const names = ["../x.bam", "x.bam ", "x.bam\u0000", "CON.bam", "-x.bam", "ok.bam", "x.txt\n"]
    const a = analysis(
      "A1",
      names.map((name) => file(name))
    )
    assert.deepStrictEqual(
      plan([a], both, empty).files.map(({ decision }) => decision._tag),
      ["Fail", "Fail", "Fail", "Fail", "Fail", "Fetch"]
    )
  })

  it("Z1 an analysis id that is no folder name fails in the analysis layout only", () => {
    assert.deepStrictEqual(decisions([analysis("../up", [file("S.bam")])], { ...both, layout: "analysis" }), [
      "../up/S.bam Fail SvcUnsafeName"
    ])
    assert.deepStrictEqual(decisions([analysis("../up", [file("S.bam")])]), ["S.bam Fetch"])
  })
})

describe("D17 collisions", () => {
  it("equal names of two analyses all fail in the flat layout, and none in the other", () => {
    const analyses = [analysis("A1", [file("S.bam"), file("only1.bam")]), analysis("A2", [file("S.bam")])]
    assert.deepStrictEqual(decisions(analyses), [
      "S.bam Fail SvcNameCollision",
      "only1.bam Fetch",
      "S.bam Fail SvcNameCollision"
    ])
    assert.deepStrictEqual(decisions(analyses, { ...both, layout: "analysis" }), [
      "A1/S.bam Fetch",
      "A1/only1.bam Fetch",
      "A2/S.bam Fetch"
    ])
    const first = plan(analyses, both, empty).files[0]?.decision
    assert.strictEqual(first?._tag === "Fail" ? first.error.message : "", "S.bam exists in several analyses (A1, A2)")
    assert.strictEqual(first?._tag === "Fail" ? first.error.advice : null, "layout")
  })

  it.each(["flat", "analysis"] as const)(
    "K7 ids that differ in case only collide in the layout %s, and folders of their own are not advised",
    (layout) => {
      const of = (...ids: ReadonlyArray<string>) =>
        plan(
          ids.map((id) => analysis(id, [file("S.bam")])),
          { ...both, layout },
          empty
        ).files.map(({ decision }) => (decision._tag === "Fail" ? decision.error.advice : decision._tag))
      assert.deepStrictEqual(of("c1", "C1"), ["ownDestinations", "ownDestinations"])
      // In folders of their own all but these two could be had.
      const advised =
        layout === "flat" ? ["layout", "layout", "layout"] : ["ownDestinations", "Fetch", "ownDestinations"]
      assert.deepStrictEqual<unknown>(of("c1", "A1", "C1"), advised)
    }
  )

  it("of thousands of analyses with one name, each error names five", () => {
    const { files } = plan(
      Array.from({ length: 3000 }, (_, at) => analysis(`A${at + 1}`, [file("S.bam")])),
      both,
      empty
    )
    const messages = files.map(({ decision }) => (decision._tag === "Fail" ? decision.error.message : decision._tag))
    assert.deepStrictEqual(
      [...new Set(messages)],
      ["S.bam exists in several analyses (A1, A2, A3, A4, A5 and 2995 more)"]
    )
  })

  it("K7 names that differ in case or composition only collide", () => {
    const analyses = [analysis("A1", [file("M\u00fc.bam")]), analysis("A2", [file("mu\u0308.BAM")])]
    assert.deepStrictEqual(
      plan(analyses, both, empty).files.map(({ decision }) => decision._tag),
      ["Fail", "Fail"]
    )
  })

  it("a name listed twice by one analysis fails and says so", () => {
    const first = plan([analysis("A1", [file("S.bam"), file("S.bam")])], both, empty).files[0]?.decision
    assert.match(first?._tag === "Fail" ? first.error.message : "", /several files of analysis A1/)
  })
})

describe("for every listing", () => {
  const names = ["a.bam", "A.bam", "a.BAM", "b.bam", "b.bam.bai", "../b.bam", "c.vcf.gz", ".bam", "b.bam "] as const
  const Names = Schema.Array(Schema.Literals(names))

  it.effect.prop(
    "no two fetched files share a place, and no requested file is forgotten",
    [Names, Names],
    ([one, two]) =>
      Effect.sync(() => {
        const of = (id: string, names: ReadonlyArray<string>) => {
          const files = names.map((name) => file(name))
          return analysis(id, files)
        }
        const analyses = [of("A1", one), of("a1", two)]
        for (const layout of ["flat", "analysis"] as const) {
          const { files } = plan(analyses, { ...both, layout }, empty)
          const fetched = files
            .filter(({ decision }) => decision._tag === "Fetch")
            .map((it) => pathOf(it).toLowerCase())
          assert.strictEqual(new Set(fetched).size, fetched.length)
          assert.strictEqual(files.length, [...one, ...two].filter((name) => !name.endsWith("vcf.gz")).length)
        }
      })
  )
})

describe("what is missing", () => {
  const vcf = [file("S.vcf.gz")]
  const failures = (analyses: ReadonlyArray<ListedAnalysis>) =>
    plan(analyses, both, empty).failures.map(({ analysisId, error }) => `${analysisId}: ${error.message}`)

  it("an analysis given by id without any requested file is not found", () => {
    assert.deepStrictEqual(failures([analysis("A1", vcf), analysis("A2", [file("T.bam")])]), [
      "A1: bam, bam.bai files of analysis A1: not found (there are vcf.gz)"
    ])
  })

  it("one found by sample may lack them, but not all of them", () => {
    assert.deepStrictEqual(failures([analysis("A1", vcf, false), analysis("A2", [file("T.bam")], false)]), [])
    assert.deepStrictEqual(failures([analysis("A1", [], false)]), [
      "null: bam, bam.bai files of the selected analyses: not found (it has no files of a known type)"
    ])
    assert.deepStrictEqual(failures([]), [])
  })

  it("L6 an index without its data file is a failure: what was asked for is lost", () => {
    const lost = ["A1: bam files of analysis A1: not found (only their index is listed)"]
    assert.deepStrictEqual(failures([analysis("A1", [file("S.bam.bai")])]), lost)
    assert.deepStrictEqual(failures([analysis("A1", [file("S.bam.bai")], false)]), lost)
    const indexes: PlanRequest = { ...both, filetypes: ["bam.bai"] }
    assert.deepStrictEqual(plan([analysis("A1", [file("S.bam.bai")])], indexes, empty).failures, [])
  })

  it("half a pair is a warning also for an analysis found by sample, a whole pair is not", () => {
    const all: PlanRequest = { ...both, filetypes: ["bam", "bam.bai", "vcf.gz", "vcf.gz.tbi"] }
    const half = [analysis("A1", [file("S.bam"), file("S.vcf.gz"), file("S.vcf.gz.tbi")], false)]
    assert.deepStrictEqual(plan(half, all, empty).warnings, ["Analysis A1: no bam.bai file is listed"])
    assert.deepStrictEqual(plan([analysis("A1", [file("S.bam"), file("S.bam.bai")], false)], all, empty).warnings, [])
    assert.deepStrictEqual(plan([analysis("A1", [file("S.bam"), file("S.bam.bai")])], all, empty).warnings, [
      "Analysis A1: no vcf.gz, vcf.gz.tbi file is listed"
    ])
  })

  it("a type that is partly missing is a warning", () => {
    assert.deepStrictEqual(plan([analysis("A1", [file("S.bam"), file(null)])], both, empty).warnings, [
      "Analysis A1: no bam.bai file is listed",
      "Analysis A1: 1 file(s) without a name were left out"
    ])
  })

  it("L15 a type that is not listed is a failure of its analysis where all are required, however it was found", () => {
    const all: PlanRequest = { ...both, filetypes: ["bam", "bam.bai", "vcf.gz"], requireAll: true }
    const told = (analyses: ReadonlyArray<ListedAnalysis>) => {
      const { failures, files, warnings } = plan(analyses, all, empty)
      assert.deepStrictEqual(warnings, [])
      assert.deepStrictEqual(
        files.filter(({ decision }) => decision._tag !== "Fetch"),
        []
      )
      return failures.map(({ error, reason }) => [reason, error.message])
    }
    const lacks = (types: string, id: string) => [
      "missing",
      `${types} file of analysis ${id}: not found (none is listed)`
    ]
    const half = [file("S.bam")]
    assert.deepStrictEqual(told([analysis("A1", half), analysis("B1", [file("T.bam")], false)]), [
      lacks("bam.bai, vcf.gz", "A1"),
      lacks("bam.bai, vcf.gz", "B1")
    ])
    assert.deepStrictEqual(told([analysis("A1", [file("S.bam"), file("S.bam.bai"), file("S.vcf.gz")], false)]), [])
    assert.deepStrictEqual(told([analysis("A1", vcf, false), analysis("A2", [file("T.bam.bai")])]), [
      lacks("bam, bam.bai", "A1"),
      ["missing", "bam files of analysis A2: not found (only their index is listed)"],
      lacks("vcf.gz", "A2")
    ])
    assert.deepStrictEqual(told([analysis("A1", [], false)]), [
      ["missing", "bam, bam.bai, vcf.gz files of analysis A1: not found (it has no files of a known type)"]
    ])
  })

  it("names the analysis that lacks a file, for the advice to list it", () => {
    const [failure] = plan([analysis("A1", [file("S.bam")])], { ...both, requireAll: true }, empty).failures
    assert.deepInclude(failure?.error, { analysisId: AnalysisId.make("A1"), next: "listFiles" })
  })
})

describe("K2 disk space", () => {
  const files = plan(
    [analysis("A1", [file("S.bam", { size: 1000 }), file("T.bam", { size: null }), file("U.bam", { archived: true })])],
    both,
    empty
  ).files

  it("counts what is still to be written", () => {
    const needed = [0, 400, 5000].map((there) => diskNeed(files, () => there))
    assert.deepStrictEqual(
      needed,
      [1000, 600, 0].map((bytes) => ({ bytes, unknown: 1 }))
    )
  })

  it("refuses with numbers when it does not fit", () => {
    assert.isNull(shortage({ bytes: 1000, unknown: 0 }, "out", 1000))
    assert.isNull(shortage({ bytes: 1000, unknown: 0 }, "out", null))
    assert.strictEqual(
      shortage({ bytes: 1000, unknown: 0 }, "out", 999)?.message,
      "out has 999 B free, but all files together need 1000 B, 1 B more: nothing was fetched"
    )
  })
})

describe("names that an index makes longer", () => {
  it("Z1 K7 the longest one counts, unless an index is listed under a short name", () => {
    const sample = "s".repeat(250)
    const [data, short] = [file(`${sample}.bam`), file(`${sample}.bai`)]
    const made = { ...both, makeIndex: true }
    assert.match(decisions([analysis("A1", [data])], made)[0] ?? "", /Fail SvcUnsafeName$/)
    const listed = decisions([analysis("A1", [data, short])], made)
    assert.deepStrictEqual(
      listed.map((it) => it.split(" ")[1]),
      ["Fetch", "Fetch"]
    )
  })
})
