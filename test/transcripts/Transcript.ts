/**
 * A transcript (`*.transcript`): commands, and what each prints and ends with. Each `## section` is a test: it has a sandbox and a folder
 * of its own, and its commands follow each other in there.
 *
 *     ## a person that is not there
 *     sandbox {"behaviour": {"strict": true}}
 *     $ svc-api get-person nobody
 *     ! Error: person nobody: not found
 *     exit 66
 *
 * `| ` is a line of standard output, `! ` one of standard error, `> ` goes on with the command; `exit` is left out where it is 0, and any other
 * line is a word to the reader. `sandbox` says what the service is like, as a world file does. Commands: `svc-...`; `sandbox fault WHEN THEN`,
 * `sandbox counts NAME ...` and `sandbox thaw`; and whatever bash knows. Ours share a process, but for those in test/executables. `--update` writes
 * anew what they print.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FaultRule } from "../../sandbox/Faults.ts"
import { type Ground, ground } from "../DownloadGround.ts"
import { commands, type Outcome, run, runCommand } from "../Executables.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { runWarm } from "../WarmExecutables.ts"
import { words } from "../Words.ts"
import { named } from "./Patterns.ts"

interface Command {
  readonly line: string
  /** Its lines in the file, and those of what it prints. */
  readonly written: ReadonlyArray<string>
}

/** Lines to the reader, and commands. */
type Item = string | Command

export interface Section {
  readonly title: string
  readonly text: string
  readonly world: string | undefined
  readonly items: ReadonlyArray<Item>
}

const section = (text: string): Section => {
  const items: Array<string | { line: string; written: Array<string> }> = []
  for (const line of text.split("\n")) {
    const last = items.at(-1)
    if (line.startsWith("$ ")) items.push({ line: line.slice(2), written: [line] })
    else if (typeof last !== "object" || !/^([|!]( |$)|> |exit \d|no newline)/.test(line)) items.push(line)
    else if (line.startsWith("> ")) {
      last.line += `\n${line.slice(2)}`
      last.written.push(line)
    }
  }
  const worlds = items.filter((item) => typeof item === "string" && item.startsWith("sandbox "))
  return { title: text.slice(3, text.indexOf("\n")), text, world: worlds[0]?.toString().slice(8), items }
}

