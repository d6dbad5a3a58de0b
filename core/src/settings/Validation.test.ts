import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer as EffectLayer, FileSystem, Option, Path, PlatformError, Redacted, Result } from "effect"
import type { StepName } from "./Key.ts"
import { type KeyName, keysOf } from "./Keys.ts"
import { Operator } from "./Operator.ts"
import { decode, type Layer } from "./Settings.ts"
import { baseUrlOf, complete, validate, warningsOf } from "./Validation.ts"

/** A disk with the folders `.` and `out`, the file `regions.bed`, the folder `closed`, which may not be entered, and a link to nothing. */
const files = FileSystem.layerNoop({
  readLink: (path) =>
    path === "data"
      ? Effect.succeed("/mnt/store")
      : Effect.fail(PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "readLink" })),
  stat: (path) =>
    path === "." || path === "out" || path === "regions.bed"
      ? Effect.succeed({
          type: path === "regions.bed" ? "File" : "Directory",
          ino: Option.some(path.length)
        } as unknown as FileSystem.File.Info)
      : Effect.fail(
          PlatformError.systemError({
            _tag: path.startsWith("closed/") ? "PermissionDenied" : "NotFound",
            module: "FileSystem",
            method: "stat",
            pathOrDescriptor: path,
            cause: { code: path.startsWith("closed/") ? "EACCES" : "ENOENT" }
          })
        )
})
const disk = EffectLayer.merge(files, Path.layer)

const good: Layer = { target: ["https://lab.example.org"], analysisIds: ["A1"] }

const check = (layer: Layer, step: StepName = "download") => {
  const { problems, settings } = decode(step, { commandLine: layer, environment: {}, file: {} })
  const takes = (key: KeyName) => keysOf(step).includes(key)
  return validate(
    settings,
    { service: step !== "verify", takes, files: [] },
    problems,
    Result.succeed("the request")
  ).pipe(Effect.provide(disk))
}

const messagesOf = (layer: Layer, step?: StepName) =>
  Effect.map(Effect.flip(check(layer, step)), (error) => error.message.split("\n"))

