/** tinyproxy with Basic credentials between svc-download and everything else. */
import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startSandbox } from "../Executables.ts"
import { download } from "./Download.ts"
import { startForeignLinks } from "./ForeignLinks.ts"
import { folder } from "./Ground.ts"
import { startNginx } from "./Nginx.ts"
import { startTinyproxy } from "./Tinyproxy.ts"

const user = "lab"
const password = "Wish-you-were-here"

describe("a proxy with credentials", () => {
  it.live("plain HTTP: API and files go through it", () =>
    Effect.gen(function* () {
      const sandbox = yield* startSandbox()
      const proxy = yield* startTinyproxy(user, password)
      const destination = yield* folder
      const args = ["-a", "A1", "-d", destination, "--proxy", proxy.url, "--proxyUsername", user]
      const { exitCode, stderr } = yield* download(sandbox, sandbox.url, args, { env: { SVC_PROXY_PASS: password } })
      assert.strictEqual(exitCode, 0, stderr)
      assert.isAbove(readdirSync(destination).length, 1)
      const seen = proxy.requests().join("\n")
      assert.include(seen, "/login")
      assert.include(seen, new URL(sandbox.linkHost).host)
    })
  )

  it.live("HTTPS: API and files go through CONNECT, and the certificate is that of the far end", () =>
    Effect.gen(function* () {
      const sandbox = yield* startSandbox()
      const proxy = yield* startTinyproxy(user, password)
      const files = yield* folder
      const fetched = yield* download(sandbox, sandbox.url, ["-a", "A1", "-d", files])
      assert.strictEqual(fetched.exitCode, 0, fetched.stderr)
      let links = ""
      const api = yield* startForeignLinks(sandbox.url, (_, name) => `${links}/files/${encodeURIComponent(name)}`)
      const nginx = yield* startNginx({ files, service: api.url })
      links = nginx.url
      const destination = yield* folder
      const proxyUrl = proxy.url.replace("//", `//${user}:${password}@`)
      const args = ["-a", "A1", "-d", destination, "--caFile", nginx.ca]
      const { exitCode, stderr } = yield* download(sandbox, nginx.url, args, { env: { SVC_PROXY: proxyUrl } })
      assert.strictEqual(exitCode, 0, stderr)
      assert.deepStrictEqual(readdirSync(destination).sort(), readdirSync(files).sort())
      const seen = proxy.requests()
      assert.isAbove(seen.length, 1)
      assert.deepStrictEqual(
        seen.filter((line) => !line.startsWith(`CONNECT localhost:${nginx.port} `)),
        []
      )
    })
  )

  it.live("no credentials: one clear sentence, exit code 77", () =>
    Effect.gen(function* () {
      const sandbox = yield* startSandbox()
      const proxy = yield* startTinyproxy(user, password)
      const destination = yield* folder
      const args = ["-a", "A1", "-d", destination, "--proxy", proxy.url]
      const { exitCode, stderr } = yield* download(sandbox, sandbox.url, args)
      assert.strictEqual(exitCode, 77, stderr)
      assert.match(stderr, /proxy .*refused the credentials/)
      assert.deepStrictEqual(readdirSync(destination), [])
    })
  )

  it.live("wrong credentials: the same, and they appear nowhere", () =>
    Effect.gen(function* () {
      const sandbox = yield* startSandbox()
      const proxy = yield* startTinyproxy(user, password)
      const destination = yield* folder
      const args = ["-a", "A1", "-d", destination, "--proxy", proxy.url, "--proxyUsername", user, "--loglevel", "debug"]
      // tinyproxy answers 401 to wrong credentials; with CONNECT it is plain that the proxy said so.
      const target = sandbox.url.replace("http:", "https:")
      const { exitCode, stderr, stdout } = yield* download(sandbox, target, args, {
        env: { SVC_PROXY_PASS: "guessed-secret" }
      })
      assert.strictEqual(exitCode, 77, stderr)
      assert.match(stderr, /proxy .*refused the credentials/)
      assert.notInclude(stderr + stdout, "guessed-secret")
      assert.notInclude(stderr + stdout, Buffer.from(`${user}:guessed-secret`).toString("base64"))
      assert.deepStrictEqual(readdirSync(destination), [])
    })
  )
})
