/** The table of exit codes in `docs/troubleshooting.md`, made of the codes and the error classes. */
import { readdirSync, readFileSync } from "node:fs"
import { type ExitCode, ExitCodes, severityOrder } from "../../core/src/Errors.ts"
import { cell } from "../commands.ts"

const errors = new URL("../../core/src/errors/", import.meta.url)

/** Every error class, with its exit code. */
const errorClasses = readdirSync(errors)
  .map((module) => readFileSync(new URL(module, errors), "utf8"))
  .flatMap((source) => [...source.matchAll(/\nexport class (\w+) [\s\S]*?errorExitCode\] = (\d+)/g)])
  .map(([, name = "", code]) => ({ name, code: Number(code) }))

/** What a user does about each code, in a few words; of signals nothing. */
const advice: Partial<Readonly<Record<ExitCode, string>>> = {
  1: "report it, with the output of `--loglevel debug`",
  64: "correct the command: the message says what to write",
  65: "the message names what is damaged; `--overwrite` fetches a file again",
  66: "compare ids and regions with `--list`; ask for what is archived",
  69: "run it again later; a pipeline may do so by itself, but not what changes a person or panel",
  73: "another `--destination`, `--layout analysis`, or `--overwrite`",
  74: "make room, or mend the permissions",
  75: "run the same command again later; a pipeline may do so by itself",
  77: "check user and password; do not repeat it by itself",
  78: "`svc-doctor` shows which setting is missing or wrong",
  130: "run it again: it goes on where it stopped"
}

const row = ([code, meaning]: readonly [string, string]) => {
  const names = errorClasses.filter((one) => one.code === Number(code)).map(({ name }) => `\`${name}\``)
  return `| ${[code, meaning, advice[Number(code) as ExitCode] ?? "", names.join(", ")].map(cell).join(" | ")} |`
}

export const exitCodesTable = (): string =>
  [
    "| code | meaning | what to do | names in reports |",
    "|---|---|---|---|",
    ...Object.entries(ExitCodes).map(row),
    "",
    `With several failures the most severe one decides, in this order: ${severityOrder.join(", ")}.`
  ].join("\n")
