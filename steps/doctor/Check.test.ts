import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { NotFound, UsageError } from "../../core/src/Errors.ts"
import { decode } from "../../core/src/settings/Settings.ts"
import * as Check from "./Check.ts"

const { fail, ok, skippedFor, warn } = Check
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
        assert.strictEqual(Check.judgeClock(date, at + millis - earlier, at + millis + later).status, "ok")
      })
  )

  it("ahead and behind, in the unit that fits; without a date that can be read it is not compared", () => {
    for (const [theirs, off, says] of [
      [date, 302_000, "this computer is 5 min 1 s ahead of the service"],
      [date, -10_800_000, "this computer is 3 h behind the service"],
      [null, 0, "the service does not tell its time"],
      ["yesterday", 0, "the service does not tell its time"]
    ] as const) {
      assert.deepInclude(Check.judgeClock(theirs, at + off, at + off), { status: "warn", says })
    }
  })
})

describe("certificate and disk", () => {
  it("a certificate that ends soon", () => {
    const judge = (days: number) =>
      Check.judgeCertificate({ protocol: "TLSv1.3", issuer: "CA", validTo: at + days * 86_400_000 }, at)
    assert.deepInclude(judge(90), { status: "ok", says: "TLSv1.3, certificate by CA, until 2027-02-19" })
    assert.strictEqual(judge(13).status, "warn")
    assert.include(judge(1).says, "(1 day left)")
  })

  it("little space, much space, unknown space", () => {
    const judge = (free: number | null) => Check.judgeDisk("d", { free, syncs: true }).status
    const gib = 1024 ** 3
    assert.deepStrictEqual([9 * gib, 11 * gib, null].map(judge), ["warn", "ok", "ok"])
  })
})

describe("settings", () => {
  it("are shown with their source and without a secret, wherever one stands", () => {
    const { settings } = decode("doctor", {
      commandLine: { target: ["https://ada:CANARY@lab.example.org/x"], proxyPassword: ["CANARY"] },
      environment: { password: ["CANARY"], proxy: ["http://bob:CANARY@proxy.example.org:3128"] },
      file: { username: ["ada"], lockDir: ["locks"] }
    })
    const details = [
      "target = https://***@lab.example.org/x (command line)",
      "username = ada (configuration file)",
      "password = **** (SVC_PASSWORD in the environment)",
      "proxy = http://***@proxy.example.org:3128 (SVC_PROXY in the environment)",
      "proxyPassword = **** (command line)",
      "lockDir = locks (configuration file)"
    ]
    const missing = new UsageError({ message: "Missing required argument --target" })
    assert.deepInclude(Check.judgeSettings(settings, []), { status: "ok", advice: null, details })
    assert.deepInclude(Check.judgeSettings(settings, ["x is open", "y"]), {
      status: "warn",
      advice: "x is open; y",
      details
    })
    assert.deepInclude(Check.judgeSettings(settings, missing), { status: "fail", says: missing.message, details })
  })
})

describe("checks", () => {
  const refused = new UsageError({ message: "no\u001b[2J target" })
  const checks = [
    ok("settings", "fine", ["x = 1"]),
    warn("disk", "odd", "look"),
    fail("address", refused, "set it"),
    ...skippedFor("address", ["tls"])
  ]

  it("as text: aligned, with what to do, safe on a terminal", () => {
    assert.deepStrictEqual(checks.map(Check.checkText), [
      `ok      settings      fine\n${" ".repeat(22)}x = 1`,
      `warn    disk          odd\n${" ".repeat(22)}-> look`,
      `FAIL    address       no\\u001b[2J target\n${" ".repeat(22)}-> set it`,
      "skipped tls           needs address"
    ])
    assert.strictEqual(Check.summary(checks), "1 ok, 1 warn, 1 failed, 1 skipped")
  })

  it("the most severe failure is the exit code; warnings are none", () => {
    assert.strictEqual(Check.exitCodeOf(checks.slice(0, 2)), 0)
    assert.strictEqual(Check.exitCodeOf([...checks, fail("login", new NotFound({ what: "x" }), "")]), 64)
  })
})
