import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { admit, crossOrigin, type Rules } from "./Admission.ts"

const token = "0123456789abcdef"
const open: Rules = { token: null, allowOrigin: [], publicUrl: null }
const closed: Rules = { ...open, token: Redacted.make(token) }

const visit = (url: string, headers: Record<string, string> = { host: "127.0.0.1:8080" }, method = "GET") => ({
  url,
  headers,
  method
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

  it("anybody may ask /healthz, and nothing else, without a token", () => {
    assert.strictEqual(shown(closed, visit("/healthz")), "/healthz")
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
