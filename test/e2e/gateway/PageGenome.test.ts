/** The view of the gateway's page with `--genome`, in a real browser. */
import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startSandbox } from "../../Executables.ts"
import { ask, startGateway } from "../../GatewayGround.ts"
import { startBrowser } from "../Browser.ts"
import { folder } from "../Ground.ts"
import { draws, enter, looked, press, shows, token } from "./PageView.ts"

/** A whole chromosome in one line, with bases where the reads begin, and a hole everywhere else. */
const writeSparseFasta = (path: string, name: string, length: number, first: number) => {
  const head = `>${name}\n`
  const bases = "ACGT".repeat(25_000)
  writeFileSync(path, head)
  truncateSync(path, head.length + length + 1)
  const file = openSync(path, "r+")
  writeSync(file, bases, head.length + Math.max(0, first - bases.length / 2))
  closeSync(file)
  writeFileSync(`${path}.fai`, `${[name, length, head.length, length, length + 1].join("\t")}\n`)
}

describe("--genome in Chromium", () => {
  it.live("against a genome of this machine the view has its bases, and asks nobody else for them", () =>
    Effect.gen(function* () {
      const browser = yield* startBrowser
      const place = yield* folder
      const [tokens, fasta] = [join(place, "tokens"), join(place, "ref.fa")]
      writeFileSync(tokens, token, { mode: 0o600 })
      const headers = { Authorization: `Bearer ${token}` }
      const sandbox = yield* startSandbox(["--strict"])
      writeFileSync(fasta, "")
      writeFileSync(`${fasta}.fai`, "")
      const { url } = yield* startGateway(sandbox, ["--tokenFile", tokens, "--genome", fasta])
      const { text: sequences } = yield* ask(`${url}/files/A1/S1.bam/sequences`, { headers })
      const [name = "", length = 0, first = 0] = sequences.split(/[\t\n]/, 3)
      writeSparseFasta(fasta, name, Number(length), Number(first))
      const visit = yield* browser.visit(`${url}/files/A1/`, { width: 1280 })
      yield* shows(visit, /wants a token/)
      yield* enter(visit, token)
      yield* shows(visit, /S1\.bam/)
      yield* press(visit, "View S1.bam")
      yield* draws(visit, 3)
      yield* looked(visit, "genome")
      const asked = visit.requests()
      assert.isTrue(asked.includes(`${url}/genome/ref.fa`) && asked.includes(`${url}/genome/ref.fa.fai`))
      assert.deepStrictEqual(
        asked.filter(
          (address) => !(address.startsWith(`${url}/`) || address.startsWith("data:")) || address.includes(token)
        ),
        []
      )
      // Bases were found: without them igv.js complains.
      assert.deepStrictEqual(
        visit.complaints().filter((said) => !/status of 401|willReadFrequently/.test(said)),
        []
      )
    })
  )
})
