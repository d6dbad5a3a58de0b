import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted, Result, Schema } from "effect"
import type { Layer } from "./Settings.ts"
import { isDirect, keepAccount, resolveProxy, resolveTarget } from "./Target.ts"

const template = "https://{target}.example.org/base"
const url = (target: string | null, base: string | null = template) =>
  Result.map(resolveTarget(target, base), (found) => found.href)

describe("a token", () => {
  const gateway = { target: ["http://login:4000/service"], token: ["secret"], service: ["https://lab.example.org/"] }
  const keep = (commandLine: Layer, environment: Layer = gateway, file: Layer = {}) => {
    const { layers, warnings } = keepAccount({ commandLine, environment, file }, true)
    const { service, target, token } = { ...layers.file, ...layers.environment, ...layers.commandLine }
    return { target: target?.[0], token: token?.[0], service: service?.[0], warned: warnings.length }
  }
  const through = { target: gateway.target[0], token: "secret", service: gateway.service[0], warned: 0 }

  it.prop(
    "goes to the gateway beside which it stands, by which its service is reached however it is written, and to no other address",
    [
      Schema.Literals(["https", "HTTPS", "http"]),
      Schema.Literals(["lab", "LAB", "lab2"]),
      Schema.Literals([".example.org", ".example.org:443", ".example.org:8443", ".example.org.evil.org"]),
      Schema.Literals(["", "/", "/service"]),
      Schema.Literals(["service", "standing"]),
      Schema.Literals(["line", "environment"]),
      Schema.Literals(["environment", "file"])
    ],
    ([scheme, host, domain, path, kind, above, place]) => {
      const target = `${scheme}://${host}${domain}${path}`
      const { service, ...standing } = gateway
      const layer = kind === "service" ? { ...standing, service } : standing
      const own = kind === "service" && new URL(target).href === "https://lab.example.org/"
      const refused = { target, token: undefined, service: undefined, warned: 1 }
      const named = { target: [target] }
      const found =
        place === "environment"
          ? keep(named, layer)
          : above === "line"
            ? keep(named, {}, layer)
            : keep({}, named, layer)
      assert.deepStrictEqual(found, own ? through : refused)
    }
  )

  it("stays where nobody above names a target, or names its gateway or by a name its service", () => {
    assert.deepStrictEqual(keep({}), through)
    assert.deepStrictEqual(keep({}, {}, gateway), through)
    assert.strictEqual(keep({ target: ["http://LOGIN:4000/service/"] }).token, "secret")
    assert.deepStrictEqual(keep({ target: ["lab"], baseUrl: ["https://{target}.example.org"] }), through)
    const free = { token: ["secret"] }
    assert.strictEqual(keep({ target: ["https://other/service"] }, free).token, "secret")
    assert.strictEqual(keep({}, { target: ["https://other/service"] }, free).token, "secret")
  })

  it("that stands nearer is meant for what is named there, without the service of the other", () => {
    const other = { target: ["https://other/service"], token: ["other"] }
    const expected = { target: "https://other/service", token: "other", service: undefined, warned: 0 }
    assert.deepStrictEqual(keep(other), expected)
    assert.deepStrictEqual(keep({}, other, gateway), expected)
    const byFile = { target: ["https://other/service"], tokenFile: ["other.token"] }
    assert.deepStrictEqual(keep(byFile), { ...expected, token: undefined })
  })
})

