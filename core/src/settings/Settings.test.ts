import { assert, describe, it } from "@effect/vitest"
import { Duration, Redacted, Result, Schema } from "effect"
import { growsEvenly } from "../../../test/CpuTime.ts"
import type { Key } from "./Key.ts"
import { type KeyName, keyNames, keysOf, table } from "./Keys.ts"
import { decode, decodeValue, environmentLayer, environmentWarnings, type Layer, type Layers } from "./Settings.ts"

const nothing: Layers = { commandLine: {}, environment: {}, file: {} }
const decodeOne = (name: KeyName, ...texts: ReadonlyArray<string>) =>
  decode("download", { ...nothing, commandLine: { [name]: texts } })

/** Three values of a key that all differ from each other and from its default. */
const samples = (name: KeyName): readonly [string, string, string] => {
  const key = table[name]
  const choices = (key.choices ?? []).filter((choice) => choice !== key.default)
  switch (key.type) {
    case "flag":
      return ["true", "false", "true"]
    case "choice":
      return [choices[0] ?? "", choices[1] ?? choices[0] ?? "", choices[2] ?? choices[0] ?? ""]
    case "list":
      return key.choices === undefined ? ["A1", "A2,A3", "A4"] : ["vcf.gz", "bam", "vcf.gz,vcf.gz.tbi"]
    case "int":
      return ["7", "8", "9"]
    case "duration":
      return ["7s", "8m", "9h"]
    case "rate":
      return ["7k", "8M", "0.9G"]
    default:
      return ["one", "two", "three"]
  }
}

const plain = (value: unknown): unknown =>
  Redacted.isRedacted(value) ? Redacted.value(value) : Duration.isDuration(value) ? Duration.toMillis(value) : value

const expected = (key: Key, text: string) => plain(Result.getOrThrow(decodeValue(key, [text])))

describe("precedence", () => {
  for (const name of keysOf("download")) {
    it.prop(
      `G2 ${name}: command line before environment before file before default`,
      [Schema.Boolean, Schema.Boolean, Schema.Boolean],
      ([onLine, inEnvironment, inFile]) => {
        const key = table[name]
        const [line, environment, file] = samples(name)
        const hasVariable = key.env !== undefined
        const variables = key.env !== undefined && inEnvironment ? { [key.env]: environment } : {}
        const layers: Layers = {
          commandLine: onLine ? { [name]: [line] } : {},
          environment: environmentLayer(variables),
          file: inFile && key.notInFile === undefined ? { [name]: [file] } : {}
        }
        const { problems, settings } = decode("download", layers)
        const winner = onLine
          ? line
          : inEnvironment && hasVariable
            ? environment
            : inFile && key.notInFile === undefined
              ? file
              : null
        assert.deepStrictEqual(problems, [])
        assert.strictEqual(settings.given(name), winner !== null)
        assert.strictEqual(
          settings.source(name),
          winner === null
            ? "default"
            : onLine
              ? "command line"
              : winner === environment && inEnvironment && hasVariable
                ? "environment"
                : "configuration file"
        )
        if (winner !== null) assert.deepStrictEqual(plain(settings[name]), expected(key, winner))
        else if (key.default !== undefined) assert.deepStrictEqual(plain(settings[name]), expected(key, key.default))
      }
    )
  }

  it("without any layer: null, false or empty, or the default", () => {
    const { settings } = decode("download", nothing)
    assert.strictEqual(settings.target, null)
    assert.strictEqual(settings.overwrite, false)
    assert.deepStrictEqual(settings.analysisIds, [])
    assert.deepStrictEqual(settings.filetypes, ["bam", "bam.bai"])
    assert.strictEqual(settings.destination, ".")
    assert.strictEqual(settings.connections, 8)
  })

  it("a key that the step does not take keeps its default, whatever the layers say", () => {
    const layer: Layer = { overwrite: ["nonsense"], connections: ["9"] }
    const { problems, settings } = decode("api", { ...nothing, environment: layer })
    assert.deepStrictEqual(problems, [])
    assert.strictEqual(settings.overwrite, false)
    assert.isFalse(settings.given("connections"))
  })

  it("G2 an empty variable counts as not set, also for every type", () => {
    const empty = Object.fromEntries(
      keyNames.flatMap((name) => (table[name].env === undefined ? [] : [[table[name].env, ""]]))
    )
    assert.deepStrictEqual(environmentLayer(empty), {})
    assert.deepStrictEqual(environmentLayer({ SVC_OVERWRITE: " " }), {})
  })
})

it("a mistyped variable is pointed out, foreign ones are not", () => {
  assert.deepStrictEqual(
    environmentWarnings({ SVC_USERNAME: "x", SVC_USER: "y", SVC_ZONE_OF_CLUSTER: "z", PATH: "" }),
    ["unknown variable SVC_USERNAME; did you mean SVC_USER?"]
  )
})

