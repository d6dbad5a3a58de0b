import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import { cpuMillis } from "../test/CpuTime.ts"
import { makeScrubber } from "./Scrubber.ts"

const { scrub } = makeScrubber()

describe("secrets by name", () => {
  for (const text of [
    "https://b.example.org/k.bam?X-Amz-Date=1&X-Amz-Signature=CANARY&x=1",
    "https://b.example.org/k?X-Goog-Signature=CANARY",
    "https://b.example.org/k?sv=2024&se=2026&sig=CANARY",
    "https://b.example.org/k?Expires=1&Signature=CANARY&AWSAccessKeyId=x",
    "https://b.example.org/k?Policy=CANARY&Key-Pair-Id=x",
    "X-Amz-Security-Token=CANARY",
    "x_amz_signature=CANARY",
    "X%2DAmz%2DSignature%3DCANARY%26x",
    "https%3A%2F%2Fb%2Fk%3FX-Amz-Signature%3DCANARY",
    "_csrf=CANARY&username=u",
    "X-CSRF-TOKEN: CANARY",
    "x-amz-security-token: CANARY",
    "Cookie: SESSION=CANARY; other=1",
    "Set-Cookie: JSESSIONID=CANARY; Path=/",
    "Authorization: Basic CANARY",
    "Proxy-Authorization: Basic CANARY==",
    "http://user:CANARY@proxy:3128/x",
    "http://CANARY@proxy/",
    '{"password":"CANARY","a":1}',
    '{ "token" : "CAN ARY, CANARY" }',
    "{ token: 'CANARY' }",
    'password="two words CANARY"',
    "SVC_PASSWORD=CANARY node",
    "--password=CANARY",
    "proxyPassword=CANARY",
    "jsessionid=CANARY",
    "pwd=CANARY"
  ]) {
    it(`Z5 ${text}`, () => {
      assert.notInclude(scrub(text), "CANARY")
      assert.include(scrub(text), "***")
    })
  }

  it("leaves ordinary messages alone", () => {
    for (const text of [
      "A1/sample.bam: 3 of 4 parts, 12.3 MB/s",
      "GET https://lab.example.org/api/analyses?analysisIds=1,2: not found",
      "lab.example.org refused the login of ada: check user name and password (tried once, not repeated)",
      "No password and no terminal to ask for it: set SVC_PASSWORD or put password into a configuration file",
      "https://lab.example.org/x?design=1",
      "chr1:1-2 chrX:3-4",
      "the reply has no X-CSRF-TOKEN header"
    ]) {
      assert.strictEqual(scrub(text), text)
    }
  })

  it("keeps JSON a JSON", () => {
    assert.deepStrictEqual(JSON.parse(scrub('{"password": "x y", "n": 1}')), { password: "***", n: 1 })
  })
})

describe("secrets by value", () => {
  it("Z5 hides a protected secret in every encoding", () => {
    const secret = 'p&ä "s\\w/ %'
    const { protect, scrub } = makeScrubber()
    protect(Redacted.make(secret))
    protect(null)
    const forms = [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ a: secret }).toString().slice(2),
      JSON.stringify(secret),
      Buffer.from(secret).toString("base64")
    ]
    for (const form of forms) {
      const clean = scrub(`before ${form} after`)
      assert.notInclude(clean, form)
      assert.match(clean, /^before .*after$/)
    }
  })

  it.prop(
    "Z5 no protected text of four or more characters survives",
    [Schema.String, Schema.String],
    ([secret, around]) => {
      const { protect, scrub } = makeScrubber()
      protect(Redacted.make(secret))
      if (secret.length >= 4 && !"***".includes(secret)) {
        assert.notInclude(scrub(`${around}|${secret}|${around}`), `|${secret}|`)
      }
    }
  )
})

it("D11 a megabyte of anything is scrubbed in no time", () => {
  const taken = cpuMillis(() => {
    for (const part of [
      "a",
      "token=",
      "https://",
      "://a@",
      'token"   ',
      "sig",
      ".-%",
      "cookie : ",
      "https://x?amz",
      'pwd="'
    ]) {
      scrub(part.repeat(1_000_000 / part.length))
    }
  })
  assert.isBelow(taken, 3000)
})
