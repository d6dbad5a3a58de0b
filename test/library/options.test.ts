/** Options of programs: what is undefined is left out, and what cannot be meant is refused in words that name it. */

import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted, Result, Schema } from "effect"
import { DownloadOptions, parseRequest, wrongOptions } from "../../core/src/download/DownloadRequest.ts"
import { longestReference, parseRange, textOfRegion } from "../../core/src/genome/regions/RegionText.ts"
import { type Downloads, Ids, Session } from "../../core/src/index.ts"
import { transferSettings } from "../../core/src/transfer/LinkPool.ts"
import * as Service from "../../platform/Service.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

describe("options that are undefined", () => {
  it("are those that are left out", () => {
    const none = Object.fromEntries(Object.keys(DownloadOptions.fields).map((name) => [name, undefined]))
    assert.deepStrictEqual(wrongOptions(none), [])
    assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(DownloadOptions)(none), none)
    assert.deepStrictEqual(parseRequest(none), parseRequest({}))
    const one: Downloads.DownloadOptions = { analysisIds: ["A1"], range: undefined, check: undefined }
    assert.deepStrictEqual(parseRequest(one), parseRequest({ analysisIds: ["A1"] }))
    assert.deepStrictEqual(
      Session.makeSessionProfile("1", { loginPath: undefined, headers: undefined }),
      Session.makeSessionProfile("1")
    )
  })
})

describe("times", () => {
  const account = { baseUrl: new URL("https://lab.example.org"), username: "ada", password: Redacted.make("x") }
  const settings = { ...account, profile: Session.makeSessionProfile("1") }
  const cases: ReadonlyArray<readonly [name: string, limits: Partial<Session.SessionSettings>]> = [
    ["apiTimeout", { apiTimeout: "-1 seconds" }],
    ["headers", { timeouts: { headers: -1 } }],
    ["idle", { timeouts: { idle: Duration.seconds(-1) } }],
    ["grace", { timeouts: { grace: "-Infinity" } }],
    ["logout", { timeouts: { logout: "-3 seconds", grace: undefined } }]
  ]

  it.effect.each(cases)("that are negative or none are refused before anything is asked: %s", ([name, limits]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.provide(Effect.void, Session.layerFetch({ ...settings, ...limits })))
      assert.strictEqual(error._tag, "SvcConfigUnusable")
      assert.match(error.message, new RegExp(`^Setting ${name}: .+ is no time to wait$`))
    })
  )

  it.effect("of transfers are any input", () =>
    Effect.gen(function* () {
      const { header, idle } = yield* transferSettings({ idle: "2 minutes", header: undefined })
      assert.deepStrictEqual([Duration.toSeconds(idle), Duration.toSeconds(header)], [120, 60])
      assert.strictEqual((yield* Effect.flip(transferSettings({ header: -1 }))).path, "header")
    })
  )
})

describe("the lock of an account, for a session of one's own", () => {
  it.effect("lies in the folder where the steps take turns", () =>
    Effect.gen(function* () {
      const lockDir = yield* temporaryFolder("svc-locks-")
      const held = Effect.gen(function* () {
        const lock = yield* Session.AccountLock
        yield* lock.take("https://lab.example.org ada")
        return readdirSync(lockDir)
      })
      const names = yield* held.pipe(Effect.scoped, Effect.provide(Service.layerAccountLock({ lockDir })))
      assert.isNotEmpty(names.filter((name) => name.endsWith(".lock")))
    })
  )
})

describe("regions of a program", () => {
  const names = Schema.NonEmptyString.check(Schema.isPattern(/^[^{}\p{Cc}]+$/u))
  const position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestReference - 1 }))

  it.effect.prop(
    "are read as they are meant, whatever the name",
    [names, position, position],
    ([reference, one, other]) =>
      Effect.sync(() => {
        const region = { reference, start: Math.min(one, other), end: Math.max(one, other) + 1 }
        const [{ readings } = { readings: [] }] = Result.getOrThrow(parseRange(textOfRegion(region)))
        assert.deepInclude(readings, { name: reference, starts: [region.start], ends: [region.end] })
      })
  )

  it.each([
    [{ reference: "chr1", start: 10, end: 5 }, /chr1:11-5: it ends before it starts/],
    [{ reference: "chr1", start: 10, end: 10 }, /it ends before it starts/],
    [{ reference: "chr1", start: -1, end: 5 }, /positions count from 1/],
    [{ reference: "chr1", start: 0.5, end: 5 }, /whole numbers/],
    [{ reference: "chr1", start: 0, end: 1e21 }, /whole numbers/],
    [{ reference: "", start: 0, end: 5 }, /the name is missing/],
    [{ reference: "a}b", start: 0, end: 5 }, /after } comes/]
  ])("are refused when they cannot be meant: %o", (region, expected) => {
    const problems = Result.getOrThrow(Result.flip(parseRequest({ analysisIds: ["A1"], range: [region] })))
    assert.deepStrictEqual(
      problems.map(({ option }) => option),
      ["range"]
    )
    assert.match(problems[0]?.message ?? "", expected)
  })

  it.effect("of a BED file are those of the option bed", () =>
    Effect.gen(function* () {
      const bed = join(yield* temporaryFolder("svc-bed-"), "panel.bed")
      writeFileSync(bed, "chr2\t5\t6\nchr1\t0\t10\tname\nchr2\t7\t7\n")
      assert.deepStrictEqual(yield* Service.readBed(bed), [
        { reference: "chr2", start: 5, end: 6 },
        { reference: "chr2", start: 7, end: 8 },
        { reference: "chr1", start: 0, end: 10 }
      ])
      assert.strictEqual((yield* Effect.flip(Service.readBed(`${bed}.none`)))._tag, "SvcNotFound")
    })
  )

  it("stand as text where a request is stored", () => {
    const range = [
      { reference: "chr1", start: 0, end: 5 },
      { reference: "HLA:1", start: 1, end: 3 }
    ]
    const parsed = Result.getOrThrow(parseRequest({ analysisIds: [Ids.AnalysisId.make("A1")], range }))
    assert.strictEqual(parsed.regions.range, "chr1:1-5 {HLA:1}:2-3")
  })
})
