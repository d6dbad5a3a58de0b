/** `svc-api` as a process against a sandbox inside the test. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SandboxOptions } from "../../sandbox/Sandbox.ts"
import { ground as emptyGround, fault, namesIn } from "../DownloadGround.ts"
import type { RunOptions } from "../Executables.ts"
import { runWarm } from "../WarmExecutables.ts"

const ground = (options: SandboxOptions = {}) =>
  Effect.map(emptyGround(options), (sandbox) => {
    const api = (args: ReadonlyArray<string>, more: RunOptions = {}) =>
      runWarm("svc-api", args, { ...more, cwd: sandbox.folder, env: { ...sandbox.env, ...more.env } })
    return { ...sandbox, api, path: (name: string) => join(sandbox.folder, name) }
  })

const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("what it prints", () => {
  it.live("one payload, an object for several, or lines", () =>
    Effect.gen(function* () {
      const { api } = yield* ground({ behaviour: { ids: "numeric" } })
      const one = yield* api(["get-internal-person-id", "LIMS-0001"])
      assert.deepStrictEqual({ ...one, stderr: "" }, { exitCode: 0, stdout: "1001\n", stderr: "" })
      const several = yield* api(["get-internal-person-id", "LIMS-0002", "LIMS-0001", "LIMS-0002"])
      assert.strictEqual(several.stdout, '{\n  "LIMS-0002": 1002,\n  "LIMS-0001": 1001\n}\n')
      const lines = yield* api(["get-person", "LIMS-0001", "LIMS-0002", "--format", "jsonl"])
      assert.deepStrictEqual(
        jsonLines(lines.stdout).map(({ id, result }) => [id, result.personalInformation.limsId]),
        [
          ["LIMS-0001", "LIMS-0001"],
          ["LIMS-0002", "LIMS-0002"]
        ]
      )
      const items = yield* api(["get-all-genes", "--format=jsonl"])
      assert.isTrue(jsonLines(items.stdout).every((gene) => typeof gene.id === "number"))
    })
  )

  it.live("one session for all identifiers, and one request at a time", () =>
    Effect.gen(function* () {
      const { api, stats } = yield* ground({ behaviour: { strict: true } })
      const { exitCode } = yield* api(["get-person-analyses", "LIMS-0001", "LIMS-0002", "LIMS-0003"])
      const { logins, maxApiInFlight } = yield* stats
      assert.deepStrictEqual([exitCode, logins, maxApiInFlight], [0, 1, 1])
    })
  )

  it.live("keeps the names and unknown fields of the service, and escapes what steers a terminal", () =>
    Effect.gen(function* () {
      const body = '{"success":true,"response":{"DGV:found":0,"new":[{"x":"\u009b2J\u202e"}],"type":"OF_TOMORROW"}}'
      const { api } = yield* ground({ faults: [fault({ endpoint: "getPerson" }, { status: 200, body })] })
      const { stdout } = yield* api(["get-person", "L"])
      assert.deepStrictEqual(JSON.parse(stdout), JSON.parse(body).response)
      assert.notMatch(stdout, /[\u0080-\u009f\u202e]/)
    })
  )

  it.live("a large body for one analysis is passed on byte for byte", () =>
    Effect.gen(function* () {
      const { api, path } = yield* ground({ behaviour: { annotationRows: 20_000 } })
      const piped = yield* api(["get-snv-annotations", "A1"])
      assert.strictEqual(JSON.parse(piped.stdout).data.length, 20_000)
      assert.strictEqual(piped.stdout.split("\n").length, 2)
      yield* api(["get-snv-annotations", "A1", "-o", "a.json"])
      assert.strictEqual(readFileSync(path("a.json"), "utf8"), piped.stdout)
    })
  )
})

describe("failures", () => {
  it.live("of one identifier do not stop the others, and decide the exit code", () =>
    Effect.gen(function* () {
      const { api, path } = yield* ground()
      const some = yield* api(["get-internal-person-id", "nobody", "LIMS-0001", "neither", "-o", "ids.json"])
      assert.strictEqual(some.exitCode, 66)
      assert.match(some.stderr, /\[error\]: person nobody: not found.*\n.*\[error\]: person neither: not found/)
      assert.deepStrictEqual(JSON.parse(readFileSync(path("ids.json"), "utf8")), { "LIMS-0001": "P1" })
      const none = yield* api(["get-internal-person-id", "nobody", "neither", "-o", "none.json"])
      assert.deepStrictEqual([none.exitCode, none.stdout, existsSync(path("none.json"))], [66, "", false])
    })
  )

  it.live("the most severe one counts", () =>
    Effect.gen(function* () {
      const { api } = yield* ground({ faults: [fault({ path: "*/L2" }, { status: 422, body: "{}" })] })
      const { exitCode, stdout } = yield* api(["get-person", "nobody", "L2", "LIMS-0001", "--format", "jsonl"])
      assert.strictEqual(exitCode, 65)
      assert.deepStrictEqual(
        jsonLines(stdout).map(({ id }) => id),
        ["LIMS-0001"]
      )
    })
  )

  it.live("analyses that the list leaves out are not found", () =>
    Effect.gen(function* () {
      const { api } = yield* ground()
      const { exitCode, stderr, stdout } = yield* api(["get-analyses", "A1", "zzz"])
      assert.strictEqual(exitCode, 66)
      assert.match(stderr, /analysis zzz: not found/)
      assert.deepStrictEqual(
        JSON.parse(stdout).map(({ id }: { id: string }) => id),
        ["A1"]
      )
    })
  )

  it.live("ids beyond 2^53 are printed and used with all their digits, in selections too", () =>
    Effect.gen(function* () {
      const { api, download, folder } = yield* ground({ behaviour: { ids: "numeric" } })
      const world = join(folder, "world.json")
      writeFileSync(
        world,
        '{"analyses":[{"id":9007199254740993,"sampleId":"WIDE","item":{"referencedAnalysisId":9007199254740995},"files":[{"name":"S.bam","copyOf":"1/S1.bam"}]}]}'
      )
      const wide = yield* ground({ behaviour: { ids: "numeric" }, world })
      const listed = yield* wide.api(["get-analyses", "9007199254740993"])
      assert.strictEqual(listed.exitCode, 0, listed.stderr)
      assert.include(listed.stdout, '"id": 9007199254740993,')
      assert.include(listed.stdout, '"referencedAnalysisId": 9007199254740995')
      const links = yield* wide.api(["get-file-download-links", "9007199254740993"])
      assert.include(links.stdout, '"id": 9007199254740993,')
      assert.strictEqual((yield* wide.api(["get-analyses", "9007199254740992"])).exitCode, 66)
      const chosen = yield* wide.download(["-s", "WIDE", "--list"])
      assert.strictEqual(chosen.exitCode, 0, chosen.stderr)
      assert.match(chosen.stdout, /^Analysis ID: 9007199254740993\n {2}S\.bam/)
      assert.strictEqual((yield* download(["-s", "WIDE", "--list"])).exitCode, 66)
      assert.strictEqual((yield* api(["get-analyses", "1"])).exitCode, 0)
    })
  )
})

