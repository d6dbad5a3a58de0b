import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Logger, Option, Result, Schema, Stream } from "effect"
import { Cookies, Headers, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { bodyText, chance, chunksOf, tableOf } from "../../../test/annotations/Bodies.ts"
import { AnalysisId } from "../contract/Ids.ts"
import type { OutcomeUnknown, SessionError } from "../Errors.ts"
import { ReplyResponse } from "../session/ReplyReading.ts"
import { Session } from "../session/Session.ts"
import { TransportFault } from "../session/TransportFault.ts"
import { compareNatural, operators, parseCondition } from "../text/Condition.ts"
import { type AnnotationOptions, Annotations } from "./Annotations.ts"
import { type AnnotationsRequest, makeAnnotationsFetch } from "./AnnotationsFetch.ts"
import { Spools } from "./Spool.ts"
import type { TextOutput } from "./TabSeparated.ts"

/** How the service answers: `broken` ends the connection after the text. */
interface Answer {
  readonly status?: number
  readonly text: string
  readonly broken?: boolean
}

const encoder = new TextEncoder()

/** A session whose requests for annotations are answered in turn; keeps the paths. */
const sessionOf = (answers: ReadonlyArray<Answer>, asked: Array<string>, chunk = 16, letGo = () => {}) =>
  Layer.succeed(Session, {
    http: HttpClient.makeWith<never, never, SessionError | OutcomeUnknown, never>(
      () => Effect.die("only streams"),
      Effect.succeed
    ),
    stream: (request: HttpClientRequest.HttpClientRequest) =>
      Effect.gen(function* () {
        const { broken = false, status = 200, text } = answers[asked.length] ?? { text: "" }
        yield* Effect.addFinalizer(() => Effect.sync(letGo))
        asked.push(request.url)
        const chunks = chunksOf(encoder.encode(text), chance(asked.length), chunk)
        const head = { url: "https://lab.example.org/x", status, headers: Headers.empty, cookies: Cookies.empty }
        const response: ReplyResponse = new ReplyResponse(
          HttpClientRequest.setUrl(request, head.url),
          head,
          Stream.concat(
            Stream.fromIterable(chunks),
            broken
              ? Stream.fail(
                  new HttpClientError.HttpClientError({
                    reason: new HttpClientError.DecodeError({
                      request,
                      response: new ReplyResponse(request, head, new Uint8Array(0)),
                      cause: new TransportFault({ kind: "Broken", reason: "connection reset" })
                    })
                  })
                )
              : Stream.empty
          )
        )
        return response
      })
  })

const memorySpools = (opened: { count: number; bytes: number }) =>
  Layer.succeed(Spools, {
    open: Effect.sync(() => {
      opened.count++
      let content = new Uint8Array(0)
      return {
        size: () => content.length,
        write: (bytes: Uint8Array) =>
          Effect.sync(() => {
            opened.bytes += bytes.length
            content = new Uint8Array(Buffer.concat([content, bytes]))
          }),
        read: (offset: number, into: Uint8Array) =>
          Effect.sync(() => {
            // Sent in several chunks, so that rows are cut.
            const part = content.subarray(offset, offset + Math.min(into.length, 23 + (content.length >> 8)))
            into.set(part)
            return part.length
          })
      }
    })
  })

interface Ground {
  readonly output: TextOutput
  readonly written: () => string
  readonly asked: Array<string>
  readonly spooled: { count: number; bytes: number }
}

/** @param rewinds - false for an output that is seen at once */
const ground = (rewinds = true): Ground => {
  let text = ""
  return {
    output: {
      write: (bytes) =>
        Effect.sync(() => {
          text += Buffer.from(bytes).toString("latin1")
        }),
      rewind: (size) =>
        Effect.sync(() => {
          if (rewinds) text = text.slice(0, size)
          return rewinds || text.length <= size
        })
    },
    written: () => text,
    asked: [],
    spooled: { count: 0, bytes: 0 }
  }
}

const all: AnnotationsRequest = { format: "jsonl", columns: [], filters: [], several: false }

const condition = (source: string) => Result.getOrThrow(parseCondition(source))

/** Fetches `ids` while a minute passes, and gives how each ended. */
const fetchAll = (
  { asked, output, spooled }: Ground,
  request: Partial<AnnotationsRequest>,
  ids: ReadonlyArray<string>,
  answers: ReadonlyArray<Answer>
) =>
  Effect.gen(function* () {
    const fetch = yield* makeAnnotationsFetch({ ...all, ...request }, output)
    const fetching = yield* Effect.forkChild(Effect.forEach(ids, (id) => Effect.exit(fetch(id))))
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fetching)
  }).pipe(Effect.provide([sessionOf(answers, asked), memorySpools(spooled)]))

