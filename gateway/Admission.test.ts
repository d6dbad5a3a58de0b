import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { admit, crossOrigin, preflight, type Rules } from "./Admission.ts"
import { makeSignedLinks } from "./Answers.ts"
import { digestOf, parseReaders } from "./Readers.ts"

const token = "0123456789abcdef"
const readersIn = (text: string) => Result.getOrThrow(parseReaders(text)).readers
const open: Rules = { readers: null, allowOrigin: [], publicUrl: null, api: false, signedLinks: makeSignedLinks() }
const closed: Rules = { ...open, readers: readersIn(token) }

const visit = (url: string, headers: Record<string, string> = { host: "127.0.0.1:8080" }, method = "GET") => ({
  url,
  headers,
  method,
  at: Date.parse("2026-06-01T12:00:00Z")
})
const shown = (rules: Rules, asked: ReturnType<typeof visit>) => {
  const verdict = admit(rules, asked)
  return verdict._tag === "Welcome" ? `${verdict.url} ${verdict.prefix}`.trimEnd() : verdict.status
}

describe("who may come in", () => {
  it("with a token: who shows it in the header or before the path", () => {
    const bearer = (text: string) => visit("/files/A1", { authorization: text })
    assert.strictEqual(shown(closed, bearer(`Bearer ${token}`)), "/files/A1")
    assert.strictEqual(shown(closed, bearer(`bearer  ${token} `)), "/files/A1")
    assert.strictEqual(shown(closed, visit(`/t/${token}/files/A1/S1.bam?x=1`)), `/files/A1/S1.bam?x=1 /t/${token}`)
    for (const wrong of ["", "Bearer", "Bearer x", `Basic ${token}`, `Bearer ${token}0`, `Bearer ${token} ${token}`]) {
      assert.strictEqual(shown(closed, bearer(wrong)), 401, wrong)
    }
    for (const url of [
      "/files/A1",
      "/t/",
      "/t/x/files/A1",
      `/t/${token}`,
      `/t/${token}0/files`,
      "/metrics",
      `/t//${token}/files`
    ]) {
      assert.strictEqual(shown(closed, visit(url)), 401, url)
    }
  })

  it("a wrong token before the path is not mended by a right one in the header", () => {
    assert.strictEqual(shown(closed, visit("/t/x/files/A1", { authorization: `Bearer ${token}` })), 401)
  })

  it("a semicolon is a letter of a name, as the router does not have it: S1.bam;v2 is not S1.bam", () => {
    assert.strictEqual(shown(open, visit("/files/A1/S1.bam;v2?a;b")), "/files/A1/S1.bam%3Bv2?a;b")
    assert.strictEqual(shown(closed, visit(`/t/${token}/files/A;1/;`)), `/files/A%3B1/%3B /t/${token}`)
    assert.strictEqual(shown(closed, visit("/healthz;/files/A1")), 401)
  })

  it("anybody may ask /healthz, and nothing else, without a token", () => {
    assert.strictEqual(shown(closed, visit("/healthz")), "/healthz")
    assert.strictEqual(shown(closed, visit("/readyz")), "/readyz")
    assert.strictEqual(shown(closed, visit("/t/x/healthz")), 401)
    assert.strictEqual(shown(closed, visit("/healthz/../files/A1")), 401)
  })

  it("without a token: this machine under a name that no web page can take", () => {
    for (const host of ["127.0.0.1:8080", "localhost", "[::1]:8080", "10.0.0.7"]) {
      assert.strictEqual(shown(open, visit("/files/A1", { host })), "/files/A1", host)
    }
    for (const host of ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "[evil]"]) {
      assert.strictEqual(shown(open, visit("/files/A1", { host })), 421, host)
    }
    const known = { ...open, publicUrl: "https://files.lab.example/gw" }
    assert.strictEqual(shown(known, visit("/files/A1", { host: "files.lab.example" })), "/files/A1")
    assert.strictEqual(shown(open, visit(`/t/${token}/files/A1`)), 401)
  })

  it("with several tokens: each is known by its own", () => {
    const other = "fedcba9876543210"
    const lab = { ...open, readers: readersIn(`ada ${token}\ngrace ${other} A1`) }
    const named = (given: string) => {
      const verdict = admit(lab, visit("/files/A1", { authorization: `Bearer ${given}` }))
      return verdict._tag === "Welcome" ? verdict.reader?.name : verdict.status
    }
    assert.deepStrictEqual([token, other, `${other}0`].map(named), ["ada", "grace", 401])
    assert.strictEqual(shown(lab, visit(`/t/${other}/files/A1`)), `/files/A1 /t/${other}`)
  })

  it("a token by its digest alone, and one that has come to its end", () => {
    const digest = `sha256:${digestOf(token)}`
    for (const [line, status] of [
      [`ada ${digest}`, "/files/A1"],
      [digest, "/files/A1"],
      [`ada ${digest.toUpperCase().replace("SHA256", "sha256")}`, "/files/A1"],
      [`ada ${token} until=2026-06-01`, "/files/A1"],
      [`ada ${token} until=2026-05-31`, 401],
      [`ada ${token} until=2026-06-01T12:00:00Z`, 401],
      [`ada ${token} until=2026-06-01T14:30:00+02:00`, "/files/A1"]
    ] as const) {
      const rules = { ...open, readers: readersIn(line) }
      assert.strictEqual(shown(rules, visit("/files/A1", { authorization: `Bearer ${token}` })), status, line)
    }
    // The digest itself opens nothing.
    const rules = { ...open, readers: readersIn(`ada ${digest}`) }
    assert.strictEqual(shown(rules, visit("/files/A1", { authorization: `Bearer ${digestOf(token)}` })), 401)
  })

  it("without a token: a POST that a browser sends for a page of another origin is refused", () => {
    const host = "127.0.0.1:8080"
    const post = (headers: Record<string, string>, rules: Rules = open) =>
      shown(rules, visit("/files/A3/S3.bam/restore", { host, ...headers }, "POST"))
    const welcome = "/files/A3/S3.bam/restore"
    assert.strictEqual(post({}), welcome)
    assert.strictEqual(post({ origin: `http://${host}`, "sec-fetch-site": "same-origin" }), welcome)
    assert.strictEqual(post({ origin: `http://${host}` }), welcome)
    for (const headers of [
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" },
      { origin: "http://127.0.0.1:9999" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: "http://localhost:9999" }
    ]) {
      assert.strictEqual(post(headers), 403, JSON.stringify(headers))
    }
    const asked = { origin: "https://igv.org", "sec-fetch-site": "cross-site" }
    assert.strictEqual(post(asked, { ...open, allowOrigin: ["https://igv.org"] }), welcome)
    assert.strictEqual(post({ ...asked, authorization: `Bearer ${token}` }, closed), welcome)
    const proxied = { ...open, publicUrl: "http://localhost/gw" }
    assert.strictEqual(post({ origin: "http://localhost" }, proxied), welcome)
    // Reading is decided by CORS, and does no harm.
    assert.strictEqual(shown(open, visit("/files/A1", { host, "sec-fetch-site": "cross-site" })), "/files/A1")
  })

  it("a preflight allows the fields that it asks for, for the 30 days of htsget, and nothing that is no list of fields", () => {
    const allowed = (asked?: string) => preflight(asked)["access-control-allow-headers"]
    assert.strictEqual(allowed("authorization,cache-control, range"), "authorization,cache-control, range")
    for (const odd of [undefined, "", "a b", "a\r\nset-cookie: x", "a,,b", "ü"]) {
      assert.strictEqual(allowed(odd), "Authorization, Content-Type, If-Range, Range", odd)
    }
    assert.strictEqual(preflight(undefined)["access-control-max-age"], "2592000")
  })

  it("methods other than GET, HEAD and POST are refused", () => {
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get"]) {
      assert.strictEqual(shown(open, visit("/files/A1", undefined, method)), 405, method)
    }
  })

  it("pages of other origins read only where that was allowed", () => {
    const fields = (allowOrigin: ReadonlyArray<string>, origin?: string) =>
      crossOrigin({ allowOrigin }, origin)?.["access-control-allow-origin"] ?? null
    assert.strictEqual(fields(["https://igv.org"], "https://igv.org"), "https://igv.org")
    assert.strictEqual(fields(["*"], "https://igv.org"), "*")
    assert.isNull(fields([], "https://igv.org"))
    assert.isNull(fields(["https://igv.org"], "https://igv.org.evil.example"))
    assert.isNull(fields(["https://igv.org"]))
  })
})
