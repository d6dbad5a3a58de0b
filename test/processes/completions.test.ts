/** `--completions` where there is no single step: `svc-steps`, and a family. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { folderUntilTheEnd, runCommand } from "../Executables.ts"
import { runWarm } from "../WarmExecutables.ts"

const folder = folderUntilTheEnd("svc-completions-")

/** What bash offers for the last of the words. */
const offered = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const [program, script] = ["svc-steps", join(folder, "svc-steps.bash")]
  if (!existsSync(script)) {
    const { exitCode, stderr, stdout } = yield* runWarm(program, ["--completions", "bash"])
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
    writeFileSync(script, stdout)
  }
  const complete = `. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}
    $(complete -p ${program} | grep -o '_svc_[a-z_]*') "$1" "\${@: -1}" "\${@: -2:1}"; printf '%s\\n' "\${COMPREPLY[@]}"`
  const answer = yield* runCommand("bash", ["--norc", "-c", complete, script, program, ...words])
  assert.strictEqual(answer.stderr, "")
  return answer.stdout.split("\n").map((line) => line.trim())
})

describe("svc-steps --completions", () => {
  for (const [words, found] of [
    [["down"], "download"],
    [["sand"], "sandbox"],
    [["download", "--restoreA"], "--restoreArchived"],
    [["download", "--logFormat", "j"], "json"],
    [["restorations", "pru"], "prune"],
    [["api", "get-person-a"], "get-person-analyses"],
    [["api", "get-person", "--outp"], "--output"],
    [["sandbox", "--ids", "num"], "numeric"]
  ] as const) {
    it.live(`bash completes svc-steps ${words.join(" ")}`, () =>
      Effect.map(offered(words), (offers) => assert.include(offers, found))
    )
  }

  it.live("options of one step are not offered behind another", () =>
    Effect.map(offered(["verify", "--restoreA"]), (offers) => assert.notInclude(offers, "--restoreArchived"))
  )

  for (const shell of ["zsh", "fish", "powershell"]) {
    it.live(`${shell} gets a script of its own`, () =>
      Effect.map(runWarm("svc-steps", [`--completions=${shell}`]), ({ exitCode, stderr, stdout }) => {
        assert.deepStrictEqual([exitCode, stderr], [0, ""])
        for (const word of ["resume-restore", "restoreArchived", "get-person", "linkLifetime"]) {
          assert.include(stdout, word)
        }
      })
    )
  }

  for (const [program, args] of [
    ["svc-steps", ["--completions", "tcsh"]],
    ["svc-steps", ["--completions"]],
    ["svc-api", ["--completions=tcsh"]]
  ] as const) {
    it.live(`G1 ${program} ${args.join(" ")} is wrong usage, and says which shells there are`, () =>
      Effect.map(runWarm(program, args), ({ exitCode, stderr, stdout }) => {
        assert.deepStrictEqual([exitCode, stdout], [64, ""])
        assert.strictEqual(
          stderr,
          `Error: Invalid value for --completions: expected bash, zsh, fish or powershell\nSee ${program} --help\n`
        )
      })
    )
  }
})
