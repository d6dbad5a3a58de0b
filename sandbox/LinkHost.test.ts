import { createHash } from "node:crypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, FileSystem } from "effect"
import { makeForwardClock } from "../test/servers/ForwardClock.ts"
import { say, visit } from "../test/servers/Visitor.ts"

/** A folder with one file of 300,000 known bytes on disk, named like a BAM. */
const folder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const dir = yield* fs.makeTempDirectoryScoped()
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) % 251))
  yield* fs.writeFile(`${dir}/big.bam`, bytes)
  yield* fs.writeFile(`${dir}/big.bam.bai`, new Uint8Array())
  return { dir, bytes }
})

const ranged = (range: string, more: Readonly<Record<string, string>> = {}) => ({ headers: { range, ...more } })

layer(NodeServices.layer, { excludeTestServices: true })("link host", (it) => {
  describe("presigned links", () => {
    it.effect("may be escaped in another way, as some clients do with what they are given", () =>
      Effect.gen(function* () {
        const url = yield* (yield* visit()).link("A1", "S1.bam")
        assert.include(url, "%2F")
        for (const same of [url.replaceAll("%2F", "/"), url.replaceAll("%3D", "="), url.replaceAll("%2F", "%2f")]) {
          assert.strictEqual((yield* say(same)).status, 200, same)
        }
      })
    )

    it.effect("name their time and their life, and open the file without a session", () =>
      Effect.gen(function* () {
        const { listed, sandbox } = yield* visit({ behaviour: { linkLifetime: "2 hours" } })
        const { downloadLink, size } = yield* listed("A1", "S1.bam")
        const query = new URL(downloadLink).searchParams
        assert.match(query.get("X-Amz-Date") ?? "", /^\d{8}T\d{6}Z$/)
        assert.strictEqual(query.get("X-Amz-Expires"), "7200")
        assert.strictEqual(new URL(downloadLink).origin, sandbox.linkHost)
        const heard = yield* say(downloadLink)
        assert.strictEqual(heard.status, 200)
        assert.strictEqual(heard.body.length, size)
        assert.strictEqual(heard.headers.etag, `"${createHash("md5").update(heard.body).digest("hex")}"`)
        assert.strictEqual(heard.headers["accept-ranges"], "bytes")
        assert.isNotNaN(Date.parse(heard.headers["last-modified"] ?? ""))
      })
    )

    it.effect("L1 expire: 403 Request has expired", () =>
      Effect.gen(function* () {
        const { clock, forward } = yield* makeForwardClock()
        const { link, sandbox } = yield* Effect.provideService(visit(), Clock.Clock, clock)
        const url = yield* link("A1", "S1.bam")
        yield* forward("59 minutes")
        assert.strictEqual((yield* say(url)).status, 200)
        yield* forward("2 minutes")
        const heard = yield* say(url)
        assert.strictEqual(heard.status, 403)
        assert.strictEqual(heard.headers["content-type"], "application/xml")
        assert.include(heard.body.toString(), "<Message>Request has expired</Message>")
        assert.include(heard.body.toString(), "<X-Amz-Expires>3600</X-Amz-Expires>")
        assert.strictEqual((yield* sandbox.stats).expiredLinks, 1)
      })
    )

    it.effect("refuse what S3 refuses", () =>
      Effect.gen(function* () {
        const { link, sandbox } = yield* visit()
        const url = yield* link("A1", "S1.bam")
        const forged = url.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
        const cases = [
          [forged, {}, 403, "SignatureDoesNotMatch"],
          [url.replace("X-Amz-Expires=3600", "X-Amz-Expires=9999"), {}, 403, "SignatureDoesNotMatch"],
          [`${url}&more=1`, {}, 403, "SignatureDoesNotMatch"],
          [url.replaceAll("%2B", "+"), {}, 403, "SignatureDoesNotMatch"],
          [url.split("?")[0] ?? "", {}, 403, "AccessDenied"],
          [url, { method: "POST" }, 405, "MethodNotAllowed"],
          [url, { headers: { authorization: "Basic eA==" } }, 400, "InvalidArgument"]
        ] as const
        for (const [address, said, status, code] of cases) {
          const heard = yield* say(address, said)
          assert.strictEqual(heard.status, status, code)
          assert.include(heard.body.toString(), `<Code>${code}</Code>`)
        }
        const head = yield* say(url, { method: "HEAD" })
        assert.deepStrictEqual([head.status, head.body.length], [403, 0])
        assert.strictEqual((yield* say(`${sandbox.linkHost}/elsewhere`)).status, 403)
      })
    )

    it.effect("L9 what only the API may see is counted", () =>
      Effect.gen(function* () {
        const { link, sandbox } = yield* visit()
        const headers = { cookie: "SESSION=x", "x-csrf-token": "y", referer: sandbox.url }
        yield* say(yield* link("A1", "S1.bam"), { headers })
        const { cookiesSeenByLinkHost, referersSeenByLinkHost, tokensSeenByLinkHost } = yield* sandbox.stats
        assert.deepStrictEqual([cookiesSeenByLinkHost, tokensSeenByLinkHost, referersSeenByLinkHost], [1, 1, 1])
      })
    )

    it.effect("L8 odd names and long tokens have to come back as they went out", () =>
      Effect.gen(function* () {
        const names = ["a b#c%2F+ü.bam", "../up.bam", "..", "?q=1&X-Amz-Signature=0.bam"]
        const { files } = yield* visit({
          world: { analyses: [{ id: "A1", files: names.map((name) => ({ name, copyOf: "A1/S1.bam" })) }] },
          behaviour: { linkTokenLength: 12_000 }
        })
        const odd = (yield* files("A1")).filter((file) => names.includes(file.fileName))
        assert.strictEqual(odd.length, names.length)
        for (const { downloadLink, fileName } of odd)
          assert.strictEqual((yield* say(downloadLink)).status, 200, fileName)
        const decoded = (odd[0]?.downloadLink ?? "").replaceAll("%2B", "+")
        assert.strictEqual((yield* say(decoded)).status, 403)
      })
    )
  })

  describe("ranges", () => {
    for (const where of ["memory", "disk"] as const) {
      it.effect(`of a file in ${where}`, () =>
        Effect.gen(function* () {
          const { bytes, dir } = yield* folder
          const { link, sandbox } = yield* visit(where === "disk" ? { data: dir } : {})
          const name = where === "disk" ? "big.bam" : "S1.bam"
          const url = yield* link("A1", name)
          const whole = (yield* say(url)).body
          if (where === "disk") assert.isTrue(whole.equals(bytes))
          const size = whole.length
          const parts = [
            ["bytes=0-0", 0, 1],
            ["bytes=100-199", 100, 200],
            [`bytes=${size - 10}-`, size - 10, size],
            ["bytes=-7", size - 7, size],
            [`bytes=5-${size + 1000}`, 5, size],
            [`bytes=-${size + 5}`, 0, size]
          ] as const
          for (const [range, start, end] of parts) {
            const heard = yield* say(url, ranged(range))
            assert.strictEqual(heard.status, 206, range)
            assert.strictEqual(heard.headers["content-range"], `bytes ${start}-${end - 1}/${size}`)
            assert.isTrue(heard.body.equals(whole.subarray(start, end)), range)
          }
          for (const range of [`bytes=${size}-`, "bytes=-0"]) {
            const heard = yield* say(url, ranged(range))
            assert.strictEqual(heard.status, 416, range)
            assert.strictEqual(heard.headers["content-range"], `bytes */${size}`)
            assert.include(heard.body.toString(), `<ActualObjectSize>${size}</ActualObjectSize>`)
          }
          for (const range of ["bytes=9-3", "bytes=0-1,5-6", "bytes=a-b", "lines=1-2", "bytes=-"]) {
            assert.strictEqual((yield* say(url, ranged(range))).status, 200, range)
          }
          const { files, linkBytes } = yield* sandbox.stats
          const row = files[`A1/${name}`]
          assert.deepStrictEqual(row?.ranges.slice(0, 3), [null, "bytes=0-0", "bytes=100-199"])
          assert.strictEqual(row?.bytes, linkBytes)
        })
      )
    }

    it.effect("H6 of an empty file: 416, and 200 without a range", () =>
      Effect.gen(function* () {
        const { dir } = yield* folder
        const { link } = yield* visit({ data: dir })
        const url = yield* link("A1", "big.bam.bai")
        assert.strictEqual((yield* say(url, ranged("bytes=0-"))).status, 416)
        const whole = yield* say(url)
        assert.deepStrictEqual([whole.status, whole.headers["content-length"]], [200, "0"])
      })
    )

    it.effect("If-Range with the ETag or the date continues, with another one starts over", () =>
      Effect.gen(function* () {
        const { link } = yield* visit()
        const url = yield* link("A1", "S1.bam")
        const { headers } = yield* say(url, ranged("bytes=0-0"))
        const status = (ifRange: string) =>
          Effect.map(say(url, ranged("bytes=10-19", { "if-range": ifRange })), (heard) => heard.status)
        assert.strictEqual(yield* status(headers.etag ?? ""), 206)
        assert.strictEqual(yield* status(headers["last-modified"] ?? ""), 206)
        assert.strictEqual(yield* status('"another"'), 200)
        assert.strictEqual(yield* status(`W/${headers.etag}`), 200)
        assert.strictEqual(yield* status("Thu, 01 Jan 1970 00:00:00 GMT"), 200)
      })
    )

    it.effect("conditions: 412 and 304", () =>
      Effect.gen(function* () {
        const { link } = yield* visit()
        const url = yield* link("A1", "S1.bam")
        const etag = (yield* say(url, ranged("bytes=0-0"))).headers.etag ?? ""
        const status = (headers: Readonly<Record<string, string>>) =>
          Effect.map(say(url, { headers }), (heard) => heard.status)
        assert.strictEqual(yield* status({ "if-match": `"x", ${etag}` }), 200)
        assert.strictEqual(yield* status({ "if-match": "*" }), 200)
        assert.strictEqual(yield* status({ "if-match": '"x"' }), 412)
        assert.strictEqual(yield* status({ "if-unmodified-since": "Thu, 01 Jan 1970 00:00:00 GMT" }), 412)
        assert.strictEqual(yield* status({ "if-none-match": etag }), 304)
        assert.strictEqual(yield* status({ "if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT" }), 304)
      })
    )
  })

  it.effect("parallel requests on kept connections, all right", () =>
    Effect.gen(function* () {
      const { bytes, dir } = yield* folder
      const { link, sandbox } = yield* visit({ data: dir })
      const url = yield* link("A1", "big.bam")
      const starts = Array.from({ length: 24 }, (_, i) => i * 12_000)
      yield* Effect.forEach(
        starts,
        (from) =>
          Effect.map(say(url, ranged(`bytes=${from}-${from + 11_999}`)), ({ body }) =>
            assert.isTrue(body.equals(bytes.subarray(from, from + 12_000)))
          ),
        { concurrency: 8 }
      )
      const { linkBytes, linkInFlight, linkRequests, maxLinkInFlight } = yield* sandbox.stats
      assert.deepStrictEqual([linkBytes, linkInFlight, linkRequests], [288_000, 0, 24])
      assert.isAbove(maxLinkInFlight, 1)
    })
  )
})