describe("values", () => {
  for (const [word, value] of Object.entries({
    true: true,
    TRUE: true,
    "1": true,
    yes: true,
    Yes: true,
    on: true,
    false: false,
    False: false,
    "0": false,
    no: false,
    OFF: false,
    off: false
  })) {
    it(`G2 SVC_OVERWRITE=${word} is ${value}`, () => {
      const { problems, settings } = decode("download", {
        ...nothing,
        environment: environmentLayer({ SVC_OVERWRITE: word })
      })
      assert.deepStrictEqual(problems, [])
      assert.strictEqual(settings.overwrite, value)
    })
  }

  it("any other word for a flag is a problem that names its source", () => {
    const { problems } = decode("download", { ...nothing, environment: { overwrite: ["maybe"] } })
    assert.deepStrictEqual(problems, [
      'Invalid value for SVC_OVERWRITE: "maybe": expected true, false, 1, 0, yes, no, on or off'
    ])
    assert.deepStrictEqual(decode("download", { ...nothing, file: { overwrite: ["2"] } }).problems, [
      'Invalid value for overwrite in the configuration file: "2": expected true, false, 1, 0, yes, no, on or off'
    ])
  })

  it("lists are comma-separated or repeated, trimmed, each item once", () => {
    assert.deepStrictEqual(decodeOne("analysisIds", "A1, A2,,A1", "A3").settings.analysisIds, ["A1", "A2", "A3"])
  })

  it("a filter may hold a comma", () => {
    assert.deepStrictEqual(decodeOne("filters", "name=a,b", "id>3").settings.filters, ["name=a,b", "id>3"])
  })

  it("G1 the specified messages for file types and log levels, letter for letter", () => {
    assert.deepStrictEqual(decodeOne("filetypes", "bam,cram").problems, ["Unsupported file type: cram"])
    assert.deepStrictEqual(decodeOne("filetypes", "BAM").problems, ["Unsupported file type: BAM"])
    assert.deepStrictEqual(decodeOne("loglevel", "loud").problems, ["Invalid log level: loud"])
  })

  it("the archive mode must be one of the four", () => {
    assert.deepStrictEqual(decodeOne("restoreArchived", "maybe").problems, [
      'Invalid value for --restoreArchived: "maybe": expected ask, all, force or no'
    ])
  })

  for (const [text, millis] of [
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5m", 90_000],
    ["2 h", 7_200_000],
    ["1d", 86_400_000]
  ] as const) {
    it(`${text} is ${millis} ms`, () => {
      assert.strictEqual(plain(decodeOne("wait", text).settings.wait), millis)
    })
  }

  it("a rate is in bytes per second, with units of a thousand", () => {
    const rates = { "0": 0, "1000": 1e3, "800k": 8e5, "50M": 5e7, "50m": 5e7, "1.5 G": 1.5e9, "0.5M": 5e5 }
    for (const [text, rate] of Object.entries(rates)) {
      const { problems, settings } = decodeOne("limitRate", text)
      assert.deepStrictEqual([settings.limitRate, problems], [rate, []], text)
    }
  })

  it("a rate with another unit, below one kilobyte, or no number at all is refused", () => {
    for (const text of ["50MB", "50MiB", "50M/s", "999", "0.5k", "-1M", "1e6", "fast", ""]) {
      const [problem] = decodeOne("limitRate", text).problems
      assert.match(problem ?? "", /^Invalid value for --limitRate.*: expected bytes per second such as 800k, 50M/, text)
    }
  })

  it("times without a unit, zero, endless or beyond 24 days are refused", () => {
    for (const text of ["5", "0s", "-1s", "1e3s", "25d", "Infinity", "s", ""]) {
      assert.strictEqual(decodeOne("wait", text).problems.length, 1, text)
    }
  })

  it("numbers are whole and within their bounds", () => {
    for (const text of ["0", "65", "1.5", "0x10", "-1", " ", "4a"]) {
      assert.strictEqual(decodeOne("connections", text).problems.length, 1, text)
    }
    assert.strictEqual(decodeOne("connections", "64").settings.connections, 64)
  })

  it("an empty value on the command line is refused: a shell variable was probably empty", () => {
    for (const name of keysOf("download")) assert.strictEqual(decodeOne(name, "").problems.length, 1, name)
  })

  it("Z5 secrets stay redacted and are not trimmed; a bad one is not repeated in the problem", () => {
    const { settings } = decodeOne("password", " pässword\n")
    assert.strictEqual(settings.password === null ? "" : Redacted.value(settings.password), " pässword\n")
    assert.notInclude(JSON.stringify(settings), "pässword")
    assert.deepStrictEqual(decodeOne("password", "").problems, [
      "Invalid value for --password: expected a value that is not empty"
    ])
  })

  it.prop(
    "no text makes decoding throw, whatever the key",
    [Schema.Literals(keyNames), Schema.String],
    ([name, text]) => {
      const { problems, settings } = decode("download", { ...nothing, file: { [name]: [text] } })
      assert.isTrue(problems.length === 1 || settings.given(name) || !table[name].steps.includes("download"))
    }
  )

  it("D11 a megabyte of text is decoded in no time", () => {
    growsEvenly(1_000_000, (size) => {
      const long = `${"1".repeat(size)}x`
      for (const name of keyNames) decode("download", { ...nothing, file: { [name]: [long] } })
    })
  })
})