describe("--output", () => {
  it.live("H18 a body that is cut leaves the old file as it was, and nothing else", () =>
    Effect.gen(function* () {
      const { api, folder, path, setFaults } = yield* ground()
      writeFileSync(path("old.json"), "old")
      yield* setFaults([fault({ endpoint: "getSnvAnnotations" }, { status: 200, body: '{"data":[[1,"a"]]' })])
      const { exitCode, stderr } = yield* api(["get-snv-annotations", "A1", "--output", "old.json"])
      assert.strictEqual(exitCode, 65, stderr)
      assert.match(
        stderr,
        /^Error: (getSnvAnnotations \(analysis A1\)|GET \/api\/analysis\/A1\/annotations): unreadable reply: /m
      )
      assert.strictEqual(readFileSync(path("old.json"), "utf8"), "old")
      assert.deepStrictEqual(namesIn(folder), ["locks", "old.json", "out"])
    })
  )

  it.live("a connection that breaks in the middle is tried again; standard output cannot be", () =>
    Effect.gen(function* () {
      const { api, path, setFaults } = yield* ground({ behaviour: { annotationRows: 5000 } })
      const broken = [fault({ endpoint: "getSnvAnnotations", nth: 1 }, { reset: 300_000 })]
      yield* setFaults(broken)
      const file = yield* api(["get-snv-annotations", "A1", "-o", "a.json"])
      assert.strictEqual(file.exitCode, 0, file.stderr)
      assert.match(file.stderr, /: asking again/)
      assert.strictEqual(JSON.parse(readFileSync(path("a.json"), "utf8")).data.length, 5000)
      yield* setFaults(broken)
      const piped = yield* api(["get-snv-annotations", "A1"])
      assert.strictEqual(piped.exitCode, 69)
      assert.isAbove(piped.stdout.length, 0)
    })
  )

  it.live("that cannot be is said before the login", () =>
    Effect.gen(function* () {
      const { api, stats } = yield* ground()
      for (const name of ["out", "no/such/folder.json"]) {
        const { exitCode, stderr } = yield* api(["get-person", "LIMS-0001", "-o", name])
        assert.strictEqual(exitCode, 73)
        assert.match(stderr, new RegExp(`^Error: Cannot create ${name}: `, "m"))
      }
      assert.strictEqual((yield* stats).logins, 0)
      assert.strictEqual((yield* api(["get-person", "LIMS-0001", "-o", "/dev/null"])).exitCode, 0)
      assert.isTrue(existsSync("/dev/null"))
    })
  )
})

