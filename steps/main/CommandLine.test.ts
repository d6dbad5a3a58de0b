import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result, Schema } from "effect"
import { goneSince } from "../../core/src/settings/Gone.ts"
import { stepNames } from "../../core/src/settings/Key.ts"
import { keysOf, table } from "../../core/src/settings/Keys.ts"
import { makeScrubber } from "../../core/src/text/Scrubber.ts"
import { options } from "../fetch-annotations/FetchAnnotationsStep.ts"
import { type CommandLine, readCommandLine, textOf } from "./CommandLine.ts"
import type { Method, Step, StepFamily } from "./Step.ts"

const step: Step = {
  name: "download",
  service: true,
  summary: "",
  examples: []
}
const withIds: Step = { ...step, operands: { metavar: "ID", help: "", least: 0, most: 9, setting: "analysisIds" } }

/** What is read, or what is wrong. */
const read = (of: Step, ...argv: ReadonlyArray<string>): Effect.Effect<CommandLine | null | string> =>
  readCommandLine(of, argv).pipe(
    Effect.result,
    Effect.map(Result.getOrElse(({ message }) => message)),
    Effect.provide(NodeServices.layer)
  )

const isWrong = (of: Step, said: string | RegExp, ...argv: ReadonlyArray<string>) =>
  Effect.map(read(of, ...argv), (found) => {
    if (typeof said === "string") assert.strictEqual(found, said, argv.join(" "))
    else assert.match(String(found), said, argv.join(" "))
    assert.notInclude(String(found), "CANARY")
  })

const layer = (of: Step, ...argv: ReadonlyArray<string>) =>
  Effect.map(read(of, ...argv), (found) => (typeof found === "string" ? found : found?.layer))

describe("a command line", () => {
  it.effect("gives the texts of its options, however they are written", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* layer(step, "-t", "x", "--list", "--range=chr1:1-2", "-d=out", "--no-overwrite"), {
        target: ["x"],
        list: ["true"],
        range: ["chr1:1-2"],
        destination: ["out"],
        overwrite: ["false"]
      })
      assert.deepStrictEqual(yield* layer(step, "--overwrite=no", "-F", "a=1", "-F", "b<2", "--password=-secret=x"), {
        overwrite: ["false"],
        filters: ["a=1", "b<2"],
        password: ["-secret=x"]
      })
      assert.deepStrictEqual(yield* layer(step, "-t", "-", "--wait", "-1"), { target: ["-"], wait: ["-1"] })
    })
  )

  it.effect("S10 can be said again without its secrets, each word once, and means the same", () =>
    Effect.gen(function* () {
      const argv = [
        "A1",
        "-a",
        "A 2",
        "-p",
        "CANARY",
        "--proxyPassword=-CANARY",
        "--no-overwrite",
        "--list",
        "--wait",
        "-1"
      ]
      const read = yield* Effect.provide(readCommandLine(withIds, argv), NodeServices.layer)
      const { prose, protect } = makeScrubber()
      const text = read === null ? "" : textOf("svc-download", read, prose)
      const said = "svc-download --password *** --analysisIds 'A 2' --analysisIds A1 --overwrite=false --list --wait=-1"
      assert.strictEqual(text, `${said} --proxyPassword=***`)
      protect(Redacted.make("a'CANARY"))
      // Quoting puts signs into the word by which a secret is not known any more.
      const address = ["--proxy", "http://u:a'CANARY@proxy.example.org:3128"]
      const proxied = yield* Effect.provide(readCommandLine(withIds, ["A1", ...address]), NodeServices.layer)
      assert.notInclude(proxied === null ? "CANARY" : textOf("svc-download", proxied, prose), "CANARY")
    })
  )

  it.effect("ids may stand with -a or alone, and a flag never takes one of them", () =>
    Effect.gen(function* () {
      for (const argv of [
        ["-a", "A1", "1"],
        ["-a", "A1,1"],
        ["-a", "A1", "-a", "1"],
        ["A1", "--", "1"]
      ]) {
        const { analysisIds = [] } = Object(yield* layer(withIds, ...argv))
        assert.strictEqual(analysisIds.join(), "A1,1")
      }
      assert.deepStrictEqual(yield* layer(withIds, "--list", "1"), { list: ["true"], analysisIds: ["1"] })
    })
  )

  it.effect("-q and --verbose are log levels, and only one is taken", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* layer(step, "-q"), { loglevel: ["error"] })
      assert.deepStrictEqual(yield* layer(step, "--verbose", "--quiet=false"), { loglevel: ["debug"] })
      yield* isWrong(step, "--verbose and another log level are given", "--verbose", "--loglevel", "info")
      yield* isWrong(step, "--quiet is given more than once", "-q", "--quiet")
    })
  )

  it.effect("help and version are words of their own, and no values", () =>
    Effect.gen(function* () {
      yield* isWrong(step, "-h must stand alone", "-qh")
      yield* isWrong(step, "--version must stand alone", "--version=true")
      assert.deepStrictEqual(yield* layer(step, "--target=--help"), { target: ["--help"] })
    })
  )

  it.effect("words that every JavaScript object knows are words like others", () =>
    Effect.map(layer(withIds, "toString", "constructor", "__proto__"), (found) =>
      assert.deepStrictEqual(found, { analysisIds: ["toString", "constructor", "__proto__"] })
    )
  )

  it.effect.prop("never dies, and keeps every word that is no option", [Schema.Array(Schema.String)], ([words]) =>
    Effect.map(read({ ...withIds, operands: { metavar: "ID", help: "", least: 0, most: 99 } }, ...words), (found) => {
      if (found === null || typeof found === "string") return
      const kept = [...found.operands, ...Object.values(found.layer).flat()]
      for (const word of words.filter((word) => !word.startsWith("-"))) assert.include(kept, word)
    })
  )
})

