import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Failure } from "../../../test/Failure.ts"
import { ServiceClient } from "../client/ServiceClient.ts"
import type { AnalysisItem } from "../contract/Analyses.ts"
import { AnalysisFiles } from "../contract/Files.ts"
import { Forbidden, LoginRefused, NotFound, type ServiceError, Unavailable } from "../Errors.ts"
import { Session } from "../session/Session.ts"
import { Contact } from "./Contact.ts"
import { LinkStore, listedName } from "./LinkStore.ts"
import { Reader, ServiceQueue } from "./Questions.ts"
import { ServiceAccess } from "./ServiceAccess.ts"

/** Nothing of it is asked here. */
const noSession = Layer.succeed(Session, {} as Session["Service"])

const away = new Unavailable({ host: "lab", reason: "no answer", attempts: 7 })
const refused = new LoginRefused({ user: "ada", host: "lab" })

interface World {
  /** Before the answer of this number comes; the first is 1. */
  readonly before?: (number: number) => Effect.Effect<void, ServiceError>
  /** After its links were made. */
  readonly after?: (number: number) => Effect.Effect<void>
  readonly link?: (name: string, number: number) => string | null
  readonly more?: ReadonlyArray<object>
  /** The analysis has no files. */
  readonly empty?: boolean
  /** What the service has of all analyses. */
  readonly list?: Effect.Effect<ReadonlyArray<AnalysisItem>, ServiceError>
}

const world = ({
  before = () => Effect.void,
  empty = false,
  after = () => Effect.void,
  link = (name, number) => `https://files/${name}?n=${number}`,
  list = Effect.succeed([]),
  more = []
}: World = {}) => {
  const asked: Array<string> = []
  const client = Layer.mock(ServiceClient, {
    getAnalyses: () =>
      Effect.andThen(
        Effect.sync(() => asked.push("all")),
        list
      ),
    getFileDownloadLinks: (id) =>
      Effect.gen(function* () {
        const number = asked.push(id)
        yield* before(number)
        const apiFileLinks = [
          ...["S1.bam", "S1.bam.bai"].map((fileName) => ({
            fileName,
            size: 10,
            downloadLink: link(fileName, number)
          })),
          { fileName: "cold.bam", currentlyArchived: true, estimatedRestoreTime: "2026-01-31T13:00:00Z" },
          ...more
        ]
        yield* after(number)
        return Schema.decodeUnknownSync(AnalysisFiles)({ id, apiFileLinks: empty ? [] : apiFileLinks })
      })
  })
  return {
    asked,
    layer: LinkStore.layer.pipe(
      Layer.provideMerge(ServiceAccess.layer(Layer.merge(client, noSession))),
      Layer.provide(
        ServiceQueue.layer().pipe(
          Layer.provide(Layer.succeed(Contact, { isUp: () => false, answers: Effect.succeed(false) }))
        )
      )
    )
  }
}

const numberOf = (link: Redacted.Redacted) => Number(/n=(\d+)/.exec(Redacted.value(link))?.[1])

/** The number of the answer that the link of S1.bam came with. */
const linkNumber = Effect.gen(function* () {
  const store = yield* LinkStore
  const { link } = yield* store.lend(yield* store.file("A1", "S1.bam"))
  return numberOf(link)
})

interface Served {
  readonly asked: ReadonlyArray<string>
  readonly store: LinkStore["Service"]
  readonly back: Deferred.Deferred<void>
}

/** A test of the store over a world, which may wait for `back` before it answers. */
const serves = (
  name: string,
  given: World | ((back: Deferred.Deferred<void>) => World),
  body: (served: Served) => Effect.fn.Return<void, Failure, LinkStore | ServiceAccess>
): void =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const back = yield* Deferred.make<void>()
      const { asked, layer } = world(typeof given === "function" ? given(back) : given)
      const serving = Effect.flatMap(LinkStore, (store) => Effect.gen(() => body({ asked, back, store })))
      yield* Effect.provide(serving, layer)
    })
  )