const failureOf = <A, E>(exit: Exit.Exit<A, E> | undefined) =>
  exit === undefined || Exit.isSuccess(exit) ? null : Option.getOrNull(Cause.findErrorOption(exit.cause))

const header = '"header":[{"id":"ID"},{"id":"Gene","title":"Symbol"}]'
const data = '"data":[["v1","BRCA1"],["v2",null],["v3",["TP53"]]]'
const last: Answer = { text: `{${data},${header},"x":1}` }
const first: Answer = { text: `{${header},"x":1,${data}}` }
const lines = [
  '{"analysisId":"A1","ID":"v1","Gene":"BRCA1"}',
  '{"analysisId":"A1","ID":"v2","Gene":null}',
  '{"analysisId":"A1","ID":"v3","Gene":["TP53"]}'
]
const wanted = lines.map((line) => `${line}\n`).join("")

describe("the stream of rows", () => {
  const table =
    '{"data":[["V1","FBN1",9007199254740993],["V2","TP53",null]],"header":[{"id":"ID"},{"id":"Gene"},{"id":"N"}]}'
  const annotations = (session: Layer.Layer<Session>) =>
    Annotations.layer.pipe(Layer.provide([session, memorySpools({ count: 0, bytes: 0 })]))
  const rowsOf = (content?: AnnotationOptions) =>
    Stream.unwrap(Annotations.useSync(({ rows }) => rows(AnalysisId.make("A1"), content)))
  const run = (answers: ReadonlyArray<Answer>, content: AnnotationOptions = {}) => {
    const asked: Array<string> = []
    return rowsOf(content).pipe(Stream.runCollect, Effect.provide(annotations(sessionOf(answers, asked))))
  }

  it.effect("gives a record for each row, keyed by the columns, whose header came last", () =>
    Effect.gen(function* () {
      const rows = yield* run([{ text: table }])
      assert.strictEqual(
        JSON.stringify(rows),
        '[{"analysisId":"A1","ID":"V1","Gene":"FBN1","N":9007199254740993},{"analysisId":"A1","ID":"V2","Gene":"TP53","N":null}]'
      )
      assert.deepStrictEqual(yield* run([{ text: table }], { columns: ["Gene"], filters: ["Gene = TP53"] }), [
        { analysisId: AnalysisId.make("A1"), Gene: "TP53" }
      ])
    })
  )

  it.live(
    "has columns, which are told also when the first answer was cut; an analysis that is not there has none",
    () =>
      Effect.gen(function* () {
        const columnsOf = (...answers: ReadonlyArray<Answer>) =>
          Annotations.use(({ columns }) => columns(AnalysisId.make("A1"))).pipe(
            Effect.provide(annotations(sessionOf(answers, [])))
          )
        const text = '{"data":[["V1","FBN1"]],"header":[{"id":"ID"},{"id":"ID","title":"Symbol"}]}'
        for (const answers of [[{ text }], [{ text: text.slice(0, 30) }, { text }]]) {
          const said: Array<string> = []
          const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
          assert.deepStrictEqual(yield* Effect.provide(columnsOf(...answers), logger), [
            { index: 0, id: "ID", title: "", name: "ID" },
            { index: 1, id: "ID", title: "Symbol", name: "ID_2" }
          ])
          assert.lengthOf(said, answers.length - 1)
          if (answers.length > 1) assert.match(said[0] ?? "", /^analysis A1: .*; fetching it anew/)
        }
        assert.strictEqual((yield* Effect.flip(columnsOf({ status: 400, text: "{}" })))._tag, "SvcNotFound")
      })
  )

  it.effect("takes a header that comes first, and lets the session go before a row comes", () =>
    Effect.gen(function* () {
      // Each more than is written at once, and more of them than wait for a reader.
      const ids = Array.from({ length: 5 }, (_, i) => `V${i}`.padEnd(300_000, "x"))
      const text = `{"header":[{"id":"ID"}],"data":${JSON.stringify(ids.map((id) => [id]))}}`
      const events: Array<unknown> = []
      // Who asks the service for each row would else wait for ever.
      const session = sessionOf([{ text }], [], 1_000_000, () => void events.push("let go"))
      yield* rowsOf().pipe(
        Stream.runForEach((row) => Effect.sync(() => void events.push(String(row["ID"]).slice(0, 2)))),
        Effect.provide(annotations(session))
      )
      assert.deepStrictEqual(events, ["let go", "V0", "V1", "V2", "V3", "V4"])
    })
  )

  it.effect("fails with the errors of the client, after what was complete", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(run([{ status: 400, text: "{}" }]))
      assert.strictEqual(missing._tag, "SvcNotFound")
      const unknown = yield* Effect.flip(run([{ text: table }], { columns: ["nope"] }))
      assert.deepInclude(unknown, { _tag: "SvcUsageError", options: ["columns"] })
    })
  )

  it.effect("H19 fails with a cut body when another look has found no better one", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const looking = run([{ text: table.slice(0, 60) }]).pipe(Effect.provide(logger), Effect.flip)
      const fiber = yield* Effect.forkChild(looking)
      yield* TestClock.adjust("1 minute")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "SvcReplyMalformed")
      assert.lengthOf(
        said.filter((line) => line.includes("fetching it anew")),
        2
      )
    })
  )

  it.effect("asks nobody with options that cannot be", () =>
    Effect.gen(function* () {
      for (const [options, wrong] of [
        [{ columns: "Gene" }, ["columns"]],
        [{ filters: [7] }, ["filters"]],
        [{ filters: ["Gene BRCA1"] }, ["filters"]],
        [{ genes: ["BRCA1"] }, []]
      ] as const) {
        const error = yield* Effect.flip(run([], options as AnnotationOptions))
        assert.deepInclude(error, { _tag: "SvcUsageError", options: wrong })
      }
    })
  )

  it.effect("ends the request when the reader stops", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const [first] = yield* rowsOf().pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.provide(annotations(sessionOf([{ text: table }], asked)))
      )
      assert.strictEqual(first?.["ID"], "V1")
    })
  )
})