describe("G1 what is wrong with a command line", () => {
  for (const name of stepNames.filter((name) => name !== "sandbox")) {
    it.effect(`each spelling of other tools that svc-${name} knows is answered with ours`, () =>
      Effect.gen(function* () {
        const keys = keysOf(name)
        const spellings = new Set(keys.flatMap((key) => table[key].otherSpellings ?? []))
        assert.isAbove(spellings.size, 0)
        for (const word of spellings) {
          const meant = keys.filter((key) => table[key].otherSpellings?.includes(word) === true)
          const typed = word.length === 1 ? `-${word}` : `--${word}`
          const ours = meant.map((key) => (table[key].choices?.includes(word) ? `--${key} ${word}` : `--${key}`))
          const beside = ["list", "plan"].filter((key) => keys.some((it) => it === key)).map((key) => `--${key}`)
          const needs = meant[0] === "format" ? `, beside ${beside.join(" or ")}` : ""
          const said = `Unknown option ${typed}; did you mean ${ours.join(" or ")}${needs}?`
          if (goneSince(word, name) === null) yield* isWrong({ ...step, name }, said, typed)
        }
      })
    )
  }

  it.effect("spellings with one dash, and mistyped ones, are answered with ours", () =>
    Effect.gen(function* () {
      yield* isWrong(step, "-ra is not an option: write --restoreArchived", "-ra", "force")
      yield* isWrong(step, "-rf is not an option: write --restorationFile", "-rf", "my.json")
      yield* isWrong(step, "-rad is not an option: write --resumeArchivedDownloads", "-rad")
      yield* isWrong(step, "-overwrite is not an option: write --overwrite", "-overwrite")
      yield* isWrong(step, "-RESTOREARCHIVED is not an option: write --restoreArchived", "-RESTOREARCHIVED=all")
      yield* isWrong(step, "Unknown option -zz; options of several letters begin with two dashes", "-zz")
      const takers = "svc-download, svc-resume-restore"
      yield* isWrong(
        { ...step, name: "request-restore" },
        `Unknown option --wait; it is an option of ${takers}`,
        "--wait",
        "1h"
      )
      yield* isWrong(step, "Unknown option --tagret; did you mean --target?", "--tagret", "CANARY")
    })
  )

  it.effect("a letter with its value attached", () =>
    Effect.gen(function* () {
      const written = "-a and its value must be separate: write -a VALUE or --analysisIds VALUE"
      yield* isWrong(step, written, "-aA1")
      yield* isWrong(step, /^-p and its value must be separate/, "-pCANARY")
      yield* isWrong(step, "Unknown option --ll; did you mean --loglevel?", "-qa", "A1", "--ll", "x")
    })
  )

  it.effect("an option without its value, or with one that begins with a dash", () =>
    Effect.gen(function* () {
      yield* isWrong(step, /^--target needs a value/, "--target")
      for (const secret of ["-CANARY", "--CANARY", "-tCANARY"]) {
        yield* isWrong(
          step,
          /^-p needs a value; one that begins with a dash is written --password=VALUE$/,
          "-p",
          secret
        )
      }
    })
  )

  it.effect("a password with spaces and without quotes: nothing of it is repeated", () =>
    Effect.gen(function* () {
      const said = "A word too many stands behind the value of -p: a value with spaces must be in quotes"
      yield* isWrong(step, said, "-t", "x", "-p", "CANARY", "CANARY")
      yield* isWrong(step, said.replace("-p", "--password"), "--password=CANARY", "CANARY", "CANARY")
      assert.deepStrictEqual(yield* layer(step, "-p", "one two"), { password: ["one two"] })
    })
  )

  it.effect("a word too many, with its place", () =>
    Effect.gen(function* () {
      yield* isWrong(step, "Unexpected argument: A1, the first word", "A1")
      yield* isWrong(step, "Unexpected argument: x, after --list", "--list", "x", "--latest")
      yield* isWrong(step, "Unexpected argument: x, after the value of -t", "-t", "x", "x")
      yield* isWrong({ ...withIds, operands: { metavar: "ID", help: "", least: 0, most: 1 } }, /b, after a$/, "a", "b")
    })
  )

  it.effect("a word for the option before it that would be taken for an id", () =>
    Effect.gen(function* () {
      const hint = "; a flag takes its value after =, such as --overwrite=false; an analysis of that name is -a "
      yield* isWrong(withIds, `Unexpected argument: false, after --overwrite${hint}false`, "--overwrite", "false", "A1")
      yield* isWrong(step, `Unexpected argument: no, after --list${hint}no`, "--list", "no")
      const region = "a region is one word: write"
      for (const [words, said] of [
        [["-g", "chr17", "43044295-43125364"], `${region} -g chr17:43044295-43125364`],
        [["--range=chr17", "43,044,295–43,125,364"], `${region} --range chr17:43,044,295-43,125,364`],
        [["-g", "chr17", "100..200"], `${region} -g chr17:100-200`],
        [["-g", "chr1:1-2", "chr2:3-4"], "several regions are one word in quotes: write -g 'chr1:1-2 chr2:3-4'"],
        [["-g", "chr1", "chr2"], "several regions are one word in quotes: write -g 'chr1 chr2'"],
        [["-s", "S1", "S2"], "a list has commas between its items: write -s S1,S2"],
        [["-l", "LIMS-0001", "LIMS-0002"], "write -l LIMS-0001,LIMS-0002"],
        [["-F", "status", "=", "DONE"], "a filter is one word in quotes"],
        [["-F", "status = DONE", "id>3"], "several have an -F each"],
        [["-F", "status = DONE", "id=100"], "several have an -F each"],
        [["-F", "status = DONE", "maxRestores=3"], "write --maxRestores=3"],
        [["-F", "status = DONE", "pxp=CANARY"], "write --proxyPassword=***"],
        [["-b", "a.bed", "b.bed.gz"], "-b takes one file"]
      ] as const) {
        const found = String(yield* read(withIds, ...words))
        assert.include(found, said, words.join(" "))
        assert.match(found, /^Unexpected argument: /)
      }
      for (const words of [
        ["-g", "chr17", "A1"],
        ["-g", "chr17", "12345"],
        ["-g", "chr17", "2026-001"],
        ["-s", "S1", "A1", "A2"],
        ["-F", "status = DONE", "A1"],
        ["-l", "LIMS-0001", "17"],
        ["-g", "chr17", "--", "1-2"],
        ["A1", "1-2"]
      ])
        assert.isObject(yield* read(withIds, ...words), words.join(" "))
      const commas =
        "; a list has commas between its items, as in -f bam,bam.bai; an analysis of that name is -a vcf.gz"
      yield* isWrong(
        withIds,
        `Unexpected argument: vcf.gz, after the value of -f${commas}`,
        "A1",
        "-f",
        "bam",
        "vcf.gz"
      )
      yield* isWrong(step, 'Invalid value for --list: "perhaps": expected true or false', "--list=perhaps")
      yield* isWrong(step, "--no-list takes no value", "--no-list=true")
    })
  )

  it.effect("an option without its dashes is no id, whatever it is called, and a secret in it is not repeated", () =>
    Effect.gen(function* () {
      const wrong = (of: Step, word: string, meant: string, shown = word) =>
        isWrong(
          of,
          `Unexpected argument: ${shown}, the first word; an option begins with two dashes: write ${meant}${shown === word ? `; an analysis of that name is -a ${word}` : ""}`,
          word
        )
      yield* isWrong(
        withIds,
        /^Unexpected argument: maxRestores=3, after A1; .*: write --maxRestores=3;/,
        "A1",
        "maxRestores=3"
      )
      yield* wrong(withIds, "filetypes=bam", "--filetypes=bam")
      yield* wrong(withIds, "max-restores=3", "--maxRestores=3")
      // As other tools and the short names of earlier ones have it.
      yield* wrong(withIds, "rad=true", "--resumeArchivedDownloads=true")
      yield* wrong(withIds, "resume=true", "--resumeArchivedDownloads=true")
      for (const of of [step, withIds]) {
        yield* wrong(of, "password=CANARY", "--password=***", "password=***")
        for (const name of ["pxp", "SVC_PROXY_PASS"])
          yield* wrong(of, `${name}=CANARY`, "--proxyPassword=***", `${name}=***`)
        for (const name of ["p", "SVC_PASSWORD"]) yield* wrong(of, `${name}=CANARY`, "--password=***", `${name}=***`)
      }
      const one: Step = { ...step, operands: { metavar: "ID", help: "", least: 0, most: 1 } }
      yield* isWrong(one, "Unexpected argument: b, after pxp=***", "pxp=CANARY", "b")
      const verify: Step = { ...step, name: "verify" }
      yield* isWrong(verify, /: write --logfile=x$/, "logfile=x")
      for (const words of [["a=b"], ["lims=3"], ["-a", "maxRestores=3"], ["--", "maxRestores=3"], ["-F", "target=x"]])
        assert.isObject(yield* read(withIds, ...words), words.join(" "))
    })
  )

  it.effect("a word that means something else is no analysis, unless -a or -- says so", () =>
    Effect.gen(function* () {
      const flags = keysOf("download").filter((name) => table[name].type === "flag")
      const annotations: Step = { ...withIds, name: "fetch-annotations", options }
      for (const [of, word, meant] of [
        ...flags.map((name) => [withIds, name, `: write --${name}`] as const),
        [withIds, "ls", ": write --list"],
        [withIds, "version", ": write --version"],
        [withIds, "chr17:43,044,295-43,125,364", "; write -g 'chr17:43,044,295-43,125,364'"],
        [withIds, "chr17:1", "; write -g chr17:1"],
        [withIds, "X:1..2", "; write -g X:1..2"],
        [withIds, "chr17", "; write -g chr17"],
        [withIds, "panel.BED.gz", "; write -b panel.BED.gz"],
        [withIds, "https://lab.example.org", "; write -t https://lab.example.org"],
        ...["out/", "./out", "../out", "/data", "~/x", ".", ".."].map((dir) => [withIds, dir, "; write -d "] as const),
        ...["copy", "cp", "get", "sync", "download"].map((word) => [withIds, word, "; svc-download -a ID -d"] as const),
        [withIds, "auth", "; each command logs in by itself"],
        [annotations, "ls", "; svc-download --list -a ID shows"],
        [annotations, "chr17:1-2", "; --range is not taken: write -F 'Chr = 17'"],
        [annotations, "a.tsv", "; write -o a.tsv"]
      ] as const) {
        for (const words of [[word], [word, "A1"], ["A1", word, "-t", "x"]]) {
          const found = String(yield* read(of, ...words))
          assert.match(found, /^Unexpected argument: /, words.join(" "))
          assert.include(found, meant)
          assert.strictEqual(/; an analysis of that name is -a '?/.test(found), !word.includes(","))
        }
        for (const words of [["-a", word], [`--analysisIds=${word}`], ["A1", "--", word]])
          assert.isObject(yield* read(of, ...words), words.join(" "))
      }
      for (const word of ["A1", "LS", "2026-001", "chr1_alt", "a:b", "S1.bam", "listing", "7", "a.b-c_d", "A/1"])
        assert.isObject(yield* read(withIds, word, "A2"), word)
    })
  )

  it.effect("an option that is no list, given twice", () =>
    Effect.gen(function* () {
      yield* isWrong(step, "--destination is given more than once", "-d", "a", "--destination", "b")
      yield* isWrong(step, "--list is given more than once", "--list", "--no-list")
    })
  )
})

const method = (name: string, more: Pick<Partial<Method>, "options"> = {}): Method => ({
  ...step,
  name: "api",
  method: name,
  group: "Persons",
  ...more
})
const family: StepFamily = {
  name: "api",
  summary: "",
  methods: [method("get-person"), method("create-panel", { options: { "gene-ids": { type: "list", help: "" } } })],
  examples: []
}

describe("G1 a command line of a family without a method", () => {
  for (const [said, ...argv] of [
    ["No method is given"],
    ["No method is given", "-t", "x"],
    ["Unknown method ", ""],
    ["Unknown method get-persn; did you mean get-person?", "get-persn"],
    ["Unknown method getPerson; did you mean get-person?", "getPerson"],
    ["Unknown method get_person; did you mean get-person?", "get_person"],
    ["Unknown method zzz", "zzz"],
    ["Unknown method person; did you mean get-person?", "person"],
    ["Unknown method get; did you mean get-person?", "get", "person"],
    ["Unknown method GET; svc-api request GET PATH sends any request", "GET", "/x"],
    [
      "Unknown method login; each command logs in by itself, as target and username in ~/.config/svc-steps/config.json say; svc-doctor tries it",
      "login"
    ],
    ["Unknown method zzz", "zzz", "--nothing", "CANARY"],
    [
      "Unexpected argument: token=***, the first word; an option begins with two dashes: write --token=***",
      "token=CANARY"
    ],
    ["The method comes first, before --gene-ids", "--gene-ids", "CANARY", "create-panel"],
    ["A word too many stands behind the value of -p: a value with spaces must be in quotes", "-p", "x", "CANARY"]
  ] as const) {
    it.effect(`${argv.join(" ")}: ${said}`, () =>
      Effect.map(Effect.flip(readCommandLine(family, argv)), ({ message }) => assert.strictEqual(message, said)).pipe(
        Effect.provide(NodeServices.layer)
      )
    )
  }
})
