import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { type Reach, reachOf, reachOfName } from "../text/HostReach.ts"
import { type LinkPolicy, mayReach, mayReachName, parseLink, redirectTarget } from "./LinkHost.ts"

const cloud: LinkPolicy = { insecure: false, reach: "public" }
const laptop: LinkPolicy = { insecure: true, reach: "loopback" }

const reasonOf = (link: string, policy = cloud) =>
  Result.match(parseLink(link, policy), { onFailure: (reason) => reason, onSuccess: () => "followed" })

describe("LinkAddress", () => {
  const refused: ReadonlyArray<readonly [string, RegExp]> = [
    ["http://files.example/a", /http, which is not encrypted/],
    ["file:///etc/passwd", /scheme is file/],
    ["ftp://files.example/a", /scheme is ftp/],
    ["javascript:alert(1)", /not an absolute web address/],
    ["//files.example/a", /not an absolute web address/],
    ["", /not an absolute web address/],
    ["https://127.0.0.1/a", /127.0.0.1 is a loopback address/],
    ["https://169.254.169.254/latest/meta-data", /reserved address/],
    ["https://10.0.0.1/a", /private address/],
    ["https://100.64.1.1/a", /private address/],
    ["https://[::1]/a", /loopback address/],
    ["https://[::ffff:127.0.0.1]/a", /loopback address/],
    ["https://[::ffff:a00:1]/a", /private address/],
    ["https://[64:ff9b::7f00:1]/a", /loopback address/],
    ["https://[2002:7f00:1::]/a", /loopback address/],
    ["https://[fe80::1]/a", /reserved address/],
    ["https://[fd00::1]/a", /private address/],
    ["https://[::]/a", /reserved address/],
    ["https://0.0.0.0/a", /reserved address/],
    ["https://2130706433/a", /number in disguise/],
    ["https://0x7f.1/a", /number in disguise/],
    ["https://0177.0.0.1/a", /number in disguise/],
    ["https://127.1/a", /number in disguise/],
    ["https://files.example@127.0.0.1/a", /names a user/],
    ["https://user:password@files.example/a", /names a user/],
    ["https://files.example/a\r\nCookie: x", /control character/],
    ["https://files.example:99999/a", /host cannot be read/],
    ["https:///a", /host cannot be read/]
  ]
  for (const [link, reason] of refused) {
    it(`L7 ${JSON.stringify(link)} is not followed`, () => {
      assert.match(reasonOf(link), reason)
    })
  }

  it("L7 the reason holds nothing of the link but its host", () => {
    for (const [link] of refused)
      assert.notMatch(reasonOf(`${link}?X-Amz-Signature=canary`), /canary|Signature|passwd|meta-data/)
  })

  it("L7 a target on this machine or in a private network permits links to the same, and no reserved address ever", () => {
    assert.strictEqual(reasonOf("http://127.0.0.1:8080/a", laptop), "followed")
    assert.strictEqual(reasonOf("http://[::1]:8080/a", laptop), "followed")
    assert.strictEqual(reasonOf("http://10.1.2.3/a", laptop), "followed")
    assert.strictEqual(reasonOf("https://10.1.2.3/a", { insecure: false, reach: "private" }), "followed")
    assert.match(reasonOf("https://127.0.0.1/a", { insecure: false, reach: "private" }), /loopback/)
    for (const reach of ["public", "private", "loopback"] as const) {
      assert.match(reasonOf("https://169.254.169.254/a", { insecure: true, reach }), /reserved/)
    }
  })

  it("L7 names of this machine and of private networks are known as such, in any spelling", () => {
    const table: ReadonlyArray<readonly [Reach, ReadonlyArray<string>]> = [
      ["loopback", ["localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain", "ip6-localhost"]],
      ["special", ["metadata.google.internal", "Metadata.Google.Internal.", "metadata", "instance-data"]],
      ["private", ["minio", "minio.", "db.internal", "nas.local", "a.b.lan", "x.home.arpa", "s3.default.svc"]],
      ["public", ["files.example", "s3.eu-central-1.amazonaws.com", "local.example", "internal.example.org", "1.1.1.1"]]
    ]
    for (const [reach, names] of table) for (const name of names) assert.strictEqual(reachOfName(name), reach, name)
  })

  it("L7 through a proxy a private name is followed only for a target that is one too", () => {
    const home: LinkPolicy = { insecure: false, reach: "public", name: "private" }
    for (const [name, byCloud, byHome, byLaptop] of [
      ["files.example", true, true, true],
      ["minio.internal", false, true, true],
      ["minio", false, true, true],
      ["localhost", false, false, true],
      ["metadata.google.internal", false, false, false]
    ] as const) {
      const may = [cloud, home, laptop].map((policy) => mayReachName(name, policy))
      assert.deepStrictEqual(may, [byCloud, byHome, byLaptop], name)
    }
  })

  it("knows the reach of addresses as resolvers write them", () => {
    const table: ReadonlyArray<readonly [string, Reach]> = [
      ["1.1.1.1", "public"],
      ["172.15.0.1", "public"],
      ["172.16.0.1", "private"],
      ["172.32.0.1", "public"],
      ["192.168.0.1", "private"],
      ["198.18.0.1", "special"],
      ["198.19.255.255", "special"],
      ["198.20.0.1", "public"],
      ["198.51.100.7", "special"],
      ["198.51.101.7", "public"],
      ["203.0.113.7", "special"],
      ["203.0.114.7", "public"],
      ["192.0.2.7", "special"],
      ["192.0.3.7", "public"],
      ["300.1.1.1", "special"],
      ["::ffff:203.0.113.7", "special"],
      ["224.0.0.1", "special"],
      ["255.255.255.255", "special"],
      ["2606:4700::1111", "public"],
      ["fe80::1%eth0", "special"],
      ["fc00::", "private"],
      ["ff02::1", "special"],
      ["2001:db8::1", "special"],
      ["::127.0.0.1", "loopback"],
      ["not an address", "special"],
      ["1:2:3", "special"],
      ["1::2::3", "special"]
    ]
    for (const [address, reach] of table) assert.strictEqual(reachOf(address), reach, address)
  })

  it.prop(
    "every IPv4 address has the same reach inside IPv6",
    [Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 })))],
    ([n]) => {
      const bytes = [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]
      const hex = `${((n >>> 16) & 0xffff).toString(16)}:${(n & 0xffff).toString(16)}`
      return (
        reachOf(bytes.join(".")) === reachOf(`::ffff:${hex}`) &&
        reachOf(bytes.join(".")) === reachOf(`::ffff:${bytes.join(".")}`)
      )
    }
  )

  it.prop("any text as a link gets a verdict, never an exception", [Schema.String], ([text]) => {
    reasonOf(text)
    reasonOf(`https://${text}`)
    return mayReach(reachOf(text), cloud) || true
  })

  it("L8 path and query keep their bytes", () => {
    const paths = [
      "/a%2Fb+c?X-Amz-Signature=a%2fB%3D&x=%C3%BC",
      "/a//b/../c?x=1?y=2&empty=",
      "/~a!$&'()*;=:@[]|{}?q=\"<>^`",
      `/a?long=${"x".repeat(16 * 1024)}`
    ]
    for (const path of paths) {
      const parsed = parseLink(`https://files.example${path}`, cloud)
      assert.strictEqual(Result.getOrThrow(parsed).path, path)
    }
  })

  it("L8 only what cannot stand in a request line is encoded, and the fragment stays here", () => {
    const parsed = parseLink("https://files.example/a b/ü%20?q=é+1#part", cloud)
    assert.strictEqual(Result.getOrThrow(parsed).path, "/a%20b/%C3%BC%20?q=%C3%A9+1")
    assert.strictEqual(Result.getOrThrow(parseLink("https://files.example?q", cloud)).path, "/?q")
  })

  it("names host, port and authority", () => {
    const { host, port, authority } = Result.getOrThrow(parseLink("http://[::1]:81/a", laptop))
    assert.deepStrictEqual([host, port, authority], ["::1", 81, "[::1]:81"])
    const plain = Result.getOrThrow(parseLink("https://Files.Example/a", cloud))
    assert.deepStrictEqual([plain.host, plain.port, plain.authority], ["files.example", 443, "files.example"])
  })

  it("H11 a redirect is resolved against the link, absolute ones byte for byte", () => {
    assert.strictEqual(redirectTarget("https://a.example/x/y?sig=1", "z?sig=2"), "https://a.example/x/z?sig=2")
    assert.strictEqual(redirectTarget("https://a.example/x", "//b.example/y"), "https://b.example/y")
    assert.strictEqual(redirectTarget("https://a.example/x", "https://b.example/%2f+"), "https://b.example/%2f+")
  })
})
