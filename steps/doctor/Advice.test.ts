/** Each advice of the doctor where it is given, and in the nearest situation where it would be wrong. */
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "../../core/src/Errors.ts"
import { adviceOn } from "./Advice.ts"

const host = "lab"
const refused = (more: object) => new Errors.LoginRefused({ user: "ada", host, ...more })
const proxy = (status: number, more: object = {}) => new Errors.ProxyRefused({ proxy: "p:1", status, ...more })
const tls = (reason: string) => new Errors.TlsRefused({ host, reason })
const unavailable = new Errors.Unavailable({ host, reason: "it is silent", attempts: 1 })
const protocol = new Errors.LoginProtocol({ host, reason: "no cookie" })
const forbidden = (more: object = {}) => new Errors.Forbidden({ what: "it", ...more })
const contention = new Errors.SessionContention({ host, logins: 3 })
const badCa = new Errors.ConfigUnusable({ path: "ca.pem", reason: "holds no certificate" })

type Situation = Parameters<typeof adviceOn>

const table: ReadonlyArray<readonly [advice: string, given: Situation, ...notGiven: ReadonlyArray<Situation>]> = [
  ["spelling of --target", ["name", unavailable], ["proxy", unavailable], ["connection", unavailable]],
  ["whether a proxy is needed", ["connection", unavailable], ["proxy", unavailable], ["address", unavailable]],
  ["address of the proxy", ["proxy", unavailable], ["connection", unavailable], ["name", unavailable]],
  ["SVC_PROXY_PASS", ["proxy", proxy(407)], ["proxy", proxy(407, { offers: "NTLM" })], ["proxy", proxy(403)]],
  ["lets this computer reach", ["proxy", proxy(403)], ["proxy", proxy(407)], ["proxy", proxy(407, { offers: "NTLM" })]],
  ["PEM file with --caFile", ["tls", badCa], ["tls", tls("its certificate has expired")]],
  ["down or not at this address", ["address", unavailable], ["gateway", unavailable], ["login", unavailable]],
  [
    "SVC_PASSWORD anew",
    ["login", refused({})],
    ["login", refused({ expired: true })],
    ["gateway", refused({ token: true })],
    ["login", protocol]
  ],
  ["not of a portal", ["login", protocol], ["login", refused({})], ["login", unavailable]],
  ["Stop other programs", ["login", contention], ["login", forbidden()], ["login", unavailable]],
  ["let this account in", ["login", forbidden()], ["gateway", forbidden({ token: true })], ["login", refused({})]],
  ["ends with /service), then tell", ["gateway", unavailable], ["login", unavailable]],
  ["Run svc-doctor again later", ["login", unavailable], ["login", refused({})], ["gateway", unavailable]]
]

describe("the advice of the doctor", () => {
  for (const [advice, given, ...notGiven] of table) {
    it(`${advice} is given where it helps, and not in the nearest other situation`, () => {
      assert.include(adviceOn(...given) ?? "", advice)
      for (const other of notGiven) assert.notInclude(adviceOn(...other) ?? "", advice, other[1].message)
    })
  }

  it("N4 is left to the sentence where that says what to do", () => {
    for (const [stage, error] of [
      ["tls", tls("its certificate comes from an unknown authority")],
      ["login", refused({ expired: true })],
      ["proxy", proxy(407, { offers: "Negotiate" })]
    ] as const) {
      assert.isNull(adviceOn(stage, error), error.message)
    }
  })
})
