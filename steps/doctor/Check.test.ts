import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { NotFound, UsageError } from "../../core/src/Errors.ts"
import { decode } from "../../core/src/settings/Settings.ts"
import {
  checkText,
  exitCodeOf,
  fail,
  judgeCertificate,
  judgeClock,
  judgeFolder,
  ok,
  serviceNames,
  settingLines,
  skipped,
  skippedAfter,
  summary,
  warn
} from "./Check.ts"

const at = Date.UTC(2026, 10, 21, 12)
const date = new Date(at).toUTCString()

describe("clock", () => {
  it.effect.prop(
    "the true time of a reply is never called wrong, however long the request took",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 15_000 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 15_000 }))
    ],
    ([millis, earlier, later]) =>
      Effect.sync(() => {
        assert.strictEqual(judgeClock(date, at + millis - earlier, at + millis + later).status, "ok")
      })
  )

  it("ahead and behind, in the unit that fits", () => {
    const ahead = judgeClock(date, at + 301_000, at + 302_000)
    assert.strictEqual(ahead.status, "warn")
    assert.match(ahead.says, /5 min ahead of the service/)
    assert.match(judgeClock(date, at - 10_801_000, at - 10_800_000).says, /3 h behind/)
    assert.match(judgeClock(date, at + 90 * 86_400_000, at + 90 * 86_400_000).says, /90 days ahead/)
  })

  it("no date, or none that can be read, is not compared", () => {
    for (const none of [null, "yesterday"]) assert.match(judgeClock(none, at, at).says, /does not tell its time/)
  })
})

describe("certificate, space, program, configuration", () => {
  it("a certificate that ends soon", () => {
    const with_ = (days: number) => judgeCertificate({ issuer: "CA", validTo: at + days * 86_400_000 }, "TLSv1.3", at)
    assert.deepInclude(with_(90), { status: "ok", says: "TLSv1.3, certificate by CA, until 2027-02-19" })
    assert.strictEqual(with_(13).status, "warn")
    assert.include(with_(1).says, "(1 day left)")
  })

  it("little space, much space, unknown space", () => {
    const judge = (free: number | null) => judgeFolder("d", { free, syncs: true }).status
    assert.strictEqual(judge(9 * 1024 ** 3), "warn")
    assert.strictEqual(judge(11 * 1024 ** 3), "ok")
    assert.strictEqual(judge(null), "ok")
  })
})

describe("settings", () => {
  it("are shown with their source and without a secret, wherever one stands", () => {
    const { settings } = decode("doctor", {
      commandLine: { target: ["https://ada:CANARY@lab.example.org/x"], proxyPassword: ["CANARY"] },
      environment: { password: ["CANARY"], proxy: ["http://bob:CANARY@proxy.example.org:3128"] },
      file: { username: ["ada"], lockDir: ["locks"] }
    })
    assert.deepStrictEqual(settingLines("doctor", settings), [
      "target = https://***@lab.example.org/x (command line)",
      "username = ada (configuration file)",
      "password = **** (SVC_PASSWORD in the environment)",
      "proxy = http://***@proxy.example.org:3128 (SVC_PROXY in the environment)",
      "proxyPassword = **** (command line)",
      "lockDir = locks (configuration file)"
    ])
    assert.isTrue(Redacted.isRedacted(settings.password))
  })
})

describe("checks", () => {
  const refused = new UsageError({ message: "no\u001b[2J target" })
  const checks = [
    ok("node", "fine", ["x = 1"]),
    warn("config", "odd", "look"),
    fail("target", refused, "set it"),
    skipped("dns", "needs target")
  ]

  it("as text: aligned, with what to do, safe on a terminal", () => {
    assert.deepStrictEqual(checks.map(checkText), [
      `ok      node          fine\n${" ".repeat(22)}x = 1`,
      `warn    config        odd\n${" ".repeat(22)}-> look`,
      `FAIL    target        no\\u001b[2J target\n${" ".repeat(22)}-> set it`,
      "skipped dns           needs target"
    ])
    assert.strictEqual(summary(checks), "1 ok, 1 warn, 1 failed, 1 skipped")
  })

  it("those after a check that failed say what they need", () => {
    assert.deepStrictEqual(skippedAfter(serviceNames, "api"), [
      skipped("links", "needs api"),
      skipped("logout", "needs api")
    ])
    assert.deepStrictEqual(skippedAfter(serviceNames, "logout"), [])
  })

  it("the most severe failure is the exit code; warnings are none", () => {
    assert.strictEqual(exitCodeOf(checks.slice(0, 2)), 0)
    assert.strictEqual(exitCodeOf([...checks, fail("api", new NotFound({ what: "x" }), "")]), 64)
  })
})
