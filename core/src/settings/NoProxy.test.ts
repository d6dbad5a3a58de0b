import { assert, describe, it } from "@effect/vitest"
import { isDirect } from "./NoProxy.ts"

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