describe("writing a person", () => {
  it.live("from options, and again with one field", () =>
    Effect.gen(function* () {
      const { api } = yield* ground({ behaviour: { ids: "numeric" } })
      const options = [
        "--lims-id",
        "L/9 é",
        "--first-name",
        "Ada",
        "--birth-date",
        "2016-02-29",
        "--hpo-term-ids",
        "HP:1,HP:2"
      ]
      const created = yield* api(["create-or-update-person", ...options])
      assert.match(created.stdout, /^\d+\n$/)
      const updated = yield* api(["create-or-update-person", "--lims-id", "L/9 é", "--sex", "FEMALE"])
      assert.strictEqual(updated.stdout, created.stdout)
      const person = JSON.parse((yield* api(["get-person", "L/9 é"])).stdout)
      assert.include(person.personalInformation, { firstName: "Ada", birthDate: "2016-02-29", sex: "FEMALE" })
      assert.lengthOf(person.clinicalInformation.hpoTerms, 2)
    })
  )

  it.live("from an input with byte order mark and CRLF, in a file or a pipe", () =>
    Effect.gen(function* () {
      const { api, path } = yield* ground()
      const text = '\ufeff{\r\n  "id": "L9",\r\n  "country": "FI", "ofTomorrow": [1]\r\n}\r\n'
      writeFileSync(path("person.json"), text)
      const file = yield* api(["create-or-update-person", "--input", "person.json"])
      const pipe = yield* api(["create-or-update-person", "--input", "-"], { input: text })
      assert.deepStrictEqual([file.exitCode, pipe.exitCode, file.stdout === pipe.stdout], [0, 0, true])
    })
  )

  it.live("an answer of 500 or a lost one says what a look afterwards found, and is never sent again", () =>
    Effect.gen(function* () {
      const { api, setFaults, stats } = yield* ground()
      const put = { endpoint: "createOrUpdatePerson" } as const
      const save = ["create-or-update-person", "--lims-id", "L9", "--first-name", "Eva", "--birth-date", "2001-02-03"]
      yield* setFaults([fault(put, { status: 500, body: "{}" })])
      const undone = yield* api(save)
      assert.deepStrictEqual([undone.exitCode, undone.stdout], [69, ""])
      assert.match(undone.stderr, /status 500; it was not repeated.*did not find the person\n$/)
      yield* setFaults([fault(put, { loseAnswer: true })])
      const done = yield* api(save)
      assert.deepStrictEqual([done.exitCode, done.stdout], [0, '"P6"\n'], done.stderr)
      assert.match(done.stderr, /Person L9: it took effect/)
      yield* setFaults([fault(put, { reset: "head" })])
      const other = yield* api([...save.slice(0, 3), "--first-name", "Ada", "--sex", "FEMALE"])
      assert.deepStrictEqual([other.exitCode, other.stdout], [69, ""])
      assert.match(other.stderr, /other values of firstName, sex\n$/)
      assert.strictEqual((yield* stats).requests["createOrUpdatePerson"], 3)
    })
  )

  it.live("inputs that cannot be used are told before the login, with their place", () =>
    Effect.gen(function* () {
      const { api, path, stats } = yield* ground()
      const cases: ReadonlyArray<readonly [Uint8Array | string | null, number, RegExp]> = [
        [null, 66, /^Error: input file in\.json: not found$/m],
        ["", 65, /^Error: in\.json: it is empty; one JSON value is expected$/m],
        ["\ufeff\n", 65, /^Error: in\.json: it is empty;/m],
        ["{", 65, /^Error: in\.json: not JSON: expected .* at line 1, column 2$/m],
        ['{"id": "L9",\n "sex": }', 65, /not JSON: expected a value at line 2, column 9$/m],
        ['{"id":"L9","id":"L8"}', 65, /id is given more than once/],
        ['{"sex":"MALE"}', 65, /^Error: in\.json: id: Missing key/m],
        ['{"id":"L9","birthDateYear":"CANARY"}', 65, /^Error: in\.json: birthDateYear: /m],
        ["[]", 65, /^Error: in\.json: /m],
        [new Uint8Array([0xff, 0xfe, 0x7b, 0]), 65, /it is not UTF-8 text/]
      ]
      for (const [content, code, message] of cases) {
        if (content !== null) writeFileSync(path("in.json"), content)
        const { exitCode, stderr } = yield* api(["create-or-update-person", "--input", "in.json"])
        assert.strictEqual(exitCode, code, stderr)
        assert.match(stderr, message)
        assert.notInclude(stderr, "CANARY")
      }
      const folder = yield* api(["create-or-update-person", "--input", "out"])
      assert.deepStrictEqual([folder.exitCode, folder.stderr], [65, "Error: out: it is a folder\n"])
      assert.strictEqual((yield* stats).logins, 0)
    })
  )
})

