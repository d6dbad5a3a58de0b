import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import { growsEvenly } from "../../../test/CpuTime.ts"
import { printable } from "./Printable.ts"
import { makeScrubber } from "./Scrubber.ts"

const { prose: scrub } = makeScrubber()

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
      "lab.example.org refused the login of ada: check user name and password (it is not sent again)",
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
  // Its Base64 has padding and both characters in which Base64url differs.
  const secret = 'p&ä "s\\w/ %\u001b~!?þÿÿ'
  const bytes = Buffer.from(secret)
  const encoded = encodeURIComponent(secret)
  const forms: Readonly<Record<string, string>> = {
    "as it is": secret,
    "a URL": encoded,
    "a URL with small digits": encoded.replace(/%../g, (found) => found.toLowerCase()),
    "a form": new URLSearchParams({ a: secret }).toString().slice(2),
    JSON: JSON.stringify(secret).slice(1, -1),
    HTML: secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll(">", "&gt;"),
    "a message of ours": printable(secret),
    Base64: bytes.toString("base64"),
    Base64url: bytes.toString("base64url")
  }

  for (const [where, form] of Object.entries(forms)) {
    it(`Z5 hides a protected secret in every encoding: ${where}`, () => {
      const { protect, prose: scrub } = makeScrubber()
      protect(Redacted.make(secret))
      protect(null)
      assert.strictEqual(scrub(`before ${form} after`), "before *** after")
    })
  }

  it("the encodings differ from each other", () => {
    assert.strictEqual(new Set(Object.values(forms)).size, Object.keys(forms).length)
    assert.match(forms["Base64"] ?? "", /\+.*\/.*=$/)
  })

  it.prop(
    "Z5 no protected text of four or more characters survives",
    [Schema.String, Schema.String],
    ([secret, around]) => {
      const { protect, prose: scrub } = makeScrubber()
      protect(Redacted.make(secret))
      if (secret.length >= 4 && !"***".includes(secret)) {
        assert.notInclude(scrub(`${around}|${secret}|${around}`), `|${secret}|`)
      }
    }
  )
})

describe("what passes by", () => {
  const passing = (...values: ReadonlyArray<string>) => {
    const scrubber = makeScrubber()
    for (const value of values) scrubber.protectPassing(value)
    return scrubber.prose
  }

  it("Z5 cookies and tokens stay known after they were replaced", () => {
    const prose = passing("cookie-of-the-first-login", "token-of-the-first-login", "cookie-of-the-second", "good")
    assert.strictEqual(prose("a cookie-of-the-first-login, xtoken-of-the-first-loginx"), "a ***, x***x")
    assert.strictEqual(prose("cookie-of-the-second is good, goods are not"), "*** is ***, goods are not")
  })

  it("Z5 a preference of one or two letters is no session", () => {
    assert.strictEqual(passing("1", "en")("1 file, en route"), "1 file, en route")
  })

  it("Z5 thousands of tokens leave the newest known, and a line is scrubbed in no time", () => {
    growsEvenly(8_000, (count) => {
      const prose = passing(...Array.from({ length: count }, (_, index) => `token-number-${index}`))
      assert.strictEqual(prose(`token-number-${count - 1} token-number-${count - 200}`), "*** ***")
      for (let line = 0; line < count / 10; line++) prose("A1/sample.bam: 3 of 4 parts, 12.3 MB/s")
    })
  })
})

describe("short passwords", () => {
  it("Z5 are hidden where they stand alone, and leave ids, names, paths and words as they are", () => {
    const { protect, prose } = makeScrubber()
    protect(Redacted.make("A1"))
    assert.strictEqual(
      prose("refused: 'A1', A1. (A1) password=A1, out/A1/A1.bam, sample-A1, BA1B, A1_2"),
      "refused: '***', ***. (***) password=***, out/A1/A1.bam, sample-A1, BA1B, A1_2"
    )
  })
})

describe("links", () => {
  it("Z5 a link that its form does not give away is known by its host, as often as there are such links", () => {
    growsEvenly(8_000, (count) => {
      const { protectLink, prose } = makeScrubber()
      for (let index = 0; index < count; index++) {
        protectLink(Redacted.make(`https://files.example.org/get/CANARY${index}/S${index}.bam`))
        protectLink(Redacted.make(`https://bucket.example.org/S${index}.bam?X-Amz-Signature=CANARY${index}`))
      }
      for (const text of [
        "https://files.example.org/get/CANARY77/S77.bam is gone",
        "https%3A%2F%2Ffiles.example.org%2Fget%2FCANARY77%2FS77.bam",
        '{"link":"https:\\/\\/files.example.org\\/get\\/CANARY77\\/S77.bam"}',
        "https://bucket.example.org/S1.bam?X-Amz-Signature=CANARY1",
        "https://other.example.org/S1.bam?key=3fCANARY9ab41c07d2e88f"
      ]) {
        assert.notInclude(prose(text), "CANARY")
        assert.include(prose(text), "***")
      }
      assert.strictEqual(prose("https://files.example.org answers 500"), "https://files.example.org answers 500")
      assert.strictEqual(prose("https://lab.example.org/api/x"), "https://lab.example.org/api/x")
    })
  })
})

describe("documents", () => {
  it("Z5 lose secrets in sentences and keep ids, names, paths, numbers, times and keys", () => {
    const { document, protect } = makeScrubber()
    for (const secret of ["A1", "S1.bam", "2026", "status", "out/"]) protect(Redacted.make(secret))
    const entry = {
      analysisId: "A1",
      fileName: "S1.bam",
      path: "out/A1/S1.bam",
      size: 2026,
      status: "status",
      estimate: "2026-11-22T10:00:00Z",
      nothing: null,
      options: { destination: "out/", list: ["A1"] }
    }
    assert.deepStrictEqual(document(entry), entry)
    assert.deepStrictEqual(
      document({
        files: [{ error: { tag: "Unavailable", message: "status 500 (A1)" } }],
        warnings: ["S1.bam"],
        estimate: "token=A1"
      }),
      { files: [{ error: { tag: "Unavailable", message: "*** 500 (***)" } }], warnings: ["***"], estimate: "token=***" }
    )
  })

  it.prop("Z5 a document without sentences passes unchanged", [Schema.Json, Schema.String], ([value, secret]) => {
    const { document, protect } = makeScrubber()
    protect(Redacted.make(secret))
    assert.deepStrictEqual(document({ data: value }), { data: value })
  })
})

it("D11 a megabyte of anything is scrubbed in no time", () => {
  growsEvenly(1_000_000, (size) => {
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
      scrub(part.repeat(size / part.length))
    }
  })
})
