import { assert, describe, it } from "@effect/vitest"
import { ExitCodes } from "../../core/src/Errors.ts"
import { stepNames } from "../../core/src/settings/Key.ts"
import { keysOf, table } from "../../core/src/settings/Keys.ts"
import { families, steps } from "../../scripts/commands.ts"
import { exitCodesOf, helpText } from "./Help.ts"
import { everyOptionOf } from "./Options.ts"
import type { Step } from "./Step.ts"

const step = (name: Step["name"]): Step => ({
  name,
  service: true,
  summary: "A summary that says what the step is for, in one sentence that may be longer than a line of a terminal.",
  operands: { metavar: "ID", help: "An analysis", least: 1, most: 9 },
  examples: [{ command: "-t https://lab.example.org A1", says: "what it does" }]
})

describe("help", () => {
  for (const name of stepNames.filter((name) => name !== "sandbox")) {
    it(`of ${name} with everything fits 80 columns and has every option with its default and variable`, () => {
      const text = helpText(step(name), "svc-x", { topic: "all" })
      for (const line of text.split("\n")) assert.isAtMost(line.length, 80, line)
      for (const key of keysOf(name)) {
        const { default: fallback, env, short } = table[key]
        assert.include(text, short === undefined ? `      --${key}` : `  -${short}, --${key}`)
        if (env !== undefined) assert.include(text, `[${env}]`)
        if (fallback !== undefined) assert.include(text.replace(/\s+/g, " "), `(default ${fallback})`)
      }
    })
  }

  for (const about of [...steps, ...families, ...families.flatMap(({ methods }) => methods)]) {
    const name = "method" in about ? `${about.name} ${about.method}` : about.name
    it(`of ${name} fits a screen or two, and says where everything is`, () => {
      const lines = helpText(about, `svc-${name}`).split("\n")
      assert.isAtMost(lines.length, 56, "shorten the help of its settings that are `common`, or of its own options")
      assert.include(lines.join(" "), `svc-${name} --help all has everything.`)
    })

    it(`of ${name} says where its settings are looked for`, () => {
      const text = helpText(about, `svc-${name}`).replace(/\s+/g, " ")
      assert.strictEqual(text.includes("~/.config/svc-steps/config.json"), !("methods" in about))
    })

    it(`of ${name} has each option that its examples use`, () => {
      const text = helpText(about, `svc-${name}`)
      const options = text.slice(text.lastIndexOf("\n  svc-"))
      const words = about.examples.flatMap(({ command }) => command.split(" "))
      for (const word of "methods" in about ? [] : words.filter((word) => /^--?[A-Za-z]/.test(word))) {
        assert.match(options, new RegExp(`^ +(?:-., )?${word}\\b`, "m"), word)
      }
    })

    it(`of ${name} speaks of no option that there is not`, () => {
      const known = everyOptionOf(about).flatMap(({ name }) => [name, `no-${name}`])
      const texts = everyOptionOf(about).map(({ option }) => option.help.replace("--no-FLAG", ""))
      const named = texts.join(" ").matchAll(/--([A-Za-z][A-Za-z-]*)/g)
      for (const [, option = ""] of named) assert.include(known, option)
    })
  }

  it("of svc-api has a line for each method", () => {
    const api = families.find(({ name }) => name === "api")
    const text = api === undefined ? "" : helpText(api, "svc-api")
    for (const { method } of api?.methods ?? []) assert.match(text, new RegExp(`^  ${method} {2,}\\S`, "m"))
    for (const line of text.split("\n")) assert.notMatch(line, /^ {20}/)
  })

  it("is as wide as the terminal, between 60 and 100 columns, and 80 where there is none", () => {
    const widest = (columns?: number) =>
      Math.max(
        ...helpText(step("gateway"), "svc-x", { topic: "all", columns })
          .split("\n")
          .map(({ length }) => length)
      )
    for (const [columns, least, most] of [
      [20, 50, 60],
      [72, 61, 72],
      [undefined, 73, 80],
      [300, 81, 100]
    ] as const) {
      const width = widest(columns)
      assert.isTrue(width >= least && width <= most, `${columns}: ${width}`)
    }
  })

  it("shows how to call it: usage, operands and examples with the name the user typed", () => {
    const text = helpText(step("api"), "svc-steps api")
    assert.include(text, "Usage: svc-steps api [options] ID...")
    assert.include(text, "  svc-steps api -t https://lab.example.org A1")
  })

  it("shows a group of options by its first word, and one by its name, with all that there is to say of them", () => {
    for (const { env, help, name, topic } of keysOf("download").flatMap((name) =>
      [name, `--${name}`, table[name].group.split(" ")[0] ?? ""].map((topic) => ({ ...table[name], name, topic }))
    )) {
      const text = helpText(step("download"), "svc-x", { topic }).replace(/\s+/g, " ")
      for (const said of [`--${name}`, help, env ?? ""]) assert.include(text, said, topic)
      assert.notInclude(text, "Examples:")
    }
    for (const topic of ["nonsense", "", undefined]) {
      assert.strictEqual(helpText(step("download"), "svc-x", { topic }), helpText(step("download"), "svc-x"))
    }
  })

  it("names only exit codes that there are, and those of the command alone", () => {
    for (const { name } of [...steps, ...families]) {
      const codes = [...exitCodesOf(name).matchAll(/\d+/g)].map(([code]) => code)
      for (const code of codes) assert.property(ExitCodes, code)
      assert.strictEqual(codes.includes("77"), keysOf(name).includes("target"), name)
      assert.strictEqual(codes.includes("73"), name !== "verify", name)
      assert.strictEqual(codes.includes("75"), ["download", "resume-restore"].includes(name), name)
    }
  })
})
