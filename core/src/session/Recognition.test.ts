import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { beginsLikeMarkup } from "../text/Markup.ts"
import { errorDetail, isUndecided, pageReason, recognise, recogniseLogin, whyNotJson } from "./Recognition.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

describe("Recognition", () => {
  it("judges status before body, and the body by its first character", () => {
    for (const [status, body, any, json] of [
      [200, '{"a":1}', "answer", "answer"],
      [200, " \r\n\t[1]", "answer", "answer"],
      [200, "", "answer", "broken"],
      [204, "", "answer", "broken"],
      [200, "Bad gateway of the hospital", "answer", "broken"],
      [200, "null", "answer", "answer"],
      [400, '{"success":false}', "answer", "answer"],
      [404, "<html>nothing here</html>", "answer", "answer"],
      [200, "<!DOCTYPE html>", "lost", "lost"],
      [200, "\uFEFF\n  <html>", "lost", "lost"],
      [200, "\uFEFF{}", "answer", "answer"],
      [200, "This session has been expired (possibly due to multiple concurrent logins)", "lost", "lost"],
      [200, "This session", "answer", "broken"],
      [404, "This session has been expired", "answer", "answer"],
      [302, "<html>", "lost", "lost"],
      [307, "", "lost", "lost"],
      [403, '{"a":1}', "forbidden", "forbidden"],
      [401, "", "forbidden", "forbidden"],
      [503, "<html>", "transient", "transient"],
      [500, "{}", "transient", "transient"],
      [522, "<html>", "transient", "transient"],
      [599, "", "transient", "transient"],
      [501, "{}", "answer", "answer"],
      [505, "", "answer", "answer"]
    ] as const) {
      const reply = { status, start: bytes(body) }
      assert.strictEqual(recognise(reply), any, `${status} ${body}`)
      assert.strictEqual(recognise(reply, { json: true, htmlAgain: false }), json, `${status} ${body}, JSON`)
    }
    const page = { status: 200, start: bytes("<html>") }
    for (const json of [true, false]) assert.strictEqual(recognise(page, { json, htmlAgain: true }), "page")
  })

  it("H17 a page is named by its title, of which nothing reaches a terminal but letters", () => {
    const end = ": maintenance, or a firewall"
    for (const [page, title] of [
      ["<html><head><TITLE lang=de>\n Wartung\t bis 6 Uhr </TITLE>", " (Wartung bis 6 Uhr)"],
      ["<title>\u001b[31mdown</title>", " (\\u001b[31mdown)"],
      ["<html>down", ""],
      ["<title></title>", ""],
      [`<title>${"x".repeat(500)}</title>`, ` (${"x".repeat(100)})`]
    ] as const) {
      assert.strictEqual(pageReason(page), `it shows a page in place of data${title}${end}`)
    }
  })

  it("H19 why a text is no JSON is said without a word of it", () => {
    for (const [text, reason] of [
      [" \n", "its body is empty"],
      ['[{"secret":1', "not JSON: it breaks off after 12 characters"],
      ['{"a":secret}', "not JSON"]
    ] as const) {
      assert.strictEqual(whyNotJson(text), reason)
    }
    assert.isNull(whyNotJson(' {"a":[1]} '))
  })

  it("Spring's words are waited for, other text is not", () => {
    const words = "This session has been expired"
    for (let length = 1; length < words.length; length++) assert.isTrue(isUndecided(bytes(words.slice(0, length))))
    assert.isFalse(isUndecided(bytes(words)))
    assert.isFalse(isUndecided(bytes("This is")))
  })

  it.effect.prop("H17 JSON is never taken for markup, whatever it holds", [Schema.Json], ([json]) =>
    Effect.sync(() => assert.isFalse(beginsLikeMarkup(bytes(JSON.stringify(json)))))
  )

  it.effect.prop(
    "H18 any bytes are judged, and more bytes do not change a judgement that is made",
    [Schema.Array(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 255 }))))],
    ([values]) =>
      Effect.sync(() => {
        const start = Uint8Array.from(values)
        const whole = beginsLikeMarkup(start)
        for (let length = 0; length <= start.length; length++) {
          const part = start.subarray(0, length)
          if (!isUndecided(part)) assert.strictEqual(beginsLikeMarkup(part), whole)
        }
      })
  )

  const login = (status: number, text = "", location?: string, hasToken = false) =>
    recogniseLogin({ status, hasToken, location, text }).verdict

  it("S1 S12 the rule for login replies", () => {
    assert.strictEqual(login(200, "<html>", undefined, true), "loggedIn")
    assert.strictEqual(login(302, "", "/", true), "loggedIn")
    assert.strictEqual(login(200, ""), "refused")
    assert.strictEqual(login(200, "{}"), "refused")
    assert.strictEqual(
      login(200, "<html><form><input type='password'> Back soon: try again later</form></html>"),
      "refused"
    )
    assert.strictEqual(login(401, "", undefined, true), "refused")
    assert.strictEqual(login(302, "", "https://svc.example/login?error"), "refused")
    assert.strictEqual(login(302, "", "/"), "sessionLost")
    for (const page of ["/account/change-password", "/login?expired=password", "/passwordExpired.html", "/pwd/reset"]) {
      assert.strictEqual(login(302, "", `https://svc.example${page}`), "passwordExpired", page)
    }
    for (const page of ["/password", "/login?error=password-reset", "/changes", "/session-expired"]) {
      assert.notStrictEqual(login(302, "", `https://svc.example${page}`), "passwordExpired", page)
    }
    assert.strictEqual(login(302, "", "/terrors"), "sessionLost")
    assert.strictEqual(login(403), "sessionLost")
    assert.strictEqual(login(200, "<html><h1>Scheduled maintenance</h1></html>"), "protocol")
    assert.strictEqual(login(200, '{"message":"maintenance"}'), "refused")
    for (const status of [404, 405, 429, 500, 502, 503])
      assert.strictEqual(login(status, "", undefined, status > 499), "protocol")
  })

  it("H20 error fields are told when they are text, and never crash the message", () => {
    assert.strictEqual(
      errorDetail({ errorMessageId: "a.b", errorId: "E1", additionalInformation: "more" }),
      "a.b; more; E1"
    )
    for (const body of [null, 1, "x", [], {}, { errorMessageId: 7, errorId: null }])
      assert.strictEqual(errorDetail(body), "")
  })
})
