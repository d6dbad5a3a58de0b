/** V8 of a running executable really has the flags that keep its memory small (platform/SmallHeap.ts). */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ground } from "./DownloadGround.ts"
import { executable, runCommand } from "./Executables.ts"
import { root } from "./Root.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const forHeap = "--semi-space-growth-factor=1 --no-minor-gc-task --heap-growing-percent=20"
const forCompilers = "--no-maglev --invocation-count-for-turbofan=100000"

/** Those of the flags above that an executable has when it ends. */
const flagsOf = Effect.fnUntraced(function* (
  step: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>> = {}
) {
  const preload = ["--require", `${root}test/children/FlagsAtExit.cjs`]
  const { stderr } = yield* runCommand(process.execPath, [...preload, executable(step), ...args], {
    cwd,
    env: { ...env, FLAGS: `${forHeap} ${forCompilers}` }
  })
  return /^flags: (.*)$/m.exec(stderr)?.[1] ?? stderr
})

const ids = (count: number) => Array.from({ length: count }, (_, i) => `X${i}`)

describe("the flags of V8", () => {
  it.live("a run about more than 1,000 analyses has those of the compilers too", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      // The login is refused, and that ends the run.
      const refused = { ...env, SVC_PASSWORD: "wrong" }
      const flags = (count: number) => flagsOf("svc-download", ["-a", ids(count).join()], folder, refused)
      assert.strictEqual(yield* flags(1000), forHeap)
      assert.strictEqual(yield* flags(1001), `${forHeap} ${forCompilers}`)
      assert.strictEqual(yield* flagsOf("svc-fetch-annotations", ["A1"], folder, refused), forHeap)
      assert.strictEqual(yield* flagsOf("svc-request-restore", ["A1"], folder, refused), forHeap)
      assert.strictEqual(yield* flagsOf("svc-api", ["get-analyses"], folder, refused), "")
    })
  )

  it.live("so has a run about more than 1,000 files of a links file", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder("svc-flags-")
      const flags = (count: number) => {
        const files = ids(count).map((analysisId) => ({
          analysisId,
          fileName: "S.bam",
          size: 1,
          archived: true,
          estimatedRestoreTime: null,
          link: null,
          expiresAt: null
        }))
        const links = { schema: "svc.links/1", target: "http://127.0.0.1/", filetypes: ["bam"], files }
        writeFileSync(join(folder, "links.json"), JSON.stringify(links))
        return flagsOf("svc-download", ["--linksFile", "links.json", "--filetypes", "bam", "--plan"], folder)
      }
      assert.strictEqual(yield* flags(1000), forHeap)
      assert.strictEqual(yield* flags(1001), `${forHeap} ${forCompilers}`)
    })
  )
})