describe("writing a panel", () => {
  const panelOf = (stdout: string) => JSON.parse(stdout)

  it.live("creates it active, and changes only what is given", () =>
    Effect.gen(function* () {
      const { api } = yield* ground()
      const created = yield* api([
        "create-virtual-panel",
        "--name",
        "Aorta",
        "--gene-ids",
        "G1,G2",
        "--description",
        "d"
      ])
      const id: string = JSON.parse(created.stdout)
      const renamed = yield* api(["update-virtual-panel", id, "--name", "Aorta 2"])
      assert.deepStrictEqual([renamed.exitCode, renamed.stdout], [0, created.stdout])
      assert.match(renamed.stderr, /name: "Aorta" becomes "Aorta 2"/)
      assert.notMatch(renamed.stderr, /active|geneIds|description/)
      const panel = panelOf((yield* api(["get-virtual-panel", id])).stdout)
      assert.include(panel, { name: "Aorta 2", active: true, description: "d" })
      assert.deepStrictEqual(
        panel.genes.map((gene: { id: string }) => gene.id),
        ["G1", "G2"]
      )
      const hidden = yield* api(["update-virtual-panel", id, "--no-active", "--gene-ids", "G2,G3"])
      assert.match(hidden.stderr, /active: true becomes false\n.*geneIds: added G3; removed G1/)
    })
  )

  it.live("sends nothing when nothing changes", () =>
    Effect.gen(function* () {
      const { api, stats } = yield* ground()
      const { exitCode, stdout } = yield* api(["update-virtual-panel", "V2", "--active"])
      assert.deepStrictEqual([exitCode, stdout], [0, '"V2"\n'])
      assert.isUndefined((yield* stats).requests["createOrUpdateVirtualPanel"])
    })
  )

  it.live("does not guess whether a panel is active", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ success: true, response: { id: "V2", name: "n", genes: [{ id: "G1" }] } })
      const { api, stats } = yield* ground({ faults: [fault({ endpoint: "getVirtualPanel" }, { status: 200, body })] })
      const { exitCode, stderr } = yield* api(["update-virtual-panel", "V2", "--name", "m"])
      assert.strictEqual(exitCode, 64)
      assert.match(stderr, /give --active or --no-active/)
      assert.isUndefined((yield* stats).requests["createOrUpdateVirtualPanel"])
    })
  )

  it.live("success false is 65, with all that the service says about it", () =>
    Effect.gen(function* () {
      const { api } = yield* ground()
      const { exitCode, stderr, stdout } = yield* api(["create-virtual-panel", "--name", "x", "--gene-ids", "nope"])
      assert.deepStrictEqual([exitCode, stdout], [65, ""])
      assert.match(stderr, /INVALID_VIRTUAL_PANEL; geneIds names a gene that does not exist; support reference SBX-200/)
    })
  )

  it.live("a lost answer is looked up, never sent again", () =>
    Effect.gen(function* () {
      const { api, setFaults, stats } = yield* ground()
      const post = { endpoint: "createOrUpdateVirtualPanel" } as const
      yield* setFaults([fault(post, { loseAnswer: true })])
      const done = yield* api(["update-virtual-panel", "V2", "--input", "-"], { input: '{"name":"after","x":1}' })
      assert.deepStrictEqual([done.exitCode, done.stdout], [0, '"V2"\n'], done.stderr)
      assert.match(done.stderr, /it took effect/)
      yield* setFaults([fault(post, { reset: "head" })])
      const undone = yield* api(["update-virtual-panel", "V2", "--name", "never"])
      assert.deepStrictEqual([undone.exitCode, undone.stdout], [69, ""])
      assert.match(undone.stderr, /a look afterwards found that it has not \(name: "after" becomes "never"\)\n$/)
      const created = yield* api(["create-virtual-panel", "--name", "x", "--gene-ids", "G1"])
      assert.strictEqual(created.exitCode, 69)
      assert.match(created.stderr, /found no panel of that name/)
      assert.strictEqual((yield* stats).requests["createOrUpdateVirtualPanel"], 3)
    })
  )
})

