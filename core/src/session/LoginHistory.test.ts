import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import {
  afterLogin,
  afterLoss,
  afterSuccess,
  beliefWindow,
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
      history = afterLogin(history, at, "lost")
    }
    assert.isFalse(mayLogIn(history, 3000))
    assert.isTrue(mayLogIn(afterSuccess(history), 3000))
    assert.isTrue(mayLogIn(history, loginWindow + 1))
  })

  it("S4 a second 403, and one soon after a login that a 403 caused, are believed", () => {
    assert.strictEqual(judgeForbidden(noLogins, 0, false), "lost")
    assert.strictEqual(judgeForbidden(noLogins, 0, true), "forbidden")
    const history = afterSuccess(afterLogin(noLogins, 0, "forbidden"))
    assert.strictEqual(judgeForbidden(history, beliefWindow - 1, false), "forbidden")
    assert.strictEqual(judgeForbidden(history, beliefWindow, false), "lost")
    assert.strictEqual(judgeForbidden(afterSuccess(afterLogin(noLogins, 0, "lost")), 1, false), "lost")
  })

  it("S7 while sessions are visibly lost a 403 proves nothing", () => {
    const history = afterLoss(afterLogin(noLogins, 0, "forbidden"))
    assert.strictEqual(judgeForbidden(history, 1, true), "lost")
    assert.strictEqual(judgeForbidden(afterSuccess(history), 1, true), "forbidden")
  })

  const Step = Schema.Struct({
    wait: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: loginWindow }))),
    reply: Schema.Literals(["ok", "redirect", "forbidden"])
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
            history = afterSuccess(history)
            logins = []
            continue
          }
          if (reply === "redirect") history = afterLoss(history)
          const lost = reply === "redirect" || judgeForbidden(history, now, false) === "lost"
          if (!lost || !mayLogIn(history, now)) continue
          history = afterLogin(history, now, reply === "redirect" ? "lost" : "forbidden")
          logins.push(now)
          assert.isAtMost(logins.filter((at) => at > now - loginWindow).length, loginBudget)
        }
      })
  )
})
