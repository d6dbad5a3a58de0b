import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import {
  afterForbidden,
  afterLogin,
  afterLoss,
  afterSuccess,
  judgeForbidden,
  type LoginHistory,
  loginBudget,
  loginWindow,
  mayLogIn,
  noLogins
} from "./LoginHistory.ts"

describe("LoginHistory", () => {
  it("allows three logins in ten minutes without a success, and again when the window has moved", () => {
    let history = noLogins
    for (const at of [0, 1000, 2000]) {
      assert.isTrue(mayLogIn(history, at))
      history = afterLogin(history, at)
    }
    assert.isFalse(mayLogIn(history, 3000))
    assert.isTrue(mayLogIn(afterSuccess(history, false), 3000))
    assert.isTrue(mayLogIn(history, loginWindow + 1))
  })

  it("S4 a 403 is worth a login until the session has shown that single things are forbidden", () => {
    assert.strictEqual(judgeForbidden(noLogins, 0, false), "lost")
    const refused = afterForbidden(afterLogin(noLogins, 0))
    assert.strictEqual(judgeForbidden(refused, 1, true), "doubtful")
    assert.strictEqual(judgeForbidden(refused, 1, false), "lost", "nobody knows whether that session was alive")
    const shown = afterSuccess(refused, false)
    assert.strictEqual(judgeForbidden(shown, 1, false), "doubtful")
    assert.strictEqual(judgeForbidden(afterLogin(shown, 1), loginWindow, false), "doubtful")
    assert.strictEqual(judgeForbidden(afterSuccess(shown, true), 1, false), "lost", "a login has helped since")
  })

  it("S7 the third 403 in a row is worth a login once more, within the budget", () => {
    const shown = afterForbidden(afterSuccess(afterForbidden(noLogins), false))
    assert.strictEqual(judgeForbidden(shown, 0, false), "doubtful")
    const third = afterForbidden(shown)
    assert.strictEqual(judgeForbidden(third, 0, false), "lost")
    const spent = [1, 2, 3].reduce((history, at) => afterLogin(history, at), third)
    assert.strictEqual(judgeForbidden(afterForbidden(afterForbidden(spent)), 4, false), "doubtful")
  })

  it("S7 while sessions are visibly lost a 403 proves nothing", () => {
    const history = afterLoss(afterLogin(noLogins, 0))
    assert.strictEqual(judgeForbidden(history, 1, true), "lost")
    assert.strictEqual(judgeForbidden(afterSuccess(history, false), 1, true), "doubtful")
  })

  const Step = Schema.Struct({
    wait: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: loginWindow }))),
    reply: Schema.Literals(["ok", "redirect", "forbidden", "believed"])
  })

  it.effect.prop(
    "S7 whatever the service does, no window without a success holds more than three logins",
    [Schema.Array(Step)],
    ([steps]) =>
      Effect.sync(() => {
        let history: LoginHistory = noLogins
        let now = 0
        let logins: Array<number> = []
        for (const { reply, wait } of steps) {
          now += wait
          if (reply === "ok") {
            history = afterSuccess(history, logins.length % 2 === 0)
            logins = []
            continue
          }
          if (reply === "redirect") history = afterLoss(history)
          if (reply === "believed") history = afterForbidden(history)
          const lost = reply === "redirect" || judgeForbidden(history, now, false) === "lost"
          if (!lost || !mayLogIn(history, now)) continue
          history = afterLogin(history, now)
          logins.push(now)
          assert.isAtMost(logins.filter((at) => at > now - loginWindow).length, loginBudget)
        }
      })
  )
})
