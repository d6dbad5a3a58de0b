/** `svc-gateway` as a process before the sandbox: what readers get, who may read, and what happens when things end. */
import { writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { readBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import { checkStructure } from "../../core/src/genome/Structure.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { until } from "../Executables.ts"
import { ask, gatewayGround, temporary } from "../GatewayGround.ts"
import { words } from "../Words.ts"

const token = "0123456789abcdefghij"

const tokenFile = Effect.map(temporary, (folder) => {
  const path = join(folder, "token")
  writeFileSync(path, `${token}\n`, { mode: 0o600 })
  return path
})

interface Ticket {
  readonly htsget: {
    readonly format: string
    readonly urls: ReadonlyArray<{
      readonly url: string
      readonly headers?: Record<string, string>
      readonly class?: string
    }>
  }
}

/** What a client of htsget puts together. */
const fetched = Effect.fnUntraced(function* (text: string) {
  const { htsget }: Ticket = JSON.parse(text)
  const parts = yield* Effect.forEach(htsget.urls, ({ headers = {}, url }) => ask(url, { headers }))
  return new Uint8Array(Buffer.concat(parts.map(({ bytes }) => bytes)))
})

describe("svc-gateway", () => {
  it.live("lists files, redirects to links, answers HEAD itself, and asks the service once", () =>
    Effect.gen(function* () {
      const { gateway, setFaults, stats } = yield* gatewayGround()
      const list = JSON.parse((yield* ask(`${gateway.url}/files/A1`)).text)
      assert.deepStrictEqual(
        list.files.map(({ archived, name, url }: Record<string, unknown>) => [name, archived, url]),
        ["S1.bam", "S1.bam.bai", "S1.vcf.gz", "S1.vcf.gz.tbi"].map((name) => [
          name,
          false,
          `${gateway.url}/files/A1/${name}`
        ])
      )
      const answers = yield* Effect.all(
        Array.from({ length: 60 }, () => ask(`${gateway.url}/files/A1/S1.bam`)),
        { concurrency: 60 }
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([307]))
      const link = answers[0]?.headers.get("location") ?? ""
      assert.match(link, /X-Amz-Signature=/)
      assert.strictEqual(answers[0]?.headers.get("cache-control"), "no-store")
      for (const path of ["/files/A1", "/files/A1/no.bam", "/reads/A1"]) {
        assert.strictEqual((yield* ask(`${gateway.url}${path}`)).headers.get("cache-control"), "no-store", path)
      }
      const bam = yield* ask(link)
      const head = yield* ask(`${gateway.url}/files/A1/S1.bam`, { method: "HEAD" })
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.headers.get("content-length"), String(bam.bytes.length))
      assert.strictEqual(head.headers.get("accept-ranges"), "bytes")
      // Nextflow, DVC and rclone tell by these whether a file is still the one they have.
      for (const name of ["etag", "last-modified"]) {
        assert.isNotNull(bam.headers.get(name), name)
        assert.strictEqual(head.headers.get(name), bam.headers.get(name), name)
      }
      assert.strictEqual((yield* ask(`${gateway.url}/files/A1/S1.bai`)).status, 307)
      assert.strictEqual((yield* ask(`${gateway.url}/files/A1/S1.bam.csi`)).status, 404)
      const { logins, maxApiInFlight, requests } = (yield* stats) as Record<string, unknown>
      assert.deepStrictEqual([logins, maxApiInFlight], [1, 1])
      assert.strictEqual((requests as Record<string, number>)["getFileDownloadLinks"], 1)
      const metrics = (yield* ask(`${gateway.url}/metrics`)).text
      assert.match(metrics, /^svc_logins_total 1$/m)
      assert.match(metrics, /^svc_gateway_requests_total\{route="files",status="307"\} 61$/m)
      assert.match(metrics, /^svc_gateway_service_requests_total \d+$/m)
      // The link host has answered, so its failure is one: a file without its tag would be taken for another one.
      yield* setFaults([{ when: { plane: "link", file: "S1.bam.bai" }, then: { status: 410 } }])
      assert.strictEqual((yield* ask(`${gateway.url}/files/A1/S1.bam.bai`, { method: "HEAD" })).status, 404)
    })
  )

  it.live("relays bytes: ranges, suffix ranges, If-Range, HEAD, 416 with the size", () =>
    Effect.gen(function* () {
      const { gateway, sandbox } = yield* gatewayGround(["--relay"])
      const address = `${gateway.url}/files/A1/S1.bam`
      const whole = yield* ask(address)
      assert.strictEqual(whole.status, 200)
      assert.strictEqual(whole.headers.get("cache-control"), "private, no-cache")
      const { length } = whole.bytes
      assert.strictEqual(whole.headers.get("content-length"), String(length))
      const etag = whole.headers.get("etag") ?? ""
      assert.match(etag, /^".+"$/)
      const part = (range: string, more: Record<string, string> = {}) => ask(address, { headers: { range, ...more } })
      const check = Effect.fnUntraced(function* (range: string, first: number, end: number, more = {}) {
        const { bytes, headers, status } = yield* part(range, more)
        assert.strictEqual(status, 206)
        assert.strictEqual(headers.get("content-range"), `bytes ${first}-${end - 1}/${length}`)
        assert.strictEqual(Buffer.compare(bytes, whole.bytes.subarray(first, end)), 0)
      })
      yield* check("bytes=0-0", 0, 1)
      yield* check("bytes=100000-", 100_000, length)
      yield* check("bytes=-28", length - 28, length)
      yield* check("bytes=5-9", 5, 10, { "if-range": etag })
      assert.strictEqual((yield* part("bytes=5-9", { "if-range": '"other"' })).status, 200)
      const beyond = yield* part(`bytes=${length}-`)
      assert.strictEqual(beyond.status, 416)
      assert.strictEqual(beyond.headers.get("content-range"), `bytes */${length}`)
      const conditional = (headers: Record<string, string>, method = "GET") =>
        Effect.map(ask(address, { method, headers }), ({ bytes, status }) => [status, bytes.length])
      assert.deepStrictEqual(yield* conditional({ "if-none-match": etag }), [304, 0])
      assert.deepStrictEqual(yield* conditional({ "if-none-match": etag }, "HEAD"), [304, 0])
      assert.deepStrictEqual(yield* conditional({ "if-match": '"other"' }), [412, 0])
      assert.deepStrictEqual(yield* conditional({ "if-match": etag, range: "bytes=0-9" }), [206, 10])
      const head = yield* ask(address, { method: "HEAD" })
      assert.deepStrictEqual(
        ["content-length", "etag", "accept-ranges"].map((name) => head.headers.get(name)),
        [String(length), etag, "bytes"]
      )
      assert.notInclude((yield* ask(`${gateway.url}/reads/A1?referenceName=chr1`)).text, sandbox.linkHost)
    })
  )

  it.live("htsget: the pieces of a ticket make a sound file, from links and through the gateway", () =>
    Effect.gen(function* () {
      for (const args of [[], ["--tokenFile", yield* tokenFile]]) {
        const { gateway } = yield* gatewayGround(args)
        const headers = { authorization: `Bearer ${token}` }
        const get = (path: string, init: RequestInit = {}) => ask(`${gateway.url}${path}`, { headers, ...init })
        const ticket = yield* get("/reads/A1?referenceName=chr1&start=0&end=90000000")
        assert.strictEqual(
          ticket.headers.get("content-type"),
          "application/vnd.ga4gh.htsget.v1.3.0+json; charset=utf-8"
        )
        const bam = yield* fetched(ticket.text)
        yield* checkStructure("x.bam", fromBytes(bam))
        assert.isAbove((yield* readBamHeader("x.bam", fromBytes(bam))).references.length, 1)
        for (const id of ["A1/S1.bam", "A1%2FS1.bam"]) {
          const same = yield* get(`/reads/${id}?referenceName=chr1&start=0&end=90000000`)
          assert.strictEqual(Buffer.compare(Buffer.from(yield* fetched(same.text)), Buffer.from(bam)), 0)
        }
        // The cases of GA4GH's compliance suite: the whole and a reference, without a format and with each that is known.
        const whole = yield* Effect.promise(() =>
          fetch(`${gateway.url}/files/A1/S1.bam`, { headers }).then((reply) => reply.arrayBuffer())
        )
        for (const query of ["", "?format=BAM"]) {
          const { text } = yield* get(`/reads/A1${query}`)
          assert.strictEqual(Buffer.compare(Buffer.from(yield* fetched(text)), Buffer.from(whole)), 0, query)
        }
        const formatted = yield* get("/reads/A1?referenceName=chr1&start=0&end=90000000&format=BAM")
        assert.strictEqual(Buffer.compare(Buffer.from(yield* fetched(formatted.text)), Buffer.from(bam)), 0)
        const keys = JSON.parse(ticket.text).htsget.urls.flatMap((url: object) => Object.keys(url))
        assert.deepStrictEqual([...new Set(keys)].sort(), ["class", "headers", "url"])
        const posted = yield* get("/variants/A1", {
          method: "POST",
          body: JSON.stringify({
            regions: [{ referenceName: "chr1" }, { referenceName: "chr17", start: 1, end: 99_999 }]
          })
        })
        assert.strictEqual(posted.status, 200, posted.text)
        yield* checkStructure("x.vcf.gz", fromBytes(yield* fetched(posted.text)))
        const header: Ticket = JSON.parse((yield* get("/reads/A1?class=header")).text)
        assert.isTrue(header.htsget.urls.every((url) => url.class === "header" && url.url.startsWith("data:")))
        for (const [datatype, format] of [
          ["reads", "BAM"],
          ["variants", "VCF"]
        ]) {
          const { id, htsget, organization, type, version } = JSON.parse((yield* get(`/${datatype}/service-info`)).text)
          assert.isTrue([id, organization.name, organization.url, version].every((text) => typeof text === "string"))
          assert.deepStrictEqual(type, { group: "org.ga4gh", artifact: "htsget", version: "1.3.0" })
          assert.deepStrictEqual([htsget.datatype, htsget.formats], [datatype, [format]])
        }
        const errors = [
          ["/reads/A1?format=CRAM", 400, "UnsupportedFormat"],
          ["/reads/A1?class=header&fields=QNAME", 400, "InvalidInput"],
          ["/reads/A1?tags=RG&notags=RG", 400, "InvalidInput"],
          ["/reads/A1?start=1", 400, "InvalidInput"],
          ["/reads/A1?referenceName=chr1&start=9&end=8", 400, "InvalidRange"],
          ["/reads/A1?referenceName=nowhere", 404, "NotFound"],
          ["/reads/A99", 404, "NotFound"],
          ["/variants/A1/S1.bam", 404, "NotFound"],
          ["/reads/A3?referenceName=chr1", 409, "Archived"]
        ] as const
        for (const [path, status, error] of errors) {
          const answer = yield* get(path)
          assert.deepStrictEqual([answer.status, JSON.parse(answer.text).htsget.error], [status, error], path)
        }
      }
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.live("lets in who shows the token, tells nobody what it is, and no page of another origin", () =>
    Effect.gen(function* () {
      const origin = "https://igv.example"
      const { gateway } = yield* gatewayGround(["--redirect", "--tokenFile", yield* tokenFile, "--allowOrigin", origin])
      const address = `${gateway.url}/files/A1/S1.bam`
      assert.strictEqual((yield* ask(address, { headers: { authorization: "Bearer wrong" } })).status, 401)
      const unknown = yield* ask(`${gateway.url}/reads/A1`)
      assert.strictEqual(JSON.parse(unknown.text).htsget.error, "InvalidAuthentication")
      assert.strictEqual((yield* ask(address, { headers: { authorization: `Bearer ${token}` } })).status, 307)
      const list = JSON.parse((yield* ask(`${gateway.url}/t/${token}/files/A1`)).text)
      assert.strictEqual((yield* ask(list.files[0].url)).status, 307)
      assert.strictEqual((yield* ask(`${gateway.url}/metrics`)).status, 401)
      const preflight = (from: string) =>
        Effect.map(
          ask(address, { method: "OPTIONS", headers: { origin: from, "access-control-request-method": "GET" } }),
          ({ headers, status }) => [status, headers.get("access-control-allow-origin")]
        )
      assert.deepStrictEqual(yield* preflight(origin), [204, origin])
      assert.deepStrictEqual(yield* preflight("https://evil.example"), [405, null])
      const log = gateway.lines.join("\n")
      for (const secret of [token, "X-Amz", "sandbox-files"]) assert.notInclude(log, secret)
    })
  )

  it.live("SIGTERM lets what is under way end, takes nothing new, logs out and ends with 0", () =>
    Effect.gen(function* () {
      const { gateway, setFaults, stats } = yield* gatewayGround(["--relay"])
      const size = Number(
        (yield* ask(`${gateway.url}/files/A1/S1.bam`, { method: "HEAD" })).headers.get("content-length")
      )
      yield* setFaults([
        { when: { plane: "link", file: "S1.bam" }, then: { slow: 200_000 } },
        { when: { endpoint: "getFileDownloadLinks", analysis: "A2" }, then: { delay: 1000 } }
      ])
      const begun = yield* Deferred.make<void>()
      const asking = ask(`${gateway.url}/files/A2`)
      const reading = Effect.promise(async () => {
        const reply = await fetch(`${gateway.url}/files/A1/S1.bam`)
        let length = 0
        for await (const bytes of reply.body ?? []) {
          length += bytes.length
          Deferred.doneUnsafe(begun, Effect.void)
        }
        return length
      })
      const isAsked = until(
        "the service has the question",
        Effect.map(stats, ({ apiInFlight }) => apiInFlight === 1)
      )
      const told = Effect.andThen(
        Effect.andThen(isAsked, Deferred.await(begun)),
        Effect.sync(() => void process.kill(gateway.pid, "SIGTERM"))
      )
      const [length, answer] = yield* Effect.all([reading, asking, told], { concurrency: 3 })
      assert.deepStrictEqual([length, answer.status], [size, 200])
      // By a connection of its own: one that was kept may bring one more request before it is closed.
      const refused = yield* Effect.callback<string>((resume) => {
        const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1")
        socket.once("connect", () => resume(Effect.succeed("answered")))
        socket.once("error", () => resume(Effect.succeed("refused")))
      })
      assert.strictEqual(refused, "refused")
      assert.strictEqual(yield* gateway.exitCode, 0)
      const said = gateway.lines.join("\n")
      assert.match(said, /\[info\]: Stopped by SIGTERM/)
      assert.notInclude(said, "Error:")
      const { requests } = (yield* stats) as unknown as { readonly requests: Record<string, number> }
      assert.strictEqual(requests["logout"], 1)
    })
  )

  it.live("one connection has one request under way, however many it sent at once, and gets its answers in order", () =>
    Effect.gen(function* () {
      const { gateway, setFaults, stats } = yield* gatewayGround(["--relay"])
      const size = (yield* ask(`${gateway.url}/files/A1/S1.bam`)).bytes.length
      yield* setFaults([{ when: { plane: "link", file: "S1.bam" }, then: { slow: 2_000_000 } }])
      const get = (first: number, more = "") =>
        `GET /files/A1/S1.bam HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes=${first}-\r\n${more}\r\n`
      const text = yield* Effect.callback<string>((resume) => {
        const ranges = [0, 1, 2, 3, 4].map((first) => get(first)).join("")
        const post = 'POST /reads/A1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 20\r\n\r\n{"format": "nobody"'
        const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1", () => socket.write(ranges + post))
        let got = ""
        socket.on("data", (bytes) => {
          // The rest of a body comes while its request waits for its turn.
          if (got === "") socket.write(`}${get(5, "Connection: close\r\n")}`)
          got += bytes.toString("latin1")
        })
        socket.on("close", () => resume(Effect.succeed(got)))
      })
      const answered = [...text.matchAll(/HTTP\/1.1 (\d+)|content-range: bytes (\d+-)/gi)]
      assert.deepStrictEqual(
        answered.map(([, status, range]) => status ?? range),
        [...["0-", "1-", "2-", "3-", "4-"].flatMap((range) => ["206", range]), "400", "206", "5-"]
      )
      assert.isAbove(text.length, 6 * (size - 5))
      // The probe of the size and the bytes are asked for one after the other.
      assert.strictEqual((yield* stats)["maxLinkInFlight"], 1)
    })
  )

  it.live("B8 a long list of regions that comes slowly holds nobody else up", () =>
    Effect.gen(function* () {
      const { gateway } = yield* gatewayGround(["--relay"])
      const body = `{"regions":[{"referenceName":"chr1"}],"fields":"${"x".repeat(200_000)}"}`
      const post = (text: string) => ask(`${gateway.url}/reads/A1`, { method: "POST", body: text })
      const { port } = new URL(gateway.url)
      const slow = yield* Effect.callback<Socket>((resume) => {
        const socket = connect(Number(port), "127.0.0.1", () => {
          const head = `POST /reads/A1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`
          socket.write(head + body.slice(0, 100), () => resume(Effect.succeed(socket)))
        })
      })
      yield* until(
        "the slow one is being read",
        Effect.map(ask(`${gateway.url}/metrics`), ({ text }) => /^svc_gateway_requests_in_flight 2$/m.test(text))
      )
      assert.strictEqual((yield* post(body)).status, 200)
      assert.strictEqual((yield* post('{"regions":[{"referenceName":"chr1"}]}')).status, 200)
      const answered = yield* Effect.callback<string>((resume) => {
        slow.once("data", (bytes) => resume(Effect.succeed(bytes.toString("latin1"))))
        slow.write(body.slice(100))
      })
      slow.destroy()
      assert.match(answered, /^HTTP\/1\.1 200 /)
    })
  )

  it.live("odd names are not found, and nothing leads outside", () =>
    Effect.gen(function* () {
      const { gateway } = yield* gatewayGround(["--relay"])
      for (const path of words`/files/A99 /files/A1/no.bam /files/..%2F..%2Fapi/x /files/%2e%2e/S1.bam /files/A1/..%2FS1.bam
        /files/A1/S1.bam%00 /x /files`) {
        assert.strictEqual((yield* ask(`${gateway.url}${path}`)).status, 404, path)
      }
      // Nor what no library would send.
      const raw = (text: string) =>
        Effect.callback<string>((resume) => {
          const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1", () => socket.write(text))
          let got = ""
          socket.on("data", (bytes) => (got += bytes.toString("latin1")))
          socket.on("close", () => resume(Effect.succeed(got.slice(0, 12))))
        })
      const host = "Host: 127.0.0.1\r\nConnection: close\r\n"
      assert.strictEqual(yield* raw(`GET /files/%ZZ HTTP/1.1\r\n${host}\r\n`), "HTTP/1.1 404")
      assert.strictEqual(
        yield* raw(`GET /files/A1 HTTP/1.1\r\n${host}X: ${"x".repeat(20_000)}\r\n\r\n`),
        "HTTP/1.1 431"
      )
      assert.strictEqual(yield* raw("NONSENSE\r\n\r\n"), "HTTP/1.1 400")
      assert.strictEqual(
        yield* raw(`GET /files/A1 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`),
        "HTTP/1.1 421"
      )
    })
  )
})
