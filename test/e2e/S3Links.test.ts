/** Files on an S3 server of other hands, behind presigned links that really expire. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startSandbox } from "../Executables.ts"
import { startCutter } from "./Cutter.ts"
import { allTypes, download, stats } from "./Download.ts"
import { startForeignLinks } from "./ForeignLinks.ts"
import { folder, sha256 } from "./Ground.ts"
import { type LinkTerms, startS3 } from "./S3.ts"

/** L8: a key whose address must be sent exactly as it was signed. */
const keyOf = (name: string) => `run 7 #1 + 50% (ü) ${name}`

/** How much of a file arrives before its connection breaks. */
const firstBytes = 60_000

/** Sandbox, S3 server with the files of A1, and an API whose links lead there on the given terms. */
const withLinks = Effect.fnUntraced(function* (
  terms: (asked: number) => LinkTerms,
  through?: (port: number) => string
) {
  const sandbox = yield* startSandbox()
  const s3 = yield* startS3
  const files = yield* folder
  const fetched = yield* download(sandbox, sandbox.url, ["-a", "A1", ...allTypes, "-d", files])
  assert.strictEqual(fetched.exitCode, 0, fetched.stderr)
  for (const name of readdirSync(files)) yield* s3.upload(keyOf(name), join(files, name))
  const api = yield* startForeignLinks(sandbox.url, (_, name, asked) =>
    s3.link(keyOf(name), terms(asked), through?.(s3.port))
  )
  const destination = yield* folder
  const args = ["-a", "A1", ...allTypes, "-d", destination]
  return { sandbox, s3, api, files, destination, args }
})

/** C4: a client whose clock is an hour slow takes every link for a good one, so the server's answer decides. */
const slowClock = {
  env: { NODE_OPTIONS: "--import=data:text/javascript,const{now}=Date;Date.now=()=>now()-3600000" }
}

const assertSameFiles = (there: string, here: string) => {
  assert.deepStrictEqual(readdirSync(here).sort(), readdirSync(there).sort())
  for (const name of readdirSync(there)) assert.strictEqual(sha256(join(here, name)), sha256(join(there, name)), name)
}

const loginsOf = (counters: Readonly<Record<string, unknown>>) => counters["logins"]

describe("presigned links of an S3 server", () => {
  it.live(
    "L8 good links, with keys full of odd characters: every file arrives whole, with one question for the links",
    () =>
      Effect.gen(function* () {
        const { api, args, destination, files, sandbox } = yield* withLinks(() => ({
          signedAt: Date.now(),
          lifetime: 60
        }))
        const { exitCode, stderr } = yield* download(sandbox, api.url, args)
        assert.strictEqual(exitCode, 0, stderr)
        assertSameFiles(files, destination)
        assert.strictEqual(api.asked("A1"), 1)
      })
  )

  it.live("L1 expired links are renewed through the API, without a second login", () =>
    Effect.gen(function* () {
      const { api, args, destination, files, sandbox } = yield* withLinks((asked) => ({
        signedAt: asked === 1 ? Date.now() - 3_600_000 : Date.now(),
        lifetime: 60
      }))
      const before = loginsOf(yield* stats(sandbox))
      const { exitCode, stderr } = yield* download(sandbox, api.url, args, slowClock)
      assert.strictEqual(exitCode, 0, stderr)
      assertSameFiles(files, destination)
      assert.isAtLeast(api.asked("A1"), 2)
      assert.strictEqual(Number(loginsOf(yield* stats(sandbox))) - Number(before), 1)
    })
  )

  it.live("L2 a link that expires in mid-file is renewed and the file goes on at the same byte", () =>
    Effect.gen(function* () {
      const report = join(yield* folder, "report.json")
      let cutter = ""
      // Four seconds are enough for a busy machine to begin, and the connection is held until they are over.
      const { api, destination, s3, sandbox, files } = yield* withLinks(
        (asked) => ({ signedAt: Date.now(), lifetime: asked === 1 ? 4 : 60 }),
        (port) => cutter || `127.0.0.1:${port}`
      )
      const relay = yield* startCutter(s3.port, { bytes: firstBytes, connections: 1, holdMs: 6_000 })
      cutter = `127.0.0.1:${relay.port}`
      const args = ["-a", "A1", "-f", "bam", "-d", destination, "--reportfile", report]
      const { exitCode, stderr } = yield* download(sandbox, api.url, args, slowClock)
      assert.strictEqual(exitCode, 0, stderr)
      for (const name of readdirSync(destination)) {
        assert.strictEqual(sha256(join(destination, name)), sha256(join(files, name)), name)
      }
      assert.strictEqual(api.asked("A1"), 2)
      assert.match(readFileSync(report, "utf8"), /"renewals": 1,/)
      const size = statSync(join(files, readdirSync(destination)[0] ?? "")).size
      assert.isBelow(relay.passed(), size + firstBytes / 2, "what had arrived was fetched again")
    })
  )

  it.live("L3 links that stay expired end with 77, leave nothing under a final name and show no signature", () =>
    Effect.gen(function* () {
      const { api, args, destination, sandbox } = yield* withLinks(() => ({
        signedAt: Date.now() - 3_600_000,
        lifetime: 60
      }))
      const { exitCode, stderr, stdout } = yield* download(
        sandbox,
        api.url,
        [...args, "--loglevel", "debug"],
        slowClock
      )
      assert.strictEqual(exitCode, 77, stderr)
      assert.notMatch(stderr + stdout, /X-Amz-Signature=[0-9a-f]/)
      assert.deepStrictEqual(
        readdirSync(destination).filter((name) => /\.(bam|bai|vcf\.gz|tbi)$/.test(name)),
        []
      )
    })
  )
})
