import { get } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientError, HttpClientRequest } from "effect/http"
import { rawServer } from "../../../test/transfer/RawServer.ts"
import { ProxyRefused, TlsRefused } from "../Errors.ts"
import { faultOfCause, faultOfClientError, offersOf, TransportFault, tlsReason } from "./TransportFault.ts"

const coded = (code: string, extra: object = {}) => Object.assign(new Error("secret-canary"), { code }, extra)

describe("TransportFault", () => {
  it("reads codes, also of causes and of several addresses tried", () => {
    assert.strictEqual(faultOfCause(coded("ECONNREFUSED")).kind, "NotSent")
    assert.strictEqual(faultOfCause(coded("ECONNRESET")).kind, "Broken")
    assert.strictEqual(faultOfCause(new Error("x", { cause: coded("ENOTFOUND") })).reason, "unknown host name")
    assert.strictEqual(faultOfCause(Object.assign(new Error("x"), { errors: [coded("ECONNREFUSED")] })).kind, "NotSent")
    assert.strictEqual(faultOfCause(coded("CERT_HAS_EXPIRED")).kind, "Tls")
    const own = new TransportFault({ kind: "Proxy", reason: "x", proxy: "p", status: 407 })
    assert.strictEqual(faultOfCause(new Error("y", { cause: own })), own)
  })

  it("says of what this machine lacks for a connection that it is this machine, and nothing was sent", () => {
    for (const code of ["EMFILE", "ENFILE", "EADDRNOTAVAIL", "EACCES", "EPERM", "ENETDOWN"]) {
      const { kind, reason } = faultOfCause(coded(code, { syscall: "connect" }))
      assert.strictEqual(kind, "NotSent", code)
      assert.match(reason, / here|this machine/, code)
    }
  })

  it("N6 what ends a connection that stands leaves in doubt what was sent over it; while connecting nothing was sent", () => {
    for (const code of ["EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "ENETDOWN", "EACCES", "EPERM"]) {
      for (const syscall of ["read", "write", undefined]) {
        assert.strictEqual(faultOfCause(coded(code, { syscall })).kind, "Broken", `${code} ${syscall}`)
      }
      const tried = coded(code, { errors: [coded(code, { syscall: "connect" })] })
      for (const cause of [coded(code, { syscall: "connect" }), tried, new Error("x", { cause: tried })]) {
        assert.strictEqual(faultOfCause(cause).kind, "NotSent", code)
      }
    }
  })

  it("knows nothing of the rest, and repeats nothing of its text", () => {
    const cyclic = new Error("secret-canary")
    cyclic.cause = cyclic
    for (const cause of [cyclic, undefined, null, "secret-canary", { code: 7 }]) {
      const fault = faultOfCause(cause)
      assert.strictEqual(fault.kind, "Broken")
      assert.notInclude(fault.message, "canary")
    }
    assert.strictEqual(faultOfCause(coded("EWHATEVER")).reason, "EWHATEVER")
  })

  it("N9 what is no HTTP is called so, whatever the parser says of it, and a reset connection a reset connection", () => {
    for (const [code, says] of [
      ["HPE_INVALID_CONSTANT", "the answer is not HTTP"],
      ["HPE_INVALID_CHUNK_SIZE", "the answer has a chunk that cannot be read"],
      ["HPE_HEADER_OVERFLOW", "the headers of the answer are too large"],
      ["HPE_INVALID_EOF_STATE", "the answer is cut"],
      ["Z_BUF_ERROR", "the answer is cut"],
      ["HPE_CR_EXPECTED", "the answer is not valid HTTP"],
      ["HPE_LF_EXPECTED", "the answer is not valid HTTP"],
      ["ECONNRESET", "connection reset"]
    ] as const) {
      // As Node gives it, and as a client passes it on.
      for (const cause of [coded(code), new Error("secret-canary", { cause: coded(code) })]) {
        assert.deepInclude(faultOfCause(cause), { kind: "Broken", reason: says }, code)
      }
    }
  })

  it.live("N9 a chunk that cannot be read is not called a reset connection, as Node's client meets it", () =>
    Effect.gen(function* () {
      for (const [chunk, says] of [
        ["zz\r\nabc\r\n", "the answer has a chunk that cannot be read"],
        ["3\r\nabcdef\r\n0\r\n\r\n", "the answer is not valid HTTP"]
      ] as const) {
        const server = yield* rawServer((_, socket) =>
          socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`)
        )
        const error = yield* Effect.callback<unknown>((resume) => {
          const asked = get({ host: "127.0.0.1", port: server.port }, (reply) => {
            reply.on("error", (cause) => resume(Effect.succeed(cause))).resume()
          })
          asked.on("error", (cause) => resume(Effect.succeed(cause)))
        })
        assert.strictEqual(faultOfCause(error).reason, says)
      }
    })
  )

  it("a request that cannot be formed was not sent", () => {
    const request = HttpClientRequest.get("http://")
    const reasons = [new HttpClientError.InvalidUrlError({ request }), new HttpClientError.EncodeError({ request })]
    for (const reason of reasons) {
      assert.strictEqual(faultOfClientError(new HttpClientError.HttpClientError({ reason })).kind, "NotSent")
    }
    const reason = new HttpClientError.TransportError({ request, cause: coded("EPIPE") })
    assert.strictEqual(faultOfClientError(new HttpClientError.HttpClientError({ reason })).reason, "connection closed")
  })

  it("N4 says what is wrong with a certificate", () => {
    for (const [code, says] of [
      ["CERT_NOT_YET_VALID", "not valid yet"],
      ["DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed"],
      ["SELF_SIGNED_CERT_IN_CHAIN", "unknown authority"],
      ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unknown authority"],
      ["ERR_TLS_CERT_ALTNAME_INVALID", "another host name"],
      ["ERR_SSL_WRONG_VERSION_NUMBER", "does not speak TLS"],
      ["ERR_SSL_UNSUPPORTED_PROTOCOL", "no TLS version"],
      ["CRL_HAS_EXPIRED", "CRL_HAS_EXPIRED"]
    ] as const) {
      assert.include(tlsReason(code) ?? "", says)
    }
    assert.isNull(tlsReason("ECONNRESET"))
  })

  it("N4 each fault of TLS is one that has an advice, or is named by its code", () => {
    for (const code of [
      "CERT_HAS_EXPIRED",
      "CERT_NOT_YET_VALID",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "ERR_SSL_WRONG_VERSION_NUMBER",
      "ERR_SSL_UNSUPPORTED_PROTOCOL",
      "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"
    ]) {
      assert.strictEqual(new TlsRefused({ host: "lab", reason: tlsReason(code) ?? "" }).advice, "tls", code)
    }
    const other = new TlsRefused({ host: "lab", reason: tlsReason("CRL_HAS_EXPIRED") ?? "" })
    assert.deepStrictEqual([other.advice, other.message], [null, "TLS with lab failed: CRL_HAS_EXPIRED"])
  })

  it("N14 what a proxy offers is known by name, unless Basic is among it", () => {
    for (const [field, offers] of [
      [["Negotiate", "NTLM"], "Negotiate or NTLM"],
      ["Negotiate, NTLM", "Negotiate or NTLM"],
      ['Digest realm="a, b", nonce="x"', "Digest"],
      [['Basic realm="x"', "NTLM"], undefined],
      ['NTLM, basic realm="NTLM, x"', undefined],
      [undefined, undefined]
    ] as const) {
      assert.strictEqual(offersOf(field).offers, offers, String(field))
    }
    const refused = (offers: object) => new ProxyRefused({ proxy: "p:1", status: 407, ...offers }).message
    assert.match(refused({ offers: "NTLM" }), /wants NTLM, and only Basic is known/)
    assert.notInclude(refused({ offers: "NTLM" }), "proxyUsername")
    assert.include(refused({}), "check proxyUsername and proxyPassword")
  })
})