/** What stands before the first section, and the sections. */
export const parse = (text: string): readonly [head: string, ...sections: ReadonlyArray<Section>] => {
  const [head = "", ...sections] = text.split(/^(?=## )/m)
  return [head, ...sections.map(section)]
}

const prefixed = (prefix: string, text: string) =>
  text === ""
    ? []
    : [
        ...text
          .replace(/\n$/, "")
          .split("\n")
          .map((line) => (line === "" ? prefix : `${prefix} ${line}`)),
        ...(text.endsWith("\n") ? [] : ["no newline at the end"])
      ]

/** An outcome as a transcript has it. */
export const printed = ({ exitCode, stderr, stdout }: Outcome): ReadonlyArray<string> => [
  ...prefixed("|", stdout),
  ...prefixed("!", stderr),
  ...(exitCode === 0 ? [] : [`exit ${exitCode}`])
]

const says = (stdout: string): Outcome => ({ exitCode: 0, stdout, stderr: "" })

const rules = (texts: ReadonlyArray<string>): ReadonlyArray<FaultRule> =>
  texts.length === 0
    ? []
    : [{ when: JSON.parse(texts[0] ?? ""), then: JSON.parse(texts[1] ?? "") }, ...rules(texts.slice(2))]

const ofSandbox = (here: Ground, [name, ...args]: ReadonlyArray<string>): Effect.Effect<Outcome> =>
  name === "fault"
    ? Effect.as(here.setFaults(rules(args)), says(""))
    : name === "thaw"
      ? Effect.as(here.thaw, says(""))
      : Effect.map(here.stats, ({ requests, ...stats }) => {
          const counts: Readonly<Record<string, unknown>> = { ...requests, ...stats }
          return says(args.map((key) => `${key} ${counts[key] ?? 0}\n`).join(""))
        })

/** What only a shell understands, outside of quotes. */
const forShell = /[|&;<>$`*()~\n]/

/** One of our commands, alone or with a variable before it and a file for its input, shares a process with the others. */
const own = /^((?:[A-Z_]+=\S* )*)((?:sandbox|svc-[a-z-]+)(?: .*?)?)(?: < ([\w./]+))?$/

/** A gateway around a command: the signals and the children are those of its process. */
const aroundCommand = /^(?:[A-Z_]+=\S* )*svc-gateway (?:.* )?--( |$)/

const ours = (part: string) => {
  if (aroundCommand.test(part)) return null
  const [, variables = "", command = "", file] = own.exec(part) ?? []
  const plain = command !== "" && !forShell.test(variables + command.replaceAll(/'[^']*'|"[^"$`\\]*"/g, ""))
  return plain ? { variables: words(variables), command: words(command), file } : null
}

/** Where a section runs, and whether each of our commands has a process of its own. */
interface Place extends Ground {
  readonly cold: boolean
}

const runOne = (here: Place, part: string): Effect.Effect<Outcome> => {
  const env = { ...here.env, PATH: `${commands}:${process.env["PATH"]}` }
  const known = ours(part)
  if (known === null) return runCommand("bash", ["--norc", "-c", part], { cwd: here.folder, env })
  const [name = "", ...args] = known.command
  if (name === "sandbox") return ofSandbox(here, args)
  const given = Object.fromEntries(known.variables.map((word) => word.split(/=(.*)/s, 2)))
  const input = known.file === undefined ? "" : readFileSync(join(here.folder, known.file), "utf8")
  return (here.cold ? run : runWarm)(name, args, { cwd: here.folder, env: { ...env, ...given }, input })
}

/** Commands with `&&` between them; those of the shell that follow each other are one of its lines. */
const partsOf = (line: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (const part of line.split(/ && (?=(?:[^']|'[^']*')*$)/)) {
    const last = parts.at(-1)
    const joins = last !== undefined && ours(last) === null && ours(part) === null
    parts.splice(joins ? -1 : parts.length, 1, joins ? `${last} && ${part}` : part)
  }
  return parts
}

const runLine = (here: Place, line: string): Effect.Effect<Outcome> =>
  Effect.reduce(
    partsOf(line),
    () => says(""),
    (sum, part) =>
      sum.exitCode !== 0
        ? Effect.succeed(sum)
        : Effect.map(runOne(here, part), ({ exitCode, stderr, stdout }) => ({
            exitCode,
            stdout: sum.stdout + stdout,
            stderr: sum.stderr + stderr
          }))
  )

/** The section as it is when its commands are run. */
const runSection = Effect.fnUntraced(function* ({ items, world }: Section, cold: boolean) {
  const file = join(yield* temporaryFolder("svc-world-"), "world.json")
  writeFileSync(file, world ?? "{}")
  const here = { ...(yield* ground({ world: file })), cold }
  const exact = { links: here.linkHost, url: here.url, folder: here.folder, port: new URL(here.url).port }
  const lines: Array<string> = []
  for (const item of items) {
    if (typeof item === "string") lines.push(item)
    else {
      const outcome = yield* runLine(here, item.line)
      lines.push(...item.written, ...printed(outcome).map((line) => named(line, exact)))
    }
  }
  return lines.join("\n")
})

const updates = process.env["UPDATE_TRANSCRIPTS"] === "1"

/** Makes the tests of a transcript. */
export const transcript = (path: string): void => {
  const [head, ...sections] = parse(readFileSync(path, "utf8"))
  const written = new Map(sections.map((one) => [one, one.text]))
  describe(head.slice(2, head.indexOf("\n")), () => {
    for (const one of sections) {
      it.live(one.title, () =>
        Effect.map(Effect.orDie(runSection(one, path.includes("/executables/"))), (text) => {
          if (updates) written.set(one, text)
          else assert.strictEqual(text, one.text, `${path}: if that is right, npm run test:files -- ${path} --update`)
        })
      )
    }
    if (updates) afterAll(() => writeFileSync(path, head + [...written.values()].join("")))
  })
}