describe("request", () => {
  it.live("prints any body as it is, and says a status that is not 200", () =>
    Effect.gen(function* () {
      const { api, setFaults } = yield* ground()
      const list = yield* api(["request", "get", "/person-list"])
      assert.deepStrictEqual([list.exitCode, Array.isArray(JSON.parse(list.stdout)), list.stderr], [0, true, ""])
      const oneLine = (status: number) =>
        new RegExp(`^Error: GET /x: the service rejected it with status ${status}\\n$`)
      const answers: ReadonlyArray<readonly [object, number, string, RegExp]> = [
        [{ status: 200, body: "plain\ntext", headers: { "content-type": "text/plain" } }, 0, "plain\ntext\n", /^$/],
        [{ status: 201, body: '{"a": 9007199254740993}' }, 0, '{"a": 9007199254740993}\n', /Status 201/],
        [{ status: 204, body: "" }, 0, "", /Status 204, without a body/],
        [{ status: 404, body: "<p>" }, 66, "<p>\n", /^Error: GET \/x: not found \(status 404\)\n$/],
        [
          { status: 400, body: "no such day", headers: { "content-type": "text/plain" } },
          65,
          "no such day\n",
          oneLine(400)
        ],
        [
          { status: 409, body: '{"errorMessageId":"E7"}' },
          65,
          '{"errorMessageId":"E7"}\n',
          /^Error: GET \/x: .* status 409: E7\n$/
        ],
        [{ status: 422, body: '{"detail":[1]}' }, 65, '{"detail":[1]}\n', oneLine(422)],
        [
          { status: 403, body: '{"why":"rights"}' },
          77,
          '{"why":"rights"}\n',
          /^Error: GET \/x: .*forbids it.* \(status 403\)\n$/
        ],
        [{ status: 401, body: '{"why":"who"}' }, 77, '{"why":"who"}\n', /\(status 401\)\n$/],
        [
          { status: 200, body: '{"success":false,"errorMessageId":"E1","errorId":7}' },
          65,
          '{"success":false,"errorMessageId":"E1","errorId":7}\n',
          /^Error: .*E1; support reference 7\n$/
        ]
      ]
      for (const [answer, code, stdout, stderr] of answers) {
        yield* setFaults([fault({ path: "/x" }, answer)])
        const outcome = yield* api(["request", "GET", "/x"])
        assert.deepStrictEqual([outcome.exitCode, outcome.stdout], [code, stdout], outcome.stderr)
        assert.match(outcome.stderr, stderr)
      }
    })
  )

  it.live("an error body is printed without passwords and signed links", () =>
    Effect.gen(function* () {
      const { api, password, setFaults } = yield* ground()
      const body = `{"detail":"${password}","link":"https://h/f.bam?X-Amz-Signature=CANARY"}`
      yield* setFaults([fault({ path: "/x" }, { status: 422, body })])
      const { exitCode, stderr, stdout } = yield* api(["request", "POST", "/x", "-o", "kept.json"])
      assert.deepStrictEqual([exitCode, JSON.parse(stdout)], [65, { detail: "***", link: "https://h/f.bam?***" }])
      assert.notMatch(stderr, /CANARY/)
    })
  )

  it.live("other methods say an error body on stderr where it is asked for", () =>
    Effect.gen(function* () {
      const { api, setFaults } = yield* ground()
      yield* setFaults([fault({ analysis: "A1" }, { status: 422, body: '{"detail":"odd"}' })])
      const quiet = yield* api(["get-snv-annotations", "A1"])
      assert.deepStrictEqual([quiet.exitCode, quiet.stdout], [65, ""])
      assert.notInclude(quiet.stderr, "odd")
      for (const ids of [["A1"], ["A1", "A2"]]) {
        const { exitCode, stderr } = yield* api(["get-snv-annotations", ...ids, "--include-error-body"])
        assert.strictEqual(exitCode, 65)
        assert.match(stderr, /Body of the reply with status 422: \{"detail":"odd"\}\n/)
      }
    })
  )

  it.live("sends an input: JSON checked and without its byte order mark, anything else as it is", () =>
    Effect.gen(function* () {
      const { api } = yield* ground()
      const put = yield* api(["request", "PUT", "/api/person", "--input", "-"], { input: '\ufeff{"id":"L9"}' })
      assert.deepStrictEqual([put.exitCode, put.stdout], [0, '"P6"\n'], put.stderr)
      const empty = yield* api(["request", "PUT", "/api/person", "--input", "-"], { input: "" })
      assert.deepStrictEqual(
        [empty.exitCode, empty.stderr],
        [65, "Error: standard input: it is empty; one JSON value is expected\n"]
      )
      const wrong = yield* api(["request", "PUT", "/api/person", "--input", "-"], { input: '{"id":' })
      assert.strictEqual(wrong.exitCode, 65)
      const form = ["--input", "-", "--content-type", "application/x-www-form-urlencoded"]
      const restored = yield* api(["request", "POST", "/archive/analysis/restore", ...form], {
        input: "analysisIds=A1&disableArchive=false"
      })
      assert.strictEqual(restored.exitCode, 0, restored.stderr)
    })
  )

  it.live("a path may hold what must be encoded", () =>
    Effect.gen(function* () {
      const { api } = yield* ground()
      const { exitCode, stderr } = yield* api(["request", "GET", "/api/person/LIMS-0001 é\u0000".replace("\u0000", "")])
      assert.strictEqual(exitCode, 66, stderr)
    })
  )
})

