/** nginx with a certificate of a private authority: before the service, and as the host of the files. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startSandbox } from "../Executables.ts"
import { words } from "../Words.ts"
import { allTypes, download } from "./Download.ts"
import { startForeignLinks } from "./ForeignLinks.ts"
import { folder, sha256 } from "./Ground.ts"
import { startNginx } from "./Nginx.ts"

/** The sandbox behind nginx, its files served by nginx from a folder that holds what svc-download fetched before. */
const behindNginx = Effect.gen(function* () {
  const sandbox = yield* startSandbox()
  const files = yield* folder
  const fetched = yield* download(sandbox, sandbox.url, ["-a", "A1", ...allTypes, "-d", files])
  assert.strictEqual(fetched.exitCode, 0, fetched.stderr)
  let links = ""
  const api = yield* startForeignLinks(sandbox.url, (_, fileName) => `${links}/files/${encodeURIComponent(fileName)}`)
  const nginx = yield* startNginx({ files, service: api.url })
  links = nginx.url
  return { sandbox, files, nginx }
})

describe("TLS with a private authority", () => {
  it.live("everything goes through when the authority is given, over few connections", () =>
    Effect.gen(function* () {
      const { files, nginx, sandbox } = yield* behindNginx
      const destination = yield* folder
      const args = ["-a", "A1", ...allTypes, "-d", destination, "--caFile", nginx.ca]
      const { exitCode, stderr } = yield* download(sandbox, nginx.url, args)
      assert.strictEqual(exitCode, 0, stderr)
      assert.deepStrictEqual(readdirSync(destination).sort(), readdirSync(files).sort())
      for (const name of readdirSync(files)) {
        assert.strictEqual(sha256(join(destination, name)), sha256(join(files, name)), name)
      }
      const requests = nginx.requests()
      const api = requests.filter(({ path }) => !path.startsWith("/files/"))
      assert.isAbove(api.length, 3)
      const connections = (isPost: boolean) =>
        api.filter(({ method }) => (method === "POST") === isPost).map(({ connection }) => connection)
      assert.strictEqual(new Set(connections(false)).size, 1, "what may be repeated shares a connection")
      // A kept connection may die under a POST, and nobody would know whether it took effect.
      assert.strictEqual(new Set(connections(true)).size, connections(true).length)
      const bytes = requests.filter(({ path }) => path.startsWith("/files/"))
      assert.isBelow(new Set(bytes.map(({ connection }) => connection)).size, bytes.length)
    })
  )

  it.live("N4 without the authority nothing is sent and the message says what to give", () =>
    Effect.gen(function* () {
      const { nginx, sandbox } = yield* behindNginx
      const destination = yield* folder
      const { exitCode, stderr } = yield* download(sandbox, nginx.url, ["-a", "A1", "-d", destination])
      assert.strictEqual(exitCode, 69, stderr)
      assert.match(stderr, /TLS with localhost.* failed.*--caFile/s)
      assert.deepStrictEqual(nginx.requests(), [])
      assert.deepStrictEqual(readdirSync(destination), [])
    })
  )

  it.live("N4 a certificate for another name is refused although its authority is known", () =>
    Effect.gen(function* () {
      const { nginx, sandbox } = yield* behindNginx
      const destination = yield* folder
      const other = `https://127.0.0.2:${nginx.port}`
      const { exitCode, stderr } = yield* download(sandbox, other, words`-a A1 -d ${destination} --caFile ${nginx.ca}`)
      assert.strictEqual(exitCode, 69, stderr)
      assert.match(stderr, /TLS with 127\.0\.0\.2.* failed/)
      assert.deepStrictEqual(nginx.requests(), [])
      assert.deepStrictEqual(readdirSync(destination), [])
    })
  )
})