describe("the shared store of links", () => {
  serves(
    "asks once for all readers who come at the same time, and each analysis by itself",
    (back) => ({ before: () => Deferred.await(back) }),
    function* ({ asked, back, store }) {
      const readers = yield* Effect.forkChild(
        Effect.all([...Array.from({ length: 200 }, () => linkNumber), store.files("A2")], {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(back, undefined)
      const numbers = (yield* Fiber.join(readers)).slice(0, 200)
      assert.deepStrictEqual(new Set(numbers).size, 1)
      assert.deepStrictEqual([...asked].sort(), ["A1", "A2"])
    }
  )

  it.effect(
    "L1 lends a link for ten minutes after it was asked for, and for one to a reader who cannot have it renewed",
    () =>
      Effect.gen(function* () {
        // The first answer takes five seconds, which count.
        const { layer } = world({ after: (number) => (number === 1 ? Effect.sleep("5 seconds") : Effect.void) })
        yield* Effect.gen(function* () {
          const store = yield* LinkStore
          const file = { analysisId: "A1", fileName: "S1.bam", size: 10, archived: false, restoreEstimation: null }
          const lent = Effect.map(store.lend(file), ({ link }) => link)
          const alone = store.handOut(file)
          const seen: Array<number> = []
          for (const [seconds, reading] of [
            [0, alone],
            [54, alone],
            [1, alone],
            [599, lent],
            [1, lent]
          ] as const) {
            yield* TestClock.adjust(seconds * 1000)
            const reader = yield* Effect.forkChild(reading, { startImmediately: true })
            if (seconds === 0) yield* TestClock.adjust("5 seconds")
            seen.push(numberOf(yield* Fiber.join(reader)))
          }
          assert.deepStrictEqual(seen, [1, 1, 2, 2, 3])
        }).pipe(Effect.provide(layer))
      })
  )

  serves("L2 a refused link is renewed once, whoever noticed", {}, function* ({ asked, store }) {
    const file = yield* store.file("A1", "S1.bam")
    const readers = yield* Effect.all(Array.from({ length: 30 }, () => store.lend(file)))
    const late = yield* store.lend(file)
    const renewed = yield* Effect.all(
      readers.map(({ renewLink }) => renewLink ?? Effect.die("nobody can be asked")),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(new Set(renewed.map(({ link }) => numberOf(link))), new Set([2]))
    const again = yield* late.renewLink ?? Effect.die("nobody can be asked")
    assert.strictEqual(numberOf(again.link), 2)
    assert.strictEqual(asked.length, 2)
  })

  serves(
    "an index is found under the names that tools guess, and what is missing is not asked for each time",
    {},
    function* ({ asked, store }) {
      assert.strictEqual((yield* store.file("A1", "S1.bai")).fileName, "S1.bam.bai")
      for (let i = 0; i < 20; i++) {
        const missing = yield* Effect.flip(store.file("A1", "S1.bam.csi"))
        assert.strictEqual(missing._tag, "SvcNotFound")
      }
      assert.strictEqual(asked.length, 1)
      yield* TestClock.adjust("31 seconds")
      yield* Effect.flip(store.file("A1", "S1.bam.csi"))
      assert.strictEqual(asked.length, 2)
    }
  )

  serves(
    "L6 of two files of one name nobody can say which is meant: it is not found",
    { more: [{ fileName: "twice.bam" }, { fileName: "twice.bam" }, { size: 3 }] },
    function* ({ store }) {
      assert.deepStrictEqual(
        (yield* store.files("A1")).map(({ fileName }) => fileName),
        ["S1.bam", "S1.bam.bai", "cold.bam"]
      )
      assert.strictEqual((yield* Effect.flip(store.file("A1", "twice.bam")))._tag, "SvcNotFound")
    }
  )

  serves("an archived file has no link but its state, which is looked at again soon", {}, function* ({ asked, store }) {
    const cold = yield* store.file("A1", "cold.bam")
    const error = yield* Effect.flip(store.lend(cold))
    assert.strictEqual(error._tag === "InArchive" ? error.file.restoreEstimation : error._tag, "2026-01-31T13:00:00Z")
    assert.strictEqual(asked.length, 1)
    yield* TestClock.adjust("6 seconds")
    yield* store.file("A1", "cold.bam")
    assert.strictEqual(asked.length, 2)
  })

  serves(
    "N1 readers wait eight seconds for a service that is away; its answer is there for those who come back",
    (back) => ({ before: () => Deferred.await(back) }),
    function* ({ asked, back, store }) {
      const waiting = yield* Effect.forkChild(Effect.flip(store.files("A1")))
      yield* TestClock.adjust("7 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ServiceAway")
      // Also for one who comes back while the service still has the question.
      const early = yield* Effect.forkChild(store.files("A1"), { startImmediately: true })
      yield* Deferred.succeed(back, undefined)
      assert.strictEqual((yield* Fiber.join(early)).length, 3)
      assert.strictEqual((yield* store.files("A1")).length, 3)
      assert.strictEqual(asked.length, 1)
    }
  )

  serves(
    "an analysis that the service does not know is asked for once a minute, and looks like one nobody may know of",
    {
      before: () => Effect.fail(new NotFound({ what: "analysis A9", next: "findId" }))
    },
    function* ({ asked, store }) {
      const messages = new Set<string>()
      for (let second = 0; second < 60; second++) {
        messages.add((yield* Effect.flip(store.files("A9"))).message)
        messages.add((yield* Effect.flip(store.file("A9", "S9.bam"))).message)
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(asked, ["A9"])
      const limited = Effect.provideService(store.file("A9", "S9.bam"), Reader, {
        key: "ada",
        mayRead: () => false
      })
      messages.add((yield* Effect.flip(limited)).message)
      assert.deepStrictEqual(asked, ["A9"])
      assert.strictEqual(messages.size, 1, [...messages].join("; "))
      yield* Effect.flip(store.files("A9"))
      assert.deepStrictEqual(asked, ["A9", "A9"])
    }
  )

  serves("an analysis without files is not asked for each time", { empty: true }, function* ({ asked, store }) {
    for (let i = 0; i < 5; i++) assert.deepStrictEqual(yield* store.files("A1"), [])
    assert.strictEqual(asked.length, 1)
  })

  serves("tells how many links it holds", {}, function* ({ store }) {
    const held = Effect.map(store.state, ({ linksHeld }) => linksHeld)
    assert.strictEqual(yield* held, 0)
    yield* linkNumber
    assert.strictEqual(yield* held, 2)
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* held, 0)
  })

  serves(
    "a failure is told to those who waited and not remembered",
    { before: (number) => (number === 1 ? Effect.fail(away) : Effect.void) },
    function* ({ asked, store }) {
      assert.strictEqual((yield* Effect.flip(store.files("A1")))._tag, "SvcUnavailable")
      assert.strictEqual((yield* store.files("A1")).length, 3)
      assert.strictEqual(asked.length, 2)
    }
  )

  serves(
    "a reader who goes away does not end the question for the others",
    (back) => ({ before: () => Deferred.await(back) }),
    function* ({ asked, back }) {
      const first = yield* Effect.forkChild(linkNumber)
      yield* TestClock.adjust("1 second")
      const second = yield* Effect.forkChild(linkNumber)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(back, undefined)
      assert.strictEqual(yield* Fiber.join(second), 1)
      assert.strictEqual(asked.length, 1)
    }
  )

  it.effect("the list of all analyses counts for a minute", () => {
    const { asked, layer } = world()
    return Effect.gen(function* () {
      const { analyses } = yield* LinkStore
      for (const [seconds, times] of [
        [0, 1],
        [59, 1],
        [2, 2]
      ] as const) {
        yield* TestClock.adjust(`${seconds} seconds`)
        yield* analyses
        assert.strictEqual(asked.length, times, `${seconds}`)
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("what the service does not tell of all analyses is asked for once a minute, an outage each time", () =>
    Effect.gen(function* () {
      for (const [error, questions] of [
        [new Forbidden({ what: "analyses" }), 1],
        [away, 5]
      ] as const) {
        const { asked, layer } = world({ list: Effect.fail(error) })
        yield* Effect.gen(function* () {
          const { analyses } = yield* LinkStore
          for (let i = 0; i < 5; i++) assert.strictEqual((yield* Effect.flip(analyses))._tag, error._tag)
          assert.strictEqual(asked.length, questions)
          yield* TestClock.adjust("1 minute")
          yield* Effect.flip(analyses)
          assert.strictEqual(asked.length, questions + 1)
        }).pipe(Effect.provide(layer))
      }
    })
  )

  serves(
    "N1 the list of all analyses is there for those who come back, when the service is slower than they wait",
    (back) => ({ list: Effect.as(Deferred.await(back), []) }),
    function* ({ asked, back, store: { analyses } }) {
      const reader = yield* Effect.forkChild(Effect.flip(analyses))
      yield* TestClock.adjust("8 seconds")
      assert.strictEqual((yield* Fiber.join(reader))._tag, "ServiceAway")
      yield* Deferred.succeed(back, undefined)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* analyses, [])
      assert.deepStrictEqual(asked, ["all"])
    }
  )

  it.effect(
    "what the service works on is for whoever comes when all who asked have left: a no as well, which may cost a login",
    () =>
      Effect.gen(function* () {
        const no = new Forbidden({ what: "analyses" })
        for (const key of ["all", "A1"]) {
          for (const [yes, early] of [
            [true, true],
            [true, false],
            [false, true],
            [false, false]
          ]) {
            const back = yield* Deferred.make<void>()
            const list = Effect.flatMap(Deferred.await(back), () => (yes ? Effect.succeed([]) : Effect.fail(no)))
            const { asked, layer } = world({ list, before: () => Effect.asVoid(list) })
            yield* Effect.gen(function* () {
              const store = yield* LinkStore
              const reading = key === "all" ? Effect.asVoid(store.analyses) : Effect.asVoid(store.files(key))
              const gone = yield* Effect.forkChild(reading)
              yield* TestClock.adjust("1 second")
              yield* Fiber.interrupt(gone)
              const next = yield* Effect.forkChild(early ? Effect.exit(reading) : Effect.never, {
                startImmediately: true
              })
              yield* Deferred.succeed(back, undefined)
              yield* TestClock.adjust("1 second")
              const exit = early ? yield* Fiber.join(next) : yield* Effect.exit(reading)
              assert.deepStrictEqual([Exit.isSuccess(exit), asked], [yes, [key]], `${key} ${yes} ${early}`)
            }).pipe(Effect.provide(layer))
          }
        }
      })
  )

  serves(
    "the list of all analyses is for those who still wait for it, and dropped when nobody does",
    (back) => ({ before: () => Deferred.await(back) }),
    function* ({ asked, back, store }) {
      const waiting = Effect.map(store.state, ({ queue }) => queue.length)
      const busy = yield* Effect.forkChild(store.files("A1"))
      yield* TestClock.adjust("1 second")
      const readers = yield* Effect.all([Effect.forkChild(store.analyses), Effect.forkChild(store.analyses)])
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(readers[0])
      assert.strictEqual(yield* waiting, 2)
      yield* Fiber.interrupt(readers[1])
      assert.strictEqual(yield* waiting, 1)
      const last = yield* Effect.all([Effect.forkChild(store.analyses), Effect.forkChild(store.analyses)])
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(last[0])
      yield* Deferred.succeed(back, undefined)
      yield* Fiber.join(busy)
      assert.deepStrictEqual(yield* Fiber.join(last[1]), [])
      assert.deepStrictEqual(asked, ["A1", "all"])
    }
  )

  serves(
    "what could lead to another address of the service is no analysis, and is not asked for",
    {},
    function* ({ asked, store }) {
      for (const id of [
        "",
        ".",
        "..",
        "../A1",
        "A1/x",
        "A1\\x",
        "A1?x",
        "A1#x",
        "A1%2e",
        "A\u00001",
        "A".repeat(201)
      ]) {
        assert.strictEqual((yield* Effect.flip(store.files(id)))._tag, "SvcNotFound", id)
      }
      assert.deepStrictEqual(asked, [])
      assert.strictEqual((yield* store.files("A 1+ü")).length, 3)
    }
  )

  serves(
    "S1 a login that is refused later ends the access",
    { before: () => Effect.fail(refused) },
    function* ({ store }) {
      const access = yield* ServiceAccess
      assert.strictEqual((yield* Effect.flip(store.files("A1")))._tag, "SvcLoginRefused")
      assert.strictEqual((yield* Effect.flip(access.lost))._tag, "SvcLoginRefused")
    }
  )
})

describe("a service that is away when the server starts", () => {
  it.effect("is logged in to as soon as it is there", () =>
    Effect.gen(function* () {
      let logins = 0
      const service = Layer.unwrap(
        Effect.suspend(() => (++logins < 4 ? Effect.fail(away) : Effect.succeed(Layer.mock(ServiceClient, {}))))
      )
      yield* Effect.gen(function* () {
        const access = yield* ServiceAccess
        const client = yield* Effect.forkChild(access.ask(Effect.succeed))
        yield* TestClock.adjust("1 second")
        assert.isUndefined(client.pollUnsafe())
        yield* TestClock.adjust("1 minute")
        assert.isTrue(Exit.isSuccess(yield* Fiber.await(client)))
        assert.strictEqual(logins, 4)
      }).pipe(Effect.provide(ServiceAccess.layer(Layer.merge(service, noSession))))
    })
  )

  it.effect("S1 a password that is refused is sent once and told", () =>
    Effect.gen(function* () {
      let logins = 0
      const service = Layer.effect(
        ServiceClient,
        Effect.suspend(() => {
          logins++
          return Effect.fail(refused)
        })
      )
      yield* Effect.gen(function* () {
        const access = yield* ServiceAccess
        assert.strictEqual((yield* Effect.flip(access.lost))._tag, "SvcLoginRefused")
        assert.strictEqual((yield* Effect.flip(access.ask(Effect.succeed)))._tag, "SvcLoginRefused")
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(logins, 1)
      }).pipe(Effect.provide(ServiceAccess.layer(Layer.merge(service, noSession))))
    })
  )
})

describe("guessed names of indexes", () => {
  const files = (...names: ReadonlyArray<string>) => names.map((fileName) => ({ fileName }))

  it("lead to the index under the name that the service lists", () => {
    const table = [
      ["S1.bam.bai", "S1.bam.bai", "S1.bam.bai"],
      ["S1.bai", "S1.bam.bai", "S1.bam.bai"],
      ["S1.bam.bai", "S1.bai", "S1.bai"],
      ["S1.csi", "S1.bam.csi", "S1.bam.csi"],
      ["S1.bam.csi", "S1.bam.bai", null],
      ["V.vcf.gz.tbi", "V.vcf.gz.tbi", "V.vcf.gz.tbi"],
      ["V.vcf.gz.tbi", "V.vcf.tbi", "V.vcf.tbi"],
      ["V.vcf.csi", "V.vcf.gz.csi", "V.vcf.gz.csi"],
      ["V.tbi", "V.vcf.gz.tbi", null],
      ["V.vcf.gz.csi", "V.vcf.gz.tbi", null],
      ["S1.bam", "S1.bam.bai", null]
    ] as const
    for (const [asked, listed, found] of table) assert.strictEqual(listedName(asked, files(listed)), found, asked)
  })

  it("a name that is listed means that file, whatever else would fit", () => {
    assert.strictEqual(listedName("S1.bai", files("S1.bam.bai", "S1.bai")), "S1.bai")
  })
})