describe("one analysis", () => {
  for (const [name, answer] of [
    ["last", last],
    ["first", first]
  ] as const) {
    it.effect(`header ${name}: the same text`, () =>
      Effect.gen(function* () {
        const it = ground()
        const [exit] = yield* fetchAll(it, {}, ["A/1"], [answer])
        assert.strictEqual(it.written().replaceAll("A/1", "A1"), wanted)
        assert.deepStrictEqual(it.asked, ["/api/analysis/A%2F1/annotations"])
        assert.deepStrictEqual(
          exit,
          Exit.succeed({
            bytes: answer.text.length,
            rowsRead: 3,
            rowsWritten: 3,
            missingColumns: []
          })
        )
      })
    )
  }

  it.effect.prop("the rows that pass are those of a plain reading, wherever the header is", [Schema.Int], ([seed]) =>
    Effect.gen(function* () {
      const random = chance(seed)
      const { data, header } = tableOf(random, 1 + random(6), random(30))
      const odd = ["Chr", "p.value", "a b", "1000G", "Größe", "x-y", "", "Chr"]
      const named = header.map((it) => ({ ...it, id: odd[random(odd.length)] ?? "" }))
      const names: Array<string> = []
      for (const { id } of named) {
        let name = id
        for (let n = 2; names.includes(name); n++) name = `${id}_${n}`
        names.push(name)
      }
      // Half of the filters are of one row, so that several hold at once.
      const chosen = data[random(data.length)] ?? []
      const filters = Array.from({ length: random(4) }, () => {
        const cell = random(names.length)
        const cells = (random(2) === 0 ? [chosen] : data).map((row) => row[cell]).flat(9)
        const value = String(cells[random(cells.length + 1)] ?? [0, "BRCA1", "x"][random(3)]).trim() || "0"
        return { name: names[cell] ?? "", cell, operator: operators[random(operators.length)] ?? "=", value }
      }).filter(({ name, operator, value }) => name !== "" && !(/^=/.test(value) && operator.length === 1))
      const numberOf = (text: string) => (text.trim() === text && text !== "" ? Number(text) : Number.NaN)
      const test = (found: string, operator: string, value: string): boolean => {
        const [a, b] = [numberOf(found), numberOf(value)]
        const order =
          Number.isNaN(a) !== Number.isNaN(b) ? Number.NaN : Number.isNaN(a) ? compareNatural(found, value) : a - b
        if (operator === "~=") return found.includes(value)
        if (operator === "^=") return found.startsWith(value)
        return (
          { "=": order === 0, ">": order > 0, ">=": order >= 0, "<": order < 0, "<=": order <= 0 }[operator] ?? false
        )
      }
      const wanted = data.filter((row) =>
        filters.every(({ cell, operator, value }) => {
          const texts = [row[cell]].flat(9).filter((it) => it !== null && typeof it !== "object")
          const some = (op: string) => texts.some((it) => test(String(it), op, value))
          return operator === "!=" ? !some("=") : some(operator)
        })
      )
      const members = [
        ["data", data],
        ["header", named]
      ] as const
      const text = new TextDecoder().decode(bodyText(random(2) === 0 ? members : members.toReversed(), random, false))
      const it = ground()
      const request = { filters: filters.map(({ name, operator, value }) => condition(`${name} ${operator} ${value}`)) }
      const [exit] = yield* fetchAll(it, request, ["A1"], [{ text }])
      const shown = JSON.stringify({ filters, names })
      assert.deepInclude(yield* exit ?? Exit.die(0), { rowsRead: data.length, rowsWritten: wanted.length }, shown)
      const rows = Buffer.from(it.written(), "latin1").toString().split("\n").slice(0, -1)
      assert.deepStrictEqual(
        rows.map((line) => JSON.parse(line)),
        wanted.map((row) => ({ analysisId: "A1", ...Object.fromEntries(row.map((cell, i) => [names[i], cell])) })),
        shown
      )
    })
  )

  it.effect("json is the body byte for byte, and a line feed after it only between several", () =>
    Effect.gen(function* () {
      const odd = `\ufeff {"x" : "\\u00e4" ,${data}\n,${header}} \n`
      const one = ground()
      yield* fetchAll(one, { format: "json" }, ["A1"], [{ text: odd }])
      assert.strictEqual(
        new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(one.written(), (c) => c.charCodeAt(0))),
        odd
      )
      const two = ground()
      yield* fetchAll(two, { format: "json", several: true }, ["A1", "A2"], [last, first])
      assert.strictEqual(two.written(), `${last.text}\n${first.text}\n`)
      assert.strictEqual(two.spooled.bytes, 0)
    })
  )

  it.effect("an identifier that would change the path is not found without asking", () =>
    Effect.gen(function* () {
      const it = ground()
      const [exit] = yield* fetchAll(it, {}, [".."], [last])
      assert.strictEqual(failureOf(exit)?._tag, "SvcNotFound")
      assert.deepStrictEqual(it.asked, [])
    })
  )
})