describe("validation", () => {
  it.effect("gives what the step made of its settings, or tells what the step found wrong with all else", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* check(good), "the request")
      const { settings } = decode("download", { commandLine: {}, environment: {}, file: {} })
      const wrong = validate(
        settings,
        { service: true, takes: () => false, files: [] },
        ["decoding"],
        Result.fail(["the step"])
      )
      const { message } = yield* Effect.flip(wrong)
      assert.deepStrictEqual(message.split("\n"), ["Missing required argument --target", "decoding", "the step"])
    }).pipe(Effect.provide(disk))
  )

  it.effect("accepts what is right", () => check(good))

  it.effect("G1 the four specified messages, letter for letter, together in one pass", () =>
    Effect.gen(function* () {
      const messages = yield* messagesOf({
        analysisIds: ["A1"],
        filetypes: ["cram"],
        loglevel: ["loud"],
        destination: ["no/such"]
      })
      assert.deepStrictEqual(messages, [
        "Missing required argument --target",
        "Unsupported file type: cram",
        "Invalid log level: loud",
        "Destination directory does not exist: no/such"
      ])
    })
  )

  it.effect("a destination that is a file is not called missing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* messagesOf({ ...good, destination: ["regions.bed"] }), [
        "Destination is not a directory: regions.bed"
      ])
    })
  )

  it.effect("a destination that is a link to a disk that is not mounted is not to be made", () =>
    Effect.gen(function* () {
      for (const destination of ["data", "data/"]) {
        assert.deepStrictEqual(yield* messagesOf({ ...good, destination: [destination] }), [
          `Destination is a symbolic link to /mnt/store, where nothing is: ${destination}; is its disk mounted?`
        ])
      }
    })
  )

  it.effect("what lies in a folder that may not be entered is not called missing", () =>
    Effect.gen(function* () {
      const refused: ReadonlyArray<Layer> = [
        { destination: ["closed/x"] },
        { bed: ["closed/x"] },
        { caFile: ["closed/x"] }
      ]
      for (const layer of refused) {
        const error = yield* Effect.flip(check({ ...good, ...layer }))
        assert.deepStrictEqual(
          [error._tag, error.message],
          ["SvcLocalIo", "Cannot look at closed/x: permission denied"]
        )
      }
      const wrong = { ...good, destination: ["closed/x"], loglevel: ["loud"] }
      assert.deepStrictEqual(yield* messagesOf(wrong), ["Invalid log level: loud"])
    })
  )

  it.effect("something must be selected, unless stored requests are resumed", () =>
    Effect.gen(function* () {
      const { target } = good
      assert.isDefined(target)
      const [message] = yield* messagesOf({ target: target ?? [] })
      assert.strictEqual(
        message,
        "Nothing is selected: give at least one of --analysisIds, --sampleIds and --limsIds, or use --resumeArchivedDownloads"
      )
      const [narrowed = ""] = yield* messagesOf({ target: target ?? [], filters: ["status = DONE"], latest: ["true"] })
      assert.strictEqual(
        narrowed.replace(message ?? "", ""),
        "; nothing is selected by --filters and --latest alone. For all analyses give -a @- the ids of: svc-api get-analyses --format jsonl | jq -r .id"
      )
      for (const key of ["analysisIds", "sampleIds", "limsIds"]) yield* check({ target: target ?? [], [key]: ["X"] })
      yield* check({ target: target ?? [], resumeArchivedDownloads: ["true"] })
      yield* check({ target: target ?? [] }, "resume-restore")
      assert.match((yield* messagesOf({ target: target ?? [] }, "request-restore"))[0] ?? "", /^Nothing is selected/)
      assert.deepStrictEqual(yield* messagesOf({ target: target ?? [] }, "fetch-annotations"), [
        "Nothing is selected: give an analysis"
      ])
    })
  )

  it.effect("G4 the proxy must be an http or https URL", () =>
    Effect.gen(function* () {
      assert.match(
        (yield* messagesOf({ ...good, proxy: ["socks5://h"] }))[0] ?? "",
        /^--proxy must be an http or https URL/
      )
    })
  )

  it.effect("a missing BED or CA file is not found, after everything else was right", () =>
    Effect.gen(function* () {
      const bed = yield* Effect.flip(check({ ...good, bed: ["none.bed"] }))
      assert.deepStrictEqual([bed._tag, bed.message], ["SvcNotFound", "BED file none.bed: not found"])
      const ca = yield* Effect.flip(check({ ...good, caFile: ["out"] }))
      assert.strictEqual(ca.message, "CA file out: not found (it is a folder)")
      assert.strictEqual(
        (yield* Effect.flip(check({ ...good, bed: ["none.bed"], loglevel: ["x"] })))._tag,
        "SvcUsageError"
      )
    })
  )

  it.effect("a step without the service needs no target", () => check({}, "verify"))
})

describe("a proxy that cannot be one", () => {
  for (const [layers, name] of [
    [{ commandLine: { proxy: ["ftp://p"] } }, "--proxy"],
    [{ environment: { proxy: ["ftp://p"] } }, "SVC_PROXY"],
    [{ file: { proxy: ["ftp://p"] } }, "proxy in the configuration file"]
  ] as const) {
    it.effect(`G4 is blamed on ${name}`, () =>
      Effect.gen(function* () {
        const { settings } = decode("download", { commandLine: good, environment: {}, file: {}, ...layers })
        const given = { ...settings, target: "https://h", analysisIds: ["A1"] }
        const failure = yield* Effect.flip(
          validate(given, { service: true, takes: () => true, files: [] }, [], Result.succeed(null))
        )
        assert.strictEqual(
          failure.message,
          `${name} must be an http or https URL such as http://proxy.example.org:3128`
        )
      }).pipe(Effect.provide(disk))
    )
  }
})

describe("a target that cannot be one", () => {
  for (const [layers, name] of [
    [{ commandLine: { target: ["ftp://h"] } }, "--target"],
    [{ environment: { target: ["ftp://h"] } }, "SVC_TARGET"],
    [{ file: { target: ["ftp://h"] } }, "target in the configuration file"],
    [{ commandLine: { target: ["lab"] }, environment: { baseUrl: ["{target}"] } }, "SVC_BASE_URL"]
  ] as const) {
    it(`G4 is blamed on ${name}`, () => {
      const { settings } = decode("download", { commandLine: {}, environment: {}, file: {}, ...layers })
      assert.deepStrictEqual(
        baseUrlOf(settings),
        Result.fail(`${name} must be an http or https URL such as https://lab.example.org`)
      )
    })
  }
})

