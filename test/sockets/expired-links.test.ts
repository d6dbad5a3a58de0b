/** Links that end, are refused or name another file. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Runtime } from "effect"
import { TestClock } from "effect/testing"
import { Forbidden } from "../../core/src/Errors.ts"
import { cutAfter, host, type Script } from "../transfer/ScriptedHost.ts"
import { always, at, failure, ground, kib, mib, succeeds } from "../transfer/TransferGround.ts"

describe("FileTransfer, links", () => {
  for (const status of [400, 401, 403, 404, 410]) {
    it.effect(`L1 a link refused with ${status} is renewed once and the file goes on`, () =>
      Effect.gen(function* () {
        const g = ground({ script: at([0], () => ({ status, headers: {}, body: [] })) })
        assert.deepInclude(yield* succeeds(g), { renewals: 1, attempts: 2 })
        assert.include(g.links.seen[1]?.link, "renewal=1")
      })
    )
  }

  it.effect("L2 a link that ends in the middle of a file in pieces is renewed for all of them, once", () =>
    Effect.gen(function* () {
      const g = ground({
        size: 130 * mib,
        script: ({ number, link }, good) =>
          // All are asked before the first is refused.
          number > 0 && link.endsWith("renewal=0")
            ? { status: 403, headers: {}, body: [], delay: 1000 }
            : { ...good, delay: 10 }
      })
      assert.deepInclude(yield* succeeds(g), { renewals: 1 })
      assert.isAtLeast(g.links.seen.slice(1).filter(({ link }) => link.endsWith("renewal=0")).length, 3)
    })
  )

  it.effect.each([404, 410])(
    "L3 a file that the link host does not have, whatever the link, is not found: %i",
    (status) =>
      Effect.gen(function* () {
        const g = ground({ script: always(() => ({ status, headers: {}, body: [] })) })
        const error = yield* failure(g)
        assert.strictEqual(error._tag, "SvcNotFound")
        assert.match(error.message, new RegExp(`^s\\.bam: not found \\(${host} answers ${status} to its link, also`))
        // That of a file which has just come back may be known a moment later.
        assert.strictEqual(g.links.seen.length, status === 404 ? 5 : 2)
      })
  )

  it.effect("L3 a file that the link host does not have in the first seconds of its link comes", () =>
    Effect.gen(function* () {
      const g = ground({ script: at([0, 1, 2, 3], () => ({ status: 404, headers: {}, body: [] })) })
      assert.deepInclude(yield* succeeds(g), { renewals: 1, attempts: 5 })
    })
  )

  it.effect("L3 a fresh link that is refused as well ends it", () =>
    Effect.gen(function* () {
      const g = ground({ script: always(() => ({ status: 403, headers: {}, body: [] })) })
      assert.deepInclude(yield* failure(g), { _tag: "SvcLinkForbidden", host, status: 403 })
      assert.strictEqual(g.renewals(), 1)
      assert.strictEqual(g.links.seen.length, 2)
    })
  )

  it.effect("L3 why a store refuses is said in its own word, and what that means where the word does not say it", () =>
    Effect.gen(function* () {
      const xml = (code: string) =>
        `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message><Key>secret</Key></Error>`
      const refusedWith = (status: number, body: string) =>
        Effect.gen(function* () {
          const script = always(() => ({ status, headers: {}, body: [new TextEncoder().encode(body)] }))
          const g = ground({ script })
          const { message } = yield* failure(g)
          const renewing = g.events.flatMap((event) => (event._tag === "Renewing" ? [event.reason] : []))
          return [message, ...renewing].join("\n")
        })
      const region = yield* refusedWith(400, xml("AuthorizationHeaderMalformed"))
      assert.include(region, `${host} answers 400, AuthorizationHeaderMalformed to its link, also after renewing it`)
      const denied = yield* refusedWith(403, xml("AccessDenied"))
      assert.include(denied, "refuses its link (status 403, AccessDenied), also after renewing it")
      assert.include(denied, `${host} answered 403, AccessDenied`)
      assert.include(yield* refusedWith(403, xml("RequestTimeTooSkewed")), "the clocks of the service and of the store")
      assert.include(
        yield* refusedWith(400, '{"error":{"code":"ExpiredToken"}}'),
        "ExpiredToken: the service signed it"
      )
      for (const nothing of ["<html>no</html>", xml("no code"), xml("a\u001b[2Jb"), "x".repeat(100_000)])
        assert.include(yield* refusedWith(403, nothing), "(status 403), also")
    })
  )

  it.effect.each([
    [403, "InvalidObjectState", "<Error><Code>InvalidObjectState</Code></Error>"],
    [409, "BlobArchived", "<Error><Code>BlobArchived</Code></Error>"],
    // A gateway of ours.
    [409, "Archived", '{"error":"Archived","message":"s.bam is in the archive","restoringSince":null}']
  ] as const)(
    "L3 a file that lies in cold storage, whatever the service lists, is archived: %i %s",
    ([status, code, said]) =>
      Effect.gen(function* () {
        const body = [new TextEncoder().encode(said)]
        const g = ground({ script: always(() => ({ status, headers: {}, body })) })
        const error = yield* failure(g)
        assert.deepStrictEqual([error._tag, error.advice], ["SvcInArchive", "restoreListed"])
        assert.strictEqual(Runtime.getErrorExitCode(error), 75)
        assert.include(
          error.message,
          `s.bam (analysis A1): in the archive: ${host} answers ${status}, ${code}: it lies in`
        )
        assert.strictEqual(g.links.seen.length, 2)
      })
  )

  it.effect("L3 a refusal whose body never ends is a refusal without a word", () =>
    Effect.gen(function* () {
      const g = ground({ script: always(() => ({ status: 403, headers: {}, body: [{ wait: 1e9 }] })) })
      const fiber = yield* Effect.forkChild(failure(g))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "SvcLinkForbidden")
    })
  )

  it.effect("L4 the failure to renew is the failure of the file", () =>
    Effect.gen(function* () {
      const g = ground({
        script: always(() => ({ status: 403, headers: {}, body: [] })),
        request: { renewLink: new Forbidden({ what: "analysis A1" }) }
      })
      assert.strictEqual((yield* failure(g))._tag, "SvcForbidden")
      assert.strictEqual(g.links.seen.length, 1)
    })
  )

  it.effect("L5 links that give little each still deliver, and have a bound", () =>
    Effect.gen(function* () {
      const oneUse = (part: number): Script => {
        const used = new Set<string>()
        return ({ link }, good) => {
          if (used.has(link)) return { status: 403, headers: {}, body: [] }
          used.add(link)
          return cutAfter(good, part, "Reset")
        }
      }
      const g = ground({ size: 8 * mib, script: oneUse(200 * kib) })
      assert.deepInclude(yield* succeeds(g), { renewals: 40 })
      const bound = ground({ size: 16 * mib, script: oneUse(200 * kib) })
      assert.strictEqual((yield* failure(bound))._tag, "SvcLinkForbidden")
      assert.strictEqual(bound.renewals(), 50)
    })
  )

  it.effect("L6 a listing with another size begins anew", () =>
    Effect.gen(function* () {
      const g = ground({
        script: at(0, () => ({ status: 403, headers: {}, body: [] })),
        request: { renewLink: Effect.succeed({ link: Redacted.make(`https://${host}/new`), size: 7 }) }
      })
      yield* succeeds(g)
      assert.isTrue(g.events.some((event) => event._tag === "Restarting" && /7 bytes/.test(event.reason)))
    })
  )

  it.effect("C4 what a link says of its end is not read: no clock is right enough", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1))
      const g = ground({ request: { link: Redacted.make(`https://${host}/s.bam?Expires=1000`) } })
      assert.deepInclude(yield* succeeds(g), { renewals: 0, attempts: 1 })
    })
  )
})
