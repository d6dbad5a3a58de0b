import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { beginsLikeMarkup, errorDetail, isUndecided, recognise, recogniseLogin } from "./Recognition.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

describe("Recognition", () => {
  it("judges status before body, and the body by its first character", () => {
    for (const [status, body, expected] of [
      [200, '{"a":1}', "ok"],
      [200, " \r\n\t[1]", "ok"],
      [200, "", "ok"],
      [204, "", "ok"],
      [400, '{"success":false}', "ok"],
      [404, "<html>nothing here</html>", "ok"],
      [200, "<!DOCTYPE html>", "html"],
      [200, "\uFEFF\n  <html>", "html"],
      [200, "\uFEFF{}", "ok"],
      [302, "<html>", "redirected"],
      [307, "", "redirected"],
      [403, '{"a":1}', "forbidden"],
      [401, "", "forbidden"],
      [503, "<html>", "transient"],
      [500, "{}", "transient"],
      [501, "{}", "ok"]
    ] as const) {
      assert.strictEqual(recognise({ status, start: bytes(body) }), expected, `${status} ${body}`)
    }
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
