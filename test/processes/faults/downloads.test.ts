/** The common rule of docs/dev/faults.md, fault by fault: `svc-download` as a process against the sandbox. */
import { execFileSync } from "node:child_process"
import { linkSync, mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, type Ground, stoppedInMidFile } from "../../DownloadGround.ts"
import { holds, type Shown, type Trial } from "../../faults/CommonRule.ts"

const link = { plane: "link" } as const
const links = { endpoint: "getFileDownloadLinks" } as const

/** The one failed file of a report. */
const failure = ({ report }: Shown) => report?.files.find(({ error }) => error !== null)?.error?.tag

const rule = (name: string, trial: Trial, more: (shown: Shown) => void = () => {}) =>
  it.live(name, () => Effect.map(holds(trial), more))

/** The rest of the bam came, not all of it again. */
const resumed = ({ report, stats }: Shown) => {
  const bam = report?.files.find(({ fileName }) => fileName?.endsWith(".bam"))
  const bytes = Object.entries(stats.files).find(([name]) => name.endsWith(".bam"))?.[1].bytes ?? 0
  assert.isAbove(bam?.attempts ?? 0, 1)
  assert.isBelow(bytes, 2 * (bam?.bytes ?? 0))
}

describe("what a run outlasts", () => {
  rule("N5 accepted and closed", { exitCode: 0, faults: [fault({ ...link, nth: 1 }, { close: "head" })] })
  rule("N6 a reset in mid-file", { exitCode: 0, faults: [fault({ ...link, nth: 1 }, { reset: 30_000 })] }, resumed)
  rule("N7 an end in mid-file", { exitCode: 0, faults: [fault({ ...link, nth: 1 }, { close: 30_000 })] }, resumed)
  rule(
    "N10 silence in mid-file",
    { exitCode: 0, faults: [fault({ ...link, nth: 1 }, { stall: 30_000 })], options: ["--idleTimeout", "1s"] },
    resumed
  )
  rule(
    "H1 a host without ranges that breaks off once",
    { exitCode: 0, faults: [fault({ ...link, nth: 1 }, { reset: 30_000 }), fault(link, { ignoreRange: true })] },
    ({ report }) => assert.strictEqual(report?.files[0]?.resumedFrom, 0)
  )
  rule(
    "H2 another range than asked for",
    {
      exitCode: 0,
      faults: [
        fault({ ...link, nth: 1 }, { reset: 30_000 }),
        fault({ ...link, ranged: true }, { headers: { "content-range": "bytes 5-9/10" } })
      ]
    },
    // The first bytes, two answers to a range, and the whole.
    ({ report }) => assert.strictEqual(report?.files[0]?.attempts, 4)
  )
  rule("H8 no length", { exitCode: 0, faults: [fault(link, { headers: { "content-length": null } })] })
  rule("H12 H13 503 with Retry-After", {
    exitCode: 0,
    faults: [fault({ ...link, times: 1 }, { status: 503, headers: { "retry-after": "1" } })]
  })
  rule(
    "S3 the session ends before the links are there",
    { exitCode: 0, faults: [fault({ ...links, nth: 1 }, { invalidate: "redirect" })] },
    ({ stats }) => assert.strictEqual(stats.logins, 2)
  )
  rule("S11 a logout that fails", { exitCode: 0, faults: [fault({ endpoint: "logout" }, { status: 500 })] })
  rule(
    "L1 a link that has expired",
    { exitCode: 0, faults: [fault({ ...link, nth: 1 }, { expireLink: "now" })] },
    ({ report, stats }) => {
      assert.deepStrictEqual([stats.logins, stats.requests["getFileDownloadLinks"]], [1, 2])
      assert.strictEqual(report?.files[0]?.renewals, 1)
    }
  )
  rule(
    "L2 a link that expires in mid-file",
    { exitCode: 0, faults: [fault({ ...link, nth: 1 }, { reset: 30_000, expireLink: "next" })] },
    (shown) => {
      resumed(shown)
      assert.strictEqual(shown.stats.logins, 1)
    }
  )
  rule(
    "L4 link and session are gone together",
    {
      exitCode: 0,
      faults: [
        fault({ ...link, nth: 1 }, { expireLink: "now" }),
        fault({ ...links, nth: 2 }, { invalidate: "redirect" })
      ]
    },
    ({ stats }) => assert.deepStrictEqual([stats.logins, stats.requests["getFileDownloadLinks"]], [2, 3])
  )
  rule("K10 a log that cannot be written", { exitCode: 0, log: "/dev/full" })
})