describe("the account in a configuration file", () => {
  const address = Schema.Literals(["https://lab.example.org", "HTTPS://LAB.example.org:443/", "lab", "https://other"])
  const user: Layer = { username: ["ada"], passwordFile: ["secret"] }
  const tokens: Layer = { token: ["CANARY"], tokenFile: ["token"] }

  it.prop(
    "goes to the target that the file names, however it is written, and to another only its user, from a file that the command line names",
    [
      Schema.Struct({
        own: Schema.NullOr(address),
        inEnvironment: Schema.NullOr(address),
        onLine: Schema.NullOr(address)
      }),
      Schema.Struct({ typed: Schema.Boolean, hasUser: Schema.Boolean, takesToken: Schema.Boolean })
    ],
    ([{ inEnvironment, onLine, own }, { hasUser, takesToken, typed }]) => {
      const targetOf = (target: string | null): Layer => (target === null ? {} : { target: [target] })
      const plain = { ...targetOf(own), baseUrl: ["https://{target}.example.org"], caFile: ["ca.pem"] }
      const before = {
        commandLine: { ...targetOf(onLine), ...(typed ? { config: ["c.json"] } : {}) },
        environment: { ...targetOf(inEnvironment), ...(hasUser ? { username: ["eve"], token: ["hers"] } : {}) },
        file: { ...plain, ...user, ...tokens }
      }
      const { layers, warnings } = keepAccount(before, takesToken)
      const isLab = (target: string | null) => target !== "https://other"
      const goes = own === null || isLab(own) === isLab(onLine ?? inEnvironment ?? own)
      const kept = { ...plain, ...(typed ? user : {}), ...(takesToken ? {} : tokens) }
      assert.deepStrictEqual(layers.file, goes ? before.file : kept)
      const isSaid = !goes && !hasUser && (takesToken || !typed)
      assert.strictEqual(warnings.some((warning) => warning.includes("for https")) && !hasUser, isSaid)
      assert.notInclude(warnings.join(), "CANARY")
    }
  )

  it("is not for what another template makes of the name of its target, nor is a token of the environment", () => {
    const layer: Layer = { target: ["lab"], baseUrl: ["https://{target}.example.org"] }
    const other = { baseUrl: ["https://{target}.other.org"] }
    const file: Layer = { ...layer, password: ["CANARY"] }
    assert.isUndefined(keepAccount({ commandLine: {}, environment: other, file }, true).layers.file.password)
    const environment: Layer = { ...layer, token: ["CANARY"] }
    const { layers } = keepAccount({ commandLine: other, environment, file: {} }, true)
    assert.isUndefined(layers.environment.token)
  })
})

describe("target", () => {
  it("the address of a page in the browser is refused with the one to write", () => {
    for (const [target, write] of [
      ["https://lab.example.org/login", "https://lab.example.org"],
      ["https://lab.example.org/app/login.html", "https://lab.example.org/app"],
      ["https://lab.example.org/#/analyses/17", "https://lab.example.org"],
      ["https://lab.example.org/app/#!/x", "https://lab.example.org/app"]
    ] as const) {
      const found = resolveTarget(target, null)
      assert.deepStrictEqual(
        Result.getFailure(found),
        Option.some(`--target is the address of a page in the browser; write ${write}`)
      )
    }
    for (const target of [
      "https://login.example.org",
      "https://lab.example.org/login-service",
      "https://lab.example.org/a/loginx"
    ]) {
      assert.isTrue(Result.isSuccess(resolveTarget(target, null)), target)
    }
  })

  for (const [target, base, href] of [
    ["https://lab.example.org", null, "https://lab.example.org/"],
    ["https://lab.example.org", template, "https://lab.example.org/"],
    ["http://127.0.0.1:8080/app", null, "http://127.0.0.1:8080/app/"],
    ["HTTPS://LAB.example.org/a/b/", null, "https://lab.example.org/a/b/"],
    [" lab1 ", template, "https://lab1.example.org/base/"],
    ["lab-1.eu", "http://host/{target}", "http://host/lab-1.eu/"]
  ] as const) {
    it(`${target} with ${base} is ${href}`, () => {
      assert.deepStrictEqual(url(target, base), Result.succeed(href))
    })
  }

  it("G1 a missing target has the specified message", () => {
    for (const target of [null, "", "  "]) {
      assert.deepStrictEqual(url(target), Result.fail("Missing required argument --target"))
    }
  })

  it("a name without a template says so and what to do", () => {
    const found = url("lab1", null)
    assert.isTrue(
      Result.isFailure(found) && /^--target lab1 is a name, .*--baseUrl \(SVC_BASE_URL\)/.test(found.failure)
    )
    const unused = url("lab1", "https://example.org")
    assert.isTrue(Result.isFailure(unused) && unused.failure.startsWith("--baseUrl has no {target}"))
  })

  it("no other scheme, no credentials, no query", () => {
    for (const target of [
      "ftp://h",
      "file:///etc/passwd",
      "https://",
      "https://u:pw@h",
      "https://u:12/pw@h",
      "https://u:12?pw@h",
      "https://u:12#pw@h",
      "https://u:12#/pw@h",
      "https://h/?a=1",
      "https://h/#a"
    ]) {
      const found = url(target)
      assert.isTrue(Result.isFailure(found), target)
      assert.notInclude(JSON.stringify(found), "pw@")
    }
  })

  it.prop("a name never leads to another host than the template's", [Schema.String], ([name]) => {
    const found = resolveTarget(name, "https://{target}.example.org")
    if (Result.isFailure(found) || name.includes("://")) return
    assert.isTrue(found.success.hostname.endsWith(".example.org"), found.success.href)
    assert.strictEqual(found.success.pathname, "/")
  })

  it("a name cannot smuggle in a host, a path or a port", () => {
    for (const name of ["evil.org/", "evil.org#", "evil.org?", "a@b", "a:1", "a b", "..", "-a", "a/../b", "a%2f"]) {
      assert.isTrue(Result.isFailure(url(name)), name)
    }
  })
})

