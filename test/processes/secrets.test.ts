/** Secrets that a service repeats, looked for in everything that the executables write. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "../Executables.ts"
import { fits } from "../Schemas.ts"
import { echoingService } from "../servers/EchoingService.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { runWarm } from "../WarmExecutables.ts"
import { words } from "../Words.ts"

const password = 'pässword% &"<CANARY> 1'

const folder = temporaryFolder("svc-secrets-")

/** The forms in which a person or a program could read a secret. */
const formsOf = (secret: string) => {
  const encoded = encodeURIComponent(secret)
  return [
    secret,
    encoded,
    encoded.replaceAll("%20", "+"),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    Buffer.from(secret).toString("base64")
  ]
}

const found = (secrets: ReadonlyArray<string>, written: Readonly<Record<string, string>>) =>
  Object.entries(written).flatMap(([place, text]) =>
    secrets
      .filter((secret) => secret.length > 3)
      .flatMap(formsOf)
      .filter((form) => text.includes(form))
      .map((form) => `${place}: ${form}`)
  )

const world = Effect.fnUntraced(function* (start: typeof run) {
  const service = yield* echoingService()
  const at = yield* folder
  const written: Record<string, string> = {}
  /** Runs an executable in the folder and keeps what it wrote. */
  const keep = (name: string, step: string, args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
    Effect.map(
      start(step, args, {
        cwd: at,
        env: { SVC_TARGET: service.url, SVC_USER: "ada", SVC_PASSWORD: password, SVC_LOCK_DIR: at, ...env }
      }),
      (outcome) => {
        Object.assign(written, { [`${name} stdout`]: outcome.stdout, [`${name} stderr`]: outcome.stderr })
        for (const file of readdirSync(at).filter((file) => !/\.(?:lock|refused|wait)$/.test(file)))
          written[`${name} ${file}`] = readFileSync(join(at, file), "utf8")
        return outcome
      }
    )
  return { service, at, written, keep }
})

const ids = "A1,bad,no,gone,forbidden,other"
const files = ["-f", "bam,vcf.gz,vcf.gz.tbi", "--loglevel", "debug", "--logfile", "run.log"]

describe("Z5 secrets that the service repeats are nowhere", () => {
  // Once in processes of their own.
  for (const [format, start] of [
    ["text", run],
    ["json", runWarm]
  ] as const) {
    it.live(`a download: report, page, MultiQC, log as ${format}, restoration file`, () =>
      Effect.gen(function* () {
        const { at, keep, service, written } = yield* world(start)
        for (const report of ["report.json", "report.html", "report_mqc.json"]) {
          const args = words`-a ${ids} ${files} --restoreArchived force --reportfile ${report} --logFormat ${format}`
          assert.strictEqual((yield* keep(report, "svc-download", args)).exitCode, 77)
        }
        assert.isTrue(existsSync(join(at, "awaiting-restoration.json")))
        const [entry] = JSON.parse(written["report.json awaiting-restoration.json"] ?? "")
        assert.deepInclude(entry, { analysisId: "A1", fileName: "S1.bam" })
        assert.include(entry.restoreEstimation, "***")
        assert.match(written["report.json stderr"] ?? "", /bad.*\*\*\*/)
        assert.include(written["report.json report.json"] ?? "", "***")
        yield* keep("resume", "svc-resume-restore", ["--list", "--format", format, "--loglevel", "debug"])
        yield* keep("restorations", "svc-steps", ["restorations", "list", "--format", format])
        assert.deepStrictEqual(found(service.secrets(), written), [])
      }).pipe(Effect.scoped)
    )

    it.live(`--list and --plan as ${format}, the doctor, other steps, a refused login`, () =>
      Effect.gen(function* () {
        const { keep, service, written } = yield* world(start)
        for (const what of ["--list", "--plan"]) {
          yield* keep(what, "svc-download", ["-a", ids, ...files, what, "--format", format])
          assert.include(written[`${what} stdout`] ?? "", "S1.vcf.gz")
        }
        yield* keep("lost", "svc-download", ["-a", "redirect", ...files])
        yield* keep("doctor", "svc-doctor", ["--format", format])
        yield* keep("annotations", "svc-fetch-annotations", ["bad", "--logFormat", format])
        yield* keep("api", "svc-api", ["get-file-download-links", "bad", "--logFormat", format])
        yield* keep("refused", "svc-download", ["-a", "A1"], { SVC_PASSWORD: `wrong ${password}` })
        assert.match(written["refused stderr"] ?? "", /refused the login of ada/)
        assert.deepStrictEqual(found(service.secrets(), written), [])
      }).pipe(Effect.scoped)
    )
  }

  it.live("a password that is an id or a name takes nothing away from documents", () =>
    Effect.gen(function* () {
      for (const secret of ["A1", "S1.bam"]) {
        const { keep, written } = yield* world(runWarm)
        const args = ["-a", "A1", ...files, "--restoreArchived", "force", "--reportfile", "report.json"]
        yield* keep("run", "svc-download", args, { SVC_PASSWORD: secret })
        const [entry] = JSON.parse(written["run awaiting-restoration.json"] ?? "")
        assert.deepInclude(entry, { analysisId: "A1", fileName: "S1.bam" })
        const report = fits("report", JSON.parse(written["run report.json"] ?? ""))
        assert.includeDeepMembers(
          report.files.map((file: { analysisId: string; fileName: string }) => [file.analysisId, file.fileName]),
          [["A1", "S1.bam"]]
        )
        const listed = yield* keep("list", "svc-download", ["-a", "A1", "--list"], { SVC_PASSWORD: secret })
        assert.match(listed.stdout, /^Analysis ID: A1\n.*S1\.bam/s)
      }
    }).pipe(Effect.scoped)
  )
})