describe("what a run ends with", () => {
  const ends = (
    name: string,
    code: number,
    tag: string,
    trial: Omit<Trial, "exitCode">,
    more?: (shown: Shown) => void
  ) =>
    rule(name, { exitCode: code, ...trial }, (shown) => {
      assert.strictEqual(failure(shown), tag)
      more?.(shown)
    })

  ends("H9 an encoded body", 69, "LinkProtocol", { faults: [fault(link, { gzip: "whole" })] })
  ends("H10 204 for a file", 69, "LinkProtocol", { faults: [fault(link, { status: 204 })] })
  ends("L7 H11 a redirect to a metadata address", 77, "LinkRefused", {
    faults: [fault(link, { redirect: "http://169.254.169.254/latest" })]
  })
  ends("L3 a link that stays forbidden", 77, "LinkForbidden", { faults: [fault(link, { status: 403 })] }, ({ stats }) =>
    assert.strictEqual(stats.logins, 1)
  )
  ends("D3 the head of the file is none of a BAM", 65, "FileDamaged", {
    faults: [fault({ ...link, file: "*.bam" }, { corrupt: 1 })]
  })
  ends(
    "S4 an analysis that stays forbidden",
    77,
    "Forbidden",
    { faults: [fault(links, { status: 403 })] },
    ({ stats }) => assert.isAtMost(stats.logins, 2)
  )
  ends("H17 HTML in place of the links", 69, "Unavailable", { faults: [fault(links, { html: true })] })
  ends("S12 a maintenance page in place of the login", 69, "LoginProtocol", {
    faults: [fault({ endpoint: "login" }, { status: 503, body: "<html>Back soon</html>" })]
  })
})

describe("what is in the way", () => {
  const first = (out: string) => join(out, "S1.bam")
  const remove = (out: string) => rmSync(first(out), { recursive: true, force: true })

  rule("Z2 a symbolic link at the final name, with --overwrite: what it leads to keeps its bytes", {
    exitCode: 73,
    options: ["--overwrite"],
    plant: (out) => symlinkSync(join(out, "notes.txt"), first(out)),
    clear: remove
  })
  rule("Z4 a pipe at the final name", {
    exitCode: 73,
    plant: (out) => void execFileSync("mkfifo", [first(out)]),
    clear: remove
  })
  rule("Z4 a second name of another file, with --overwrite: the other keeps its bytes", {
    exitCode: 0,
    options: ["--overwrite"],
    plant: (out) => linkSync(join(out, "notes.txt"), first(out)),
    clear: () => {}
  })
  rule("Z2 a folder at the final name", { exitCode: 73, plant: (out) => mkdirSync(first(out)), clear: remove })
})

const stoppedBy = (signal: NodeJS.Signals) => (place: Ground, args: ReadonlyArray<string>) =>
  stoppedInMidFile(place, "svc-download", args, signal)

describe("stops in mid-file", () => {
  const slow = [fault(link, { slow: 40_000 })]
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130]
  ] as const) {
    rule(`P4 ${signal}`, { exitCode: code, faults: slow, run: stoppedBy(signal) }, ({ nextBytes, next, stats }) => {
      assert.strictEqual(stats.logouts, 1)
      const bam = next.files.find(({ fileName }) => fileName?.endsWith(".bam"))
      assert.isAbove(bam?.resumedFrom ?? 0, 0)
      assert.isBelow(nextBytes, next.totals.bytes)
    })
  }
  rule("P1 kill -9", { exitCode: 137, faults: slow, run: stoppedBy("SIGKILL") })
})
