import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { words } from "../../../test/Words.ts"
import { groups, stepNames } from "./Key.ts"
import { type KeyName, keyNames, keysOf, table } from "./Keys.ts"
import { decodeValue } from "./Settings.ts"

/** The table of docs/dev/service.md 2.4. */
const specified = words`username password target analysisIds sampleIds limsIds
  destination filetypes overwrite list filters range bed restoreArchived restorationFile
  resumeArchivedDownloads loglevel logfile reportfile proxy proxyUsername proxyPassword` as ReadonlyArray<KeyName>

const variables: Readonly<Record<string, KeyName>> = {
  SVC_USER: "username",
  SVC_PASSWORD: "password",
  SVC_TARGET: "target",
  SVC_PROXY: "proxy",
  SVC_PROXY_USER: "proxyUsername",
  SVC_PROXY_PASS: "proxyPassword",
  SVC_DESTINATION: "destination",
  SVC_FILETYPES: "filetypes",
  SVC_OVERWRITE: "overwrite",
  SVC_LOG_LEVEL: "loglevel",
  SVC_LOG_FILE: "logfile",
  SVC_RESTORE_ARCHIVED: "restoreArchived",
  SVC_RESTORATION_FILE: "restorationFile"
}

describe("the table of settings", () => {
  it("has every key of docs/dev/service.md 2.4, marked as such, and svc-download takes them all", () => {
    assert.deepStrictEqual(
      keyNames.filter((name) => table[name].beyond === undefined && name !== "config").sort(),
      [...specified].sort()
    )
    assert.deepStrictEqual(
      specified.filter((name) => !keysOf("download").includes(name)),
      []
    )
  })

  it("has the variables of docs/dev/service.md 2.4 exactly, and ten more", () => {
    const named = keyNames.flatMap((name) => {
      const { beyond, env } = table[name]
      return env === undefined ? [] : [{ name, env, beyond: beyond === true || name === "config" }]
    })
    assert.deepStrictEqual(
      Object.fromEntries(named.filter(({ beyond }) => !beyond).map(({ env, name }) => [env, name])),
      Object.fromEntries(Object.entries(variables).sort(([, a], [, b]) => keyNames.indexOf(a) - keyNames.indexOf(b)))
    )
    assert.deepStrictEqual(
      named.filter(({ beyond }) => beyond).map(({ env }) => env),
      words`SVC_BASE_URL SVC_PASSWORD_FILE SVC_TOKEN SVC_TOKEN_FILE SVC_SERVICE SVC_CONFIG SVC_API_TIMEOUT
        SVC_LIMIT_RATE SVC_CA_FILE SVC_LOCK_DIR`
    )
  })

  it("has the letters of docs/dev/service.md 4.2", () => {
    const letters = {
      t: "target",
      u: "username",
      p: "password",
      a: "analysisIds",
      d: "destination",
      f: "filetypes",
      g: "range"
    }
    for (const [letter, name] of Object.entries(letters)) assert.strictEqual(table[name as KeyName].short, letter)
  })

  it("has the defaults of docs/dev/service.md 2.4", () => {
    const defaults = Object.fromEntries(specified.map((name) => [name, table[name].default]))
    assert.deepInclude(defaults, {
      destination: ".",
      filetypes: "bam,bam.bai",
      restoreArchived: "ask",
      restorationFile: "awaiting-restoration.json",
      loglevel: "info",
      username: undefined,
      overwrite: undefined
    })
  })

  it("has defaults that it accepts itself", () => {
    for (const name of keyNames) {
      const key = table[name]
      if (key.default !== undefined) assert.isTrue(Result.isSuccess(decodeValue(key, [key.default])), name)
    }
  })

  it("gives every letter and variable once; a foreign spelling may mean one of two options, and is none of ours", () => {
    for (const step of stepNames) {
      const letters = keysOf(step).flatMap((name) => table[name].short ?? [])
      assert.strictEqual(new Set(letters).size, letters.length, step)
      // -h and -v are help and version everywhere.
      assert.notInclude(letters, "h")
      assert.notInclude(letters, "v")
      const foreign = keysOf(step).flatMap((name) => table[name].otherSpellings ?? [])
      for (const word of foreign) {
        assert.isAtMost(foreign.filter((other) => other === word).length, 2, word)
        assert.isFalse(
          keysOf(step).some((name) => name === word),
          word
        )
      }
      assert.deepStrictEqual(
        letters.filter((letter) => foreign.includes(letter)),
        []
      )
    }
  })

  it("has a group, a step and one sentence for every key", () => {
    for (const name of keyNames) {
      const { group, help, steps } = table[name]
      assert.include(groups, group)
      assert.isAbove(steps.length, 0)
      assert.match(help, /^[A-Za-z].*[^.]$/)
    }
  })
})
