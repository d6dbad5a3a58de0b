/** The cookies of a session, where Effect's rules and those of browsers part. */
import { assert, describe, it } from "@effect/vitest"
import { type CookieJar, cookieHeader, emptyJar, takeCookie } from "./CookieJar.ts"

const now = Date.UTC(2026, 10, 28)
const service = "https://svc.example/app/login"

const taken = (lines: ReadonlyArray<string>, url = service): CookieJar =>
  lines.reduce((jar, line) => takeCookie(jar, line, url, now), emptyJar)

describe("CookieJar", () => {
  for (const [what, lines, from, to, expected] of [
    [
      "two of one name for two paths, the longer first",
      ["s=1; Path=/", "s=2; Path=/app"],
      service,
      service,
      "s=2; s=1"
    ],
    ["a domain that is the host itself", ["s=1; Domain=svc.example"], service, service, "s=1"],
    ["a domain that is an address", ["s=1; Domain=127.0.0.1"], "http://127.0.0.1:8/", "http://127.0.0.1:8/x", "s=1"],
    ["another host's", ["s=1; Domain=other.example"], service, service, null],
    ["Secure on this machine", ["s=1; Secure"], "http://localhost:8/", "http://localhost:8/x", "s=1"],
    ["Secure over http elsewhere", ["s=1; Secure"], "http://svc.example/", "http://svc.example/x", null],
    ["an age beyond all dates", ["s=1; Max-Age=99999999999999999999"], service, service, "s=1"],
    ["an age in the past", ["s=1", "s=2; Max-Age=-1"], service, service, null],
    ["an age before a date", ["s=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60"], service, service, "s=1"],
    ["the path of the login, which is not that of the rest", ["s=1"], service, "https://svc.example/api", null],
    ["as it was sent, quotes and percents too", ['s="a%20b"; Path=/'], service, service, 's="a%20b"']
  ] as const) {
    it(`S2 keeps ${what}`, () => {
      assert.strictEqual(cookieHeader(taken(lines, from), to, now), expected)
    })
  }

  it("S2 ends a cookie by the clock, and knows that there was one", () => {
    const jar = taken(["s=1; Path=/; Max-Age=60"])
    assert.deepStrictEqual(
      [59_999, 60_000].map((later) => cookieHeader(jar, service, now + later)),
      ["s=1", null]
    )
    const late = taken(["s=1; Expires=Thu, 01 Jan 2015 00:00:00 GMT"])
    assert.deepStrictEqual([late.given, emptyJar.given, taken(["nonsense"]).given], [true, false, false])
  })
})
