/** Each advice of the doctor where it is given, and in the nearest situation where it would be wrong. */
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "../../core/src/Errors.ts"
import { type AskingCheck, type AskingFailure, adviceOn } from "./Advice.ts"

const host = "lab"
const refused = (more: object) => new Errors.LoginRefused({ user: "ada", host, ...more })
const proxy = (status: number, more: object = {}) => new Errors.ProxyRefused({ proxy: "p:1", status, ...more })
const tls = (reason: string) => new Errors.TlsRefused({ host, reason })
const unavailable = new Errors.Unavailable({ host, reason: "it is silent", attempts: 1 })
const protocol = new Errors.LoginProtocol({ host, reason: "no cookie" })
const forbidden = new Errors.Forbidden({ what: "it" })
const notFound = new Errors.NotFound({ what: "analysis A9" })
const contention = new Errors.SessionContention({ host, logins: 3 })
const badCa = new Errors.ConfigUnusable({ path: "ca.pem", reason: "holds no certificate" })
const badLink = new Errors.LinkProtocol({ file: "a.bam", host, reason: "has 1 byte" })
const forbiddenLink = new Errors.LinkForbidden({ file: "a.bam", host, status: 403 })

type Situation = readonly [check: AskingCheck, error: AskingFailure, viaProxy?: boolean]

const table: ReadonlyArray<readonly [advice: string, given: Situation, ...notGiven: ReadonlyArray<Situation>]> = [
  ["spelling of --target", ["dns", unavailable], ["dns", unavailable, true], ["tcp", unavailable]],
  ["whether a proxy is needed", ["tcp", unavailable], ["tcp", unavailable, true], ["service", unavailable]],
  ["address of the proxy", ["tcp", unavailable, true], ["tcp", unavailable], ["service", unavailable, true]],
  ["address of the proxy", ["dns", unavailable, true], ["dns", unavailable], ["login", unavailable, true]],
  ["SVC_PROXY_PASS", ["proxy", proxy(407)], ["proxy", proxy(407, { offers: "NTLM" })], ["proxy", proxy(403)]],
  ["lets this computer reach", ["proxy", proxy(403)], ["proxy", proxy(407)], ["proxy", proxy(407, { offers: "NTLM" })]],
  ["SVC_PROXY_PASS", ["links", proxy(407)], ["links", unavailable]],
  [
    "PEM file with --caFile",
    ["tls", badCa],
    ["tls", tls("its certificate has expired")],
    ["tls", tls("it wants a certificate of the client")]
  ],
  ["down or not at this address", ["service", unavailable], ["api", unavailable], ["login", unavailable]],
  [
    "SVC_PASSWORD anew",
    ["login", refused({})],
    ["login", refused({ expired: true })],
    ["login", refused({ token: true })],
    ["login", protocol]
  ],
  ["not of a portal", ["login", protocol], ["login", refused({})], ["login", unavailable]],
  ["Stop other programs", ["api", contention], ["api", forbidden], ["api", unavailable]],
  ["let this account in", ["login", forbidden], ["links", forbidden], ["login", refused({})]],
  ["give another one with -a", ["links", forbidden], ["api", forbidden], ["links", forbiddenLink]],
  ["Check the id given with -a", ["links", notFound], ["api", notFound], ["links", forbidden]],
  [
    "may reach the link host",
    ["links", unavailable],
    ["links", badLink],
    ["links", forbiddenLink],
    ["api", unavailable]
  ],
  ["links that do not work", ["links", badLink], ["links", unavailable], ["links", notFound]],
  ["ends with /service), then tell", ["api", unavailable], ["login", unavailable], ["api", forbidden]],
  ["Run svc-doctor again later", ["login", unavailable], ["login", refused({})], ["api", unavailable]]
]

describe("the advice of the doctor", () => {
  for (const [advice, given, ...notGiven] of table) {
    it(`${advice} is given where it helps, and not in the nearest other situation`, () => {
      assert.include(adviceOn(...given) ?? "", advice)
      for (const other of notGiven) assert.notInclude(adviceOn(...other) ?? "", advice, other[1].message)
    })
  }

  it("N4 G3 is left to the sentence where that says what to do", () => {
    const missing = new Errors.CredentialsMissing({ missing: "password" })
    for (const [check, error] of [
      ["tls", tls("its certificate comes from an unknown authority")],
      ["login", refused({ expired: true })],
      ["proxy", proxy(407, { offers: "Negotiate" })],
      ["credentials", missing]
    ] as const) {
      assert.isNull(adviceOn(check, error), error.message)
    }
  })
})