describe("proxy", () => {
  it("G4 credentials inside the URL are taken out of it", () => {
    const proxy = Result.getOrThrow(resolveProxy("http://us%40er:p%3Aw@proxy:3128", null, null))
    assert.strictEqual(proxy?.url.href, "http://proxy:3128/")
    assert.strictEqual(proxy?.username, "us@er")
    assert.strictEqual(proxy?.password === null ? null : Redacted.value(proxy?.password ?? Redacted.make("")), "p:w")
  })

  it("the options win over the URL", () => {
    const proxy = Result.getOrThrow(resolveProxy("https://a:b@proxy", "c", Redacted.make("d")))
    assert.strictEqual(proxy?.username, "c")
    assert.strictEqual(Redacted.value(proxy?.password ?? Redacted.make("")), "d")
  })

  it("a broken percent encoding is taken as it stands", () => {
    assert.strictEqual(Result.getOrThrow(resolveProxy("http://a%zz@proxy", null, null))?.username, "a%zz")
  })

  it("G4 only valid http and https URLs, and the message repeats nothing of it", () => {
    for (const proxy of ["socks5://u:pw@h", "proxy:3128", "http://", "nonsense", "http://u:pw@h:99999"]) {
      const found = resolveProxy(proxy, null, null)
      assert.isTrue(Result.isFailure(found), proxy)
      assert.notInclude(JSON.stringify(found), "pw")
    }
    assert.deepStrictEqual(resolveProxy(null, null, null), Result.succeed(null))
  })

  it("Z5 a password with a raw / ? or # makes no host of itself", () => {
    for (const proxy of [
      "http://u:12#pw@h",
      "http://u:p@ss#@h",
      "http://u:12?3@h",
      "http://u:12/3@h",
      "http://u:12\\3@h"
    ]) {
      assert.match(Result.getOrThrow(Result.flip(resolveProxy(proxy, null, null))), /^--proxy must end after the host/)
    }
    assert.isTrue(Result.isSuccess(resolveProxy("http://u:12%233@h:3128/", null, null)))
  })
})

describe("NO_PROXY", () => {
  it("G4 takes names with all below them, ports, addresses, ranges, everything", () => {
    for (const [noProxy, host, port, expected] of [
      ["", "svc.example", 443, false],
      ["*", "svc.example", 443, true],
      ["svc.example", "svc.example", 443, true],
      ["example", "svc.example", 443, true],
      [".example", "svc.example", 443, true],
      ["*.example", "SVC.example", 443, true],
      ["vc.example", "svc.example", 443, false],
      ["other.example, svc.example", "svc.example", 443, true],
      ["other.example  svc.example", "svc.example", 443, true],
      ["svc.example:8443", "svc.example", 443, false],
      ["svc.example:443", "svc.example", 443, true],
      ["127.0.0.1", "127.0.0.1", 80, true],
      ["10.0.0.0/8", "10.1.2.3", 80, true],
      ["10.0.0.0/8", "11.1.2.3", 80, false],
      ["10.0.0.0/99", "10.1.2.3", 80, false],
      ["10.0.0.0/8", "svc.example", 80, false],
      ["10.0.0.0/0", "192.0.2.1", 80, true],
      ["10.1.2.128/25", "10.1.2.127", 80, false],
      ["fd00::/8", "10.1.2.3", 80, false],
      ["fd00::/8", "[fd12::1]", 80, true],
      ["::1", "[::1]", 80, true],
      ["[::1]:80", "[::1]", 80, true],
      ["[::1]:81", "[::1]", 80, false]
    ] as const) {
      assert.strictEqual(isDirect(noProxy, host, port), expected, `${noProxy} ${host}:${port}`)
    }
  })
})
