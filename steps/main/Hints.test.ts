/** Each hint where it is said, and in the nearest situation where it would be wrong. */
import { assert, describe, it } from "@effect/vitest"
import { LoginRefused, Unavailable, UsageError } from "../../core/src/Errors.ts"
import { decode } from "../../core/src/settings/Settings.ts"
import { type Called, hintsFor } from "./Hints.ts"

const called = (name: "download" | "request-restore" | "verify" | "api" | "restorations"): Called => ({
  step: { name, summary: "", service: false, examples: [] },
  calledAs: `svc-${name}`
})
const settingsOf = (layer: Readonly<Record<string, ReadonlyArray<string>>>) =>
  decode("download", { commandLine: layer, environment: {}, file: {} }).settings
const proxied = { https_proxy: "http://proxy:3128" }

const settings = { target: ["https://lab.example.org"] }
const unavailable = new Unavailable({ host: "lab.example.org", reason: "it is silent", attempts: 7 })

describe("hints", () => {
  const usage = (message: string) => new UsageError({ message })

  it.each([
    ["Missing required argument --target", "download", /^Name the service with -t URL, in SVC_TARGET/, "restorations"],
    ["Unknown option --resume; did you mean x?", "download", /goes on where it was/, "verify"],
    ["Unknown option --continue", "download", /goes on where it was/, "request-restore"],
    ["Unknown option --once", "download", /^Without --wait it looks once/, "verify"]
  ] as const)("G1 %s: svc-%s has what the hint %s speaks of, svc-%s has not", (message, has, hint, lacks) => {
    const [said = "", ...see] = hintsFor(usage(message), called(has), null, {})
    assert.match(said, hint)
    assert.deepStrictEqual(see, [`See svc-${has} --help`])
    assert.deepStrictEqual(hintsFor(usage(message), called(lacks), null, {}), [`See svc-${lacks} --help`])
  })

  it.each([
    [
      "Destination directory does not exist: it's",
      "mkdir -p 'it'\\''s' creates it",
      "Destination is not a directory: x"
    ],
    ["Invalid log level: inf", "Did you mean info? Log levels are error, warn, info, debug", "Invalid log format: inf"],
    ["Invalid log level: x", "Log levels are error, warn, info, debug", "Invalid archive mode: x"],
    [
      "Unsupported file type: vcf",
      "Did you mean vcf.gz? File types are bam, bam.bai, vcf.gz, vcf.gz.tbi",
      "Missing file type: vcf"
    ],
    [
      "Invalid range: *: it means the unplaced reads: a download takes them with unmapped",
      "svc-download takes them with --unmapped",
      "Invalid range: chr1:5-1: it ends before it starts"
    ],
    ["Unsupported file type: x", "File types are bam, bam.bai, vcf.gz, vcf.gz.tbi", "Unsupported layout: x"],
    ["Unsupported file type: All", "Write bam,bam.bai,vcf.gz,vcf.gz.tbi for all of them", "Unsupported layout: all"]
  ])("G1 %s has the hint %s, and %s has none", (message, hint, nearest) => {
    const see = "See svc-download --help"
    assert.deepStrictEqual(hintsFor(usage(message), called("download"), null, {}), [hint, see])
    assert.deepStrictEqual(hintsFor(usage(nearest), called("download"), null, {}), [see])
  })

  it("of nothing that `svc-steps` itself has no setting for", () => {
    const itself = { step: null, calledAs: "svc-steps" }
    assert.deepStrictEqual(hintsFor(usage("Unknown option --once"), itself, null, {}), ["See svc-steps --help"])
  })

  it("svc-doctor, for a service that does not answer and for no clear no", () => {
    const doctor = "Run svc-doctor to find the cause"
    const refused = new LoginRefused({ user: "ada", host: "lab.example.org" })
    assert.deepStrictEqual(hintsFor(unavailable, called("download"), settingsOf(settings), {}), [doctor])
    assert.deepStrictEqual(hintsFor(refused, called("download"), settingsOf(settings), {}), [])
    // Nothing is known of a service then.
    assert.deepStrictEqual(hintsFor(unavailable, called("download"), null, {}), [])
  })

  it("G4 of a proxy variable that is not used, unless there is a proxy or the variable is not for this host", () => {
    const hint = /^https_proxy is set, but only SVC_PROXY/
    const first = (layer: object, environment: Readonly<Record<string, string>>) =>
      hintsFor(unavailable, called("download"), settingsOf({ ...settings, ...layer }), environment)[0] ?? ""
    assert.match(first({}, proxied), hint)
    assert.notMatch(first({}, {}), hint)
    assert.notMatch(first({ proxy: ["http://other:1"] }, proxied), hint)
    assert.notMatch(first({}, { ...proxied, NO_PROXY: ".example.org" }), hint)
    assert.notMatch(first({}, { http_proxy: proxied.https_proxy }), hint)
  })
})