describe("bodies that cannot be used", () => {
  for (const [at, format] of (["jsonl", "tsv", "json"] as const).entries()) {
    it.effect(`H18 cut at any byte fail typed and leave nothing in the output (${format})`, () =>
      Effect.gen(function* () {
        for (const { text } of [last, first]) {
          // Each format has a third of them.
          for (let cut = at; cut < text.length; cut += 3) {
            const it = ground()
            const [exit] = yield* fetchAll(it, { format }, ["A1"], [{ text: text.slice(0, cut) }])
            assert.strictEqual(failureOf(exit)?._tag, "SvcReplyMalformed", `${cut}`)
            assert.strictEqual(it.written(), "")
          }
        }
      })
    )

    it.effect(`H20 answers of another kind are told apart, and never in the output (${format})`, () =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [Answer, tag: string, message: RegExp]> = [
          [{ text: '{"success":false,"errorMessageId":"BUSY"}' }, "SvcRequestRejected", /BUSY/],
          [{ text: '{"success":true,"response":null}' }, "SvcNotFound", /analysis A1: not found/],
          [{ text: "null" }, "SvcNotFound", /analysis A1/],
          [{ status: 400, text: '{"errorMessageId":"ANALYSIS_NOT_FOUND"}' }, "SvcNotFound", /ANALYSIS_NOT_FOUND/],
          [{ status: 404, text: "" }, "SvcUnavailable", /as if it had no such endpoint/],
          [{ status: 422, text: '{"errorMessageId":"NOT_SNV"}' }, "SvcRequestRejected", /NOT_SNV/],
          [{ text: "[]" }, "SvcReplyMalformed", /it has no data/],
          [{ text: '{"data":[[1]]}' }, "SvcReplyMalformed", /it has no header/],
          [{ text: `{${header}}` }, "SvcReplyMalformed", /it has no data/],
          [{ text: `{"x":"${"y".repeat(70_000)}"}` }, "SvcReplyMalformed", /it has no data/],
          [{ text: "<html>" }, "SvcReplyMalformed", /HTML/],
          [{ text: "" }, "SvcReplyMalformed", /its body is empty/]
        ]
        for (const [answer, tag, message] of cases) {
          const it = ground()
          const [exit] = yield* fetchAll(it, { format }, ["A1"], Array(3).fill(answer))
          const failure = failureOf(exit)
          assert.strictEqual(failure?._tag, tag, answer.text.slice(0, 50))
          assert.match(failure?.message ?? "", message)
          assert.strictEqual(it.written(), "")
        }
      })
    )
  }

  it.effect("rows and headers that do not fit each other", () =>
    Effect.gen(function* () {
      for (const [text, message] of [
        [`{"data":[["a","b"],["c"]],${header}}`, /row 2 has 1 cells, the header 2 columns/],
        [`{${header},"data":[["a","b"],["c","d","e"]]}`, /row 2 has 3 cells, the header 2 columns/],
        ['{"data":[["SECRET"]],"header":[{"id":1,"title":"SECRET"}]}', /header: \[0\]\.id/]
      ] as const) {
        const it = ground()
        const [exit] = yield* fetchAll(it, {}, ["A1"], [{ text }])
        const failure = failureOf(exit)
        assert.strictEqual(failure?._tag, "SvcReplyMalformed")
        assert.match(failure?.message ?? "", message)
        assert.notInclude(failure?.message, "SECRET")
        assert.strictEqual(it.written(), "")
      }
    })
  )

  it.effect("unknown columns are the user's to correct, wherever they are named", () =>
    Effect.gen(function* () {
      for (const request of [{ columns: ["Gnee"] }, { filters: [condition("Symbol = BRCA1")] }]) {
        const it = ground()
        const [exit] = yield* fetchAll(it, request, ["A1"], [last])
        assert.strictEqual(failureOf(exit)?._tag, "SvcUsageError")
        assert.match(
          failureOf(exit)?.message ?? "",
          /^Analysis A1: Unknown column (Gnee|Symbol) \(did you mean Gene\?\); there are ID, Gene$/
        )
      }
    })
  )
})