describe("usage", () => {
  it.live("every mistake is a sentence and 64, before the service is asked", () =>
    Effect.gen(function* () {
      const { api, stats } = yield* ground()
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [[], "No method is given"],
        [["get-persn", "L"], "Unknown method get-persn; did you mean get-person?"],
        [["get-person"], "Missing LIMS-ID"],
        [["get-person", ""], "LIMS-ID must not be empty"],
        [["get-person", "L", "--format", "xml"], 'Invalid value for --format: "xml": expected json or jsonl'],
        [["get-person", "L", "--outptu", "x"], "Unknown option --outptu; did you mean --output?"],
        [["get-all-genes", "G1"], "Unexpected argument: G1"],
        [["get-cnv-target-results", "L"], "Wrong number of LIMS-ID ANALYSIS-ID: at least 2 values"],
        [["get-pending-cnv-segments", "A1"], "Give the person by --lims-id or by --internal-person-id"],
        [
          ["get-pending-cnv-segments", "A1", "--lims-id", "L", "--internal-person-id", "1"],
          "Give the person by --lims-id or by --internal-person-id"
        ],
        [["find-analyses-by-filename"], "Missing PART"],
        [["create-or-update-person", "--sex", "MALE"], "Missing required argument --lims-id"],
        [
          ["create-or-update-person", "--lims-id", "L", "--input", "x"],
          "--input and --lims-id cannot be used together: write all into the input"
        ],
        [
          ["create-or-update-person", "--lims-id", "L", "--birth-date", "2021-02-30"],
          'Invalid value for --birth-date: "2021-02-30": expected YYYY-MM-DD'
        ],
        [["create-virtual-panel", "--name", "x"], "Missing required argument --gene-ids"],
        [
          ["create-virtual-panel", "--name", "x", "--gene-ids", ""],
          "Invalid value for --gene-ids: expected at least one value"
        ],
        [
          ["update-virtual-panel", "V2"],
          "Nothing is given: use --input, or --name, --active, --gene-ids, --description, --person-id"
        ],
        [["request", "GET"], "Wrong number of METHOD PATH: at least 2 values"],
        [
          ["request", "FETCH", "/x"],
          "Unknown method of a request: FETCH: expected one of GET, HEAD, POST, PUT, PATCH, DELETE"
        ],
        [
          ["request", "GET", "http://elsewhere.test/"],
          "The path of a request begins with one / and has no host, such as /person-list"
        ],
        [["request", "GET", "/x", "--input", "-"], "--input has no meaning for GET"],
        [["download-files", "-d", "out"], "Nothing is selected"]
      ]
      for (const [args, sentence] of cases) {
        const { exitCode, stderr, stdout } = yield* api(args)
        assert.deepStrictEqual([exitCode, stdout], [64, ""], args.join(" "))
        assert.include(stderr, `Error: ${sentence}`, args.join(" "))
      }
      assert.strictEqual((yield* stats).logins, 0)
    })
  )

  it.live("without a target or credentials", () =>
    Effect.gen(function* () {
      const { api } = yield* ground()
      const target = yield* api(["get-all-genes"], { env: { SVC_TARGET: "" } })
      assert.deepStrictEqual([target.exitCode, /Missing required argument --target/.test(target.stderr)], [64, true])
      assert.strictEqual((yield* api(["get-all-genes"], { env: { SVC_PASSWORD: "" } })).exitCode, 78)
    })
  )

  it.live("download-files is the run of svc-download", () =>
    Effect.gen(function* () {
      const { api, folder } = yield* ground()
      const { exitCode, stderr } = yield* api(["download-files", "A1", "A2", "-f", "vcf.gz.tbi", "-d", "out"])
      assert.strictEqual(exitCode, 0, stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), ["S1.vcf.gz.tbi", "S2.vcf.gz.tbi"])
    })
  )

  it.live("openapi prints the document without settings or a service", () =>
    Effect.gen(function* () {
      const { exitCode, stderr, stdout } = yield* runWarm("svc-api", ["openapi"])
      assert.deepStrictEqual([exitCode, stderr], [0, ""])
      assert.include(JSON.parse(stdout), { openapi: "3.1.0" })
    })
  )

  it.live("help, version and completions need no settings, also through the dispatcher", () =>
    Effect.gen(function* () {
      const bare = { env: { SVC_TARGET: "" } }
      for (const args of [["--help"], ["get-person", "--help"], ["help", "get-person"], ["--version"]]) {
        const { exitCode, stderr, stdout } = yield* runWarm("svc-api", args, bare)
        assert.deepStrictEqual([exitCode, stderr, stdout === ""], [0, "", false])
      }
      const completions = yield* runWarm("svc-api", ["--completions", "bash"], bare)
      for (const word of ["get-virtual-panel-summaries", "--virtual-panel-id", "--target"]) {
        assert.include(completions.stdout, word)
      }
      const { stdout } = yield* runWarm("svc-steps", ["api", "get-person", "--help"], bare)
      assert.match(stdout, /Usage: svc-steps api get-person \[options\] LIMS-ID\.\.\./)
    })
  )
})

describe("secrets", () => {
  it.live("Z5 links are printed where they were asked for and nowhere else, passwords never", () =>
    Effect.gen(function* () {
      const { api, env, path } = yield* ground()
      const debug = ["--loglevel", "debug", "--logfile", "log.txt"]
      const { exitCode, stderr, stdout } = yield* api(["get-file-download-links", "A1", ...debug])
      assert.strictEqual(exitCode, 0)
      const signature = /X-Amz-Signature=([0-9a-f]+)/.exec(stdout)?.[1] ?? "?"
      for (const text of [stderr, readFileSync(path("log.txt"), "utf8")]) {
        assert.notInclude(text, signature)
        assert.notInclude(text, env.SVC_PASSWORD)
      }
    })
  )
})
