import { assert, describe, it } from "@effect/vitest"
import { Effect, Runtime, Schema } from "effect"
import * as A from "effect/Arbitrary"
import * as Errors from "./Errors.ts"
import {
  CredentialsMissing,
  LinkForbidden,
  LocalIo,
  LoginRefused,
  mostSevere,
  NotFound,
  ProxyRefused,
  RestorationsPending,
  Unavailable
} from "./Errors.ts"

const notFound = new NotFound({ what: "S1.bam" })
const unavailable = new Unavailable({ host: "lab", reason: "closed", attempts: 3 })
const full = new LocalIo({ path: "out/S1.bam", operation: "write", errno: "ENOSPC" })

describe("the exit code of several failures", () => {
  it("is that of the most severe one, in whatever order they came", () => {
    const forbidden = new LinkForbidden({ file: "S1.bam", host: "files", status: 403 })
    assert.strictEqual(mostSevere([]), 0)
    assert.strictEqual(mostSevere([notFound]), 66)
    assert.strictEqual(mostSevere([unavailable, notFound]), 66)
    assert.strictEqual(mostSevere([notFound, unavailable, forbidden]), 77)
    assert.strictEqual(mostSevere([forbidden, notFound, full]), 74)
    assert.strictEqual(mostSevere([full, forbidden, notFound]), 74)
  })

  it("keeps the order of the documentation, each before all that follow", () => {
    const failing = (code: number) => ({ [Runtime.errorExitCode]: code })
    const order = [1, 64, 78, 74, 77, 65, 73, 66, 69, 75]
    for (const [index, code] of order.entries()) {
      for (const later of order.slice(index + 1)) {
        assert.strictEqual(mostSevere([failing(later), failing(code)]), code)
        assert.strictEqual(mostSevere([failing(code), failing(later)]), code)
      }
    }
  })

  it("is 1 as soon as something failed that is no failure of ours, and never 0", () => {
    assert.strictEqual(mostSevere([new Error("defect")]), 1)
    assert.strictEqual(mostSevere([full, new Error("defect")]), 1)
  })
})

describe("what others ask of a failure", () => {
  const classes = Object.values(Errors).flatMap((value) =>
    typeof value === "function" && Schema.isSchema(value) && value !== Errors.FileError && value !== Errors.RunError
      ? [value as Schema.Codec<unknown>]
      : []
  )
  const nameOf = (one: unknown) => Object.entries(Errors).find(([, value]) => value === one)?.[0]

  it.effect("stands on every class: its exit code, whether to try again, what to do next, how far it reaches", () =>
    Effect.gen(function* () {
      assert.isAbove(classes.length, 25)
      for (const one of classes) {
        const [error] = yield* A.sampleEffect(A.schema(one), { count: 1 })
        assert.include([64, 65, 66, 69, 73, 74, 75, 77, 78], Runtime.getErrorExitCode(error))
        const { _tag, advice, retryable, scope } = error as Readonly<
          Record<"advice" | "retryable" | "scope", unknown>
        > & {
          readonly _tag: string
        }
        // A tag that no application has; what is shown is the name of the class.
        assert.deepStrictEqual([_tag, Errors.codeOf({ _tag })], [`Svc${_tag.slice(3)}`, nameOf(one)])
        assert.isBoolean(retryable)
        assert.isTrue(advice === null || typeof advice === "string")
        assert.include(["file", "analysis", "run"], scope)
      }
    })
  )

  it.effect("is written as JSON with its code and sentence, and read back as the class it was", () =>
    Effect.gen(function* () {
      const encode = Schema.encodeEffect(Errors.FileError)
      const decode = Schema.decodeUnknownEffect(Errors.FileError)
      for (const error of yield* A.sampleEffect(A.schema(Errors.FileError), { count: 100 })) {
        const json = yield* encode(error)
        assert.deepInclude(json, { tag: Errors.codeOf(error), message: error.message })
        const again = yield* decode(JSON.parse(JSON.stringify(json)))
        assert.deepStrictEqual([again, again.message], [error, error.message])
        assert.strictEqual(Runtime.getErrorExitCode(again), Runtime.getErrorExitCode(error))
      }
    })
  )

  it("tells what passes from what stays", () => {
    const refused = new LoginRefused({ user: "ada", host: "lab" })
    assert.deepStrictEqual([unavailable.retryable, notFound.retryable, refused.retryable], [true, false, false])
    assert.deepStrictEqual([full.scope, notFound.scope, refused.scope], ["file", "analysis", "run"])
    // Another file of the analysis may have the region.
    const noRegion = new NotFound({ what: "reference chr99 in S1.bam", next: "correctRegion" })
    assert.strictEqual(noRegion.scope, "file")
    // A clear no changed nothing; without an answer nobody knows.
    assert.deepStrictEqual([notFound.mayHaveTakenEffect, unavailable.mayHaveTakenEffect], [false, true])
  })
})

describe("messages", () => {
  it("name what to do about a missing user name or password, each its own", () => {
    assert.strictEqual(new CredentialsMissing({ missing: "username" }).advice, "giveUser")
    assert.strictEqual(new CredentialsMissing({ missing: "password" }).advice, "givePassword")
  })

  it("tell refused credentials of a proxy from its other answers", () => {
    for (const status of [401, 407]) {
      assert.match(new ProxyRefused({ proxy: "proxy:3128", status }).message, /refused the credentials/)
    }
    assert.strictEqual(
      new ProxyRefused({ proxy: "proxy:3128", status: 403 }).message,
      "The proxy proxy:3128 answered 403"
    )
  })

  it("K1 K3 say what is wrong with the disk in words, and name an error that has none", () => {
    assert.strictEqual(full.message, "Cannot write out/S1.bam: the disk is full")
    const odd = new LocalIo({ path: "out", operation: "read", errno: "EXFULL" })
    assert.strictEqual(odd.message, "Cannot read out: EXFULL")
  })

  it("say when to come back for restorations, where that is known", () => {
    const rerun = "svc-resume-restore"
    const nextEstimate = "2026-11-21T15:00:00Z"
    assert.strictEqual(
      new RestorationsPending({ count: 2, nextEstimate, rerun }).message,
      `2 restorations pending, the next expected at ${nextEstimate}: run again later: ${rerun}`
    )
    assert.strictEqual(
      new RestorationsPending({ count: 1, nextEstimate: null, rerun }).message,
      `1 restoration pending: run again later: ${rerun}`
    )
    assert.strictEqual(
      new RestorationsPending({ count: 3, lost: 1, nextEstimate, rerun }).message,
      `2 restorations pending, the next expected at ${nextEstimate}; 1 requested restoration not under way: run again later: ${rerun}`
    )
    // Pending is only what is under way.
    assert.strictEqual(
      new RestorationsPending({ count: 2, lost: 2, nextEstimate: null, rerun }).message,
      `2 requested restorations not under way: run again later: ${rerun}`
    )
  })
})