describe("bodies that break off", () => {
  const broken = (answer: Answer, at: number): Answer => ({ text: answer.text.slice(0, at), broken: true })

  for (const format of ["jsonl", "tsv", "json"] as const) {
    it.effect(`N7 are fetched anew, and the output has them once (${format})`, () =>
      Effect.gen(function* () {
        const whole = ground()
        yield* fetchAll(whole, { format }, ["A1"], [first])
        const it = ground()
        const fiber = yield* Effect.forkChild(
          fetchAll(it, { format }, ["A1"], [broken(first, 90), broken(last, 10), first])
        )
        yield* TestClock.adjust("10 seconds")
        const [exit] = yield* Fiber.join(fiber)
        assert.isTrue(Exit.isSuccess(exit ?? Exit.die(0)))
        assert.strictEqual(it.written(), whole.written())
        assert.strictEqual(it.asked.length, 3)
      })
    )
  }

  it.effect("H19 cut JSON in a whole answer is fetched anew as well", () =>
    Effect.gen(function* () {
      const it = ground()
      const [exit] = yield* fetchAll(it, {}, ["A1"], [{ text: first.text.slice(0, 90) }, { text: "[[" }, first])
      assert.isTrue(Exit.isSuccess(exit ?? Exit.die(0)))
      assert.strictEqual(it.written(), wanted)
      assert.strictEqual(it.asked.length, 3)
    })
  )

  it.effect("N7 end as unavailable after three tries, with nothing in the output", () =>
    Effect.gen(function* () {
      const it = ground()
      const fiber = yield* Effect.forkChild(fetchAll(it, {}, ["A1"], Array(9).fill(broken(last, 60))))
      yield* TestClock.adjust("1 minute")
      const [exit] = yield* Fiber.join(fiber)
      const failure = failureOf(exit)
      assert.strictEqual(failure?._tag, "SvcUnavailable")
      assert.match(failure?.message ?? "", /lab\.example\.org is unavailable: connection reset \(3 attempts\)/)
      assert.strictEqual(it.written(), "")
    })
  )

  it.effect("are not fetched again when the reader has already seen some of their rows", () =>
    Effect.gen(function* () {
      const it = ground(false)
      const [exit] = yield* fetchAll(it, { format: "json" }, ["A1"], [broken(first, 90), first])
      assert.strictEqual(failureOf(exit)?._tag, "SvcUnavailable")
      assert.strictEqual(it.asked.length, 1)
      const unseen = ground(false)
      const fiber = yield* Effect.forkChild(fetchAll(unseen, {}, ["A1"], [broken(last, 90), last]))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      assert.strictEqual(unseen.written(), wanted)
    })
  )
})