describe("warnings", () => {
  const warnings = (layer: Layer) =>
    warningsOf(decode("download", { commandLine: layer, environment: {}, file: {} }).settings).join("\n")

  it("settings without effect and risks", () => {
    assert.strictEqual(warnings(good), "")
    assert.match(warnings({ ...good, proxyUsername: ["u"] }), /--proxyUsername: no effect without --proxy/)
    for (const [key, variable] of [
      ["password", "SVC_PASSWORD"],
      ["token", "SVC_TOKEN"],
      ["proxyPassword", "SVC_PROXY_PASS"]
    ] as const) {
      const said = `--${key} can be read by other users of this computer while it runs: ${variable} is safer`
      assert.strictEqual(warnings({ ...good, proxy: ["proxy:3128"], [key]: ["x"] }), said)
    }
    assert.match(warnings({ target: ["http://lab.example.org"] }), /not encrypted/)
    assert.match(warnings({ ...good, resumeArchivedDownloads: ["true"] }), /--analysisIds: no effect/)
  })

  it("loopback is no clear-text risk", () => {
    for (const host of ["127.0.0.1:80", "localhost", "[::1]:81"])
      assert.strictEqual(warnings({ target: [`http://${host}`] }), "")
    assert.match(warnings({ target: ["http://127.example.org"] }), /not encrypted/)
  })
})

describe("credentials", () => {
  const settingsOf = (layer: Layer) => decode("download", { commandLine: layer, environment: {}, file: {} }).settings
  const person = (answers: { readonly line: string; readonly secret: string }) => {
    const asked: Array<string> = []
    const answer = <A>(question: string, value: A) =>
      Effect.sync(() => {
        asked.push(question)
        return value
      })
    const operator = Operator.of({
      present: true,
      line: (question) => answer(question, answers.line),
      secret: (question) => answer(question, Redacted.make(answers.secret)),
      confirm: () => Effect.succeed(false)
    })
    return { asked, layer: EffectLayer.succeed(Operator, operator) }
  }
  const nobody = EffectLayer.succeed(Operator, Operator.absent)

  it.effect("Y1 without a terminal the missing one is named, and nobody is asked", () =>
    Effect.gen(function* () {
      const user = yield* Effect.flip(complete(settingsOf(good)).pipe(Effect.provide(nobody)))
      assert.deepInclude(user, { _tag: "SvcCredentialsMissing", missing: "username" })
      const password = yield* Effect.flip(
        complete(settingsOf({ ...good, username: ["u"] })).pipe(Effect.provide(nobody))
      )
      assert.deepInclude(password, { _tag: "SvcCredentialsMissing", missing: "password" })
    })
  )

  it.effect("a person is asked for what is missing only", () =>
    Effect.gen(function* () {
      const both = person({ line: "ada", secret: "s3cret" })
      const settings = yield* complete(settingsOf(good)).pipe(Effect.provide(both.layer))
      assert.strictEqual(settings.username, "ada")
      assert.strictEqual(Redacted.value(settings.password), "s3cret")
      assert.deepStrictEqual(both.asked, ["User name for lab.example.org: ", "Password of ada for lab.example.org: "])
      const none = person({ line: "", secret: "" })
      yield* complete(settingsOf({ ...good, username: ["u"], password: ["p"] })).pipe(Effect.provide(none.layer))
      assert.deepStrictEqual(none.asked, [])
    })
  )

  it.effect("an empty answer is no answer", () =>
    Effect.gen(function* () {
      const silent = person({ line: "ada", secret: "" })
      const error = yield* Effect.flip(complete(settingsOf(good)).pipe(Effect.provide(silent.layer)))
      assert.deepInclude(error, { missing: "password", message: "No password was typed", advice: "givePassword" })
    })
  )

  it.effect("the settings of a step are complete: base URL, proxy, origins", () =>
    Effect.gen(function* () {
      const settings = yield* complete(
        settingsOf({
          target: ["lab1"],
          baseUrl: ["https://{target}.example.org"],
          username: ["u"],
          password: ["p"],
          proxy: ["http://a:b@proxy:1"]
        })
      ).pipe(Effect.provide(nobody))
      assert.strictEqual(settings.baseUrl.href, "https://lab1.example.org/")
      assert.strictEqual(settings.proxy?.url.href, "http://proxy:1/")
      assert.isTrue(settings.given("target"))
      assert.deepStrictEqual(Option.getOrNull(Option.fromNullishOr(settings.proxy?.username)), "a")
    })
  )
})