describe("several analyses", () => {
  it.effect("an analysis that fails leaves the output of the others unchanged", () =>
    Effect.gen(function* () {
      const it = ground()
      const cut = { text: first.text.slice(0, -5) }
      const exits = yield* fetchAll(
        it,
        {},
        ["A0", "A1", "A2", "A3"],
        [cut, cut, cut, last, { status: 400, text: "" }, first]
      )
      assert.deepStrictEqual(
        exits.map((exit) => failureOf(exit)?._tag ?? null),
        ["SvcReplyMalformed", null, "SvcNotFound", null]
      )
      assert.strictEqual(it.written(), wanted + wanted.replaceAll('"A1"', '"A3"'))
      assert.strictEqual(it.spooled.count, 6)
    })
  )

  it.effect("are one table: one line of names, columns found by name, missing ones said", () =>
    Effect.gen(function* () {
      const it = ground()
      const swapped = { text: '{"data":[["TP53","v9"]],"header":[{"id":"Gene"},{"id":"ID"}]}' }
      const fewer = { text: '{"data":[["v8"]],"header":[{"id":"ID"}]}' }
      const cut = { text: first.text.slice(0, -5) }
      const exits = yield* fetchAll(
        it,
        { format: "tsv" },
        ["A0", "A1", "A2", "A3"],
        [cut, cut, cut, last, swapped, fewer]
      )
      assert.strictEqual(
        it.written(),
        "analysisId\tID\tGene\nA1\tv1\tBRCA1\nA1\tv2\t\nA1\tv3\tTP53\nA2\tv9\tTP53\nA3\tv8\t\n"
      )
      assert.deepStrictEqual(
        exits.map((exit) => (Exit.isSuccess(exit) ? exit.value.missingColumns : null)),
        [null, [], [], ["Gene"]]
      )
    })
  )

  it.effect("with columns that the table does not have are refused, as these would be lost", () =>
    Effect.gen(function* () {
      const it = ground()
      const more = { text: '{"data":[["v9",1,2]],"header":[{"id":"ID"},{"id":"AF"},{"id":"Gene"}]}' }
      const [, exit] = yield* fetchAll(it, { format: "tsv" }, ["A1", "A2"], [last, more])
      assert.strictEqual(failureOf(exit)?._tag, "SvcUsageError")
      assert.match(failureOf(exit)?.message ?? "", /does not have \(AF\)/)
      const chosen = ground()
      yield* fetchAll(chosen, { format: "tsv", columns: ["ID"] }, ["A1", "A2"], [last, more])
      assert.strictEqual(chosen.written(), "analysisId\tID\nA1\tv1\nA1\tv2\nA1\tv3\nA2\tv9\n")
    })
  )
})
