/** What the executables tell a collector: spans in one tree, counters, and no secret. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, ground } from "../DownloadGround.ts"
import { run } from "../Executables.ts"
import { collector } from "../servers/Collector.ts"
import { echoingService } from "../servers/EchoingService.ts"

const json = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" })

describe("a collector of OpenTelemetry", () => {
  it.live("gets one tree of spans with attributes, and the counters, of a download", () =>
    Effect.gen(function* () {
      const world = yield* ground()
      const seen = yield* collector()
      const outcome = yield* run("svc-download", ["-a", "A1", "-f", "bam,bam.bai"], {
        cwd: world.folder,
        env: { ...world.env, ...json(seen.url) }
      })
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      const spans = seen.spans()
      const root = spans.filter(({ parent }) => parent === "")
      assert.deepStrictEqual(
        root.map(({ attributes, name }) => [name, attributes["svc.exit"]]),
        [["svc.step.download", 0]]
      )
      const known = new Set(spans.map(({ id }) => id))
      assert.deepStrictEqual(
        spans.filter(({ parent }) => parent !== "" && !known.has(parent)),
        []
      )
      assert.strictEqual(new Set(spans.map(({ trace }) => trace)).size, 1)
      for (const { name } of spans) assert.match(name, /^svc\.[a-z-]+\.[A-Za-z-]+$/)
      const parentOf = (name: string) => {
        const span = spans.find((span) => span.name === name)
        return spans.find(({ id }) => id === span?.parent)?.name
      }
      assert.strictEqual(parentOf("svc.session.login"), "svc.step.download")
      assert.strictEqual(parentOf("svc.session.logout"), "svc.step.download")
      const file = spans.find(({ name }) => name === "svc.transfer.download")
      assert.deepInclude(file?.attributes, { "svc.analysis": "A1", "svc.attempts": 1 })
      assert.match(String(file?.attributes["svc.file"]), /\.bam/)
      assert.isAbove(Number(file?.attributes["svc.bytes"]), 0)
      const links = spans.find((span) => String(span.attributes["url.template"]).includes("get-file-download-links"))
      assert.deepInclude(links?.attributes, {
        "url.template": "/api/analysis/:analysisId/get-file-download-links",
        "http.request.method": "GET",
        "http.response.status_code": 200
      })
      const counters = seen.counters()
      assert.strictEqual(counters["svc.logins"], 1)
      assert.strictEqual(counters["svc.requests link"], 2)
      assert.isAbove(counters["svc.requests api"] ?? 0, 3)
      assert.isAbove(counters["svc.bytes link"] ?? 0, 1000)
      assert.isAbove(counters["svc.bytes api"] ?? 0, 10)
    }).pipe(Effect.scoped)
  )

  it.live("counts what was sent again, and never hears an id of a person", () =>
    Effect.gen(function* () {
      const world = yield* ground({ faults: [fault({ endpoint: "getPerson", nth: 1 }, { status: 503 })] })
      const seen = yield* collector()
      yield* run("svc-api", ["get-person", "CANARY-LIMS-4711"], { env: { ...world.env, ...json(seen.url) } })
      assert.strictEqual(seen.counters()["svc.retries api"], 1)
      assert.notInclude(seen.bodies.join("\n"), "CANARY-LIMS-4711")
      assert.include(seen.bodies.join("\n"), "/api/person/:personLimsId")
    }).pipe(Effect.scoped)
  )

  it.live("Z5 hears no secret that the service repeats in an error", () =>
    Effect.gen(function* () {
      const service = yield* echoingService()
      const seen = yield* collector()
      const env = { SVC_TARGET: service.url, SVC_USER: "ada", SVC_PASSWORD: "CANARY-password-1", ...json(seen.url) }
      yield* run("svc-download", ["-a", "A1,bad,no,gone,forbidden,other", "-f", "vcf.gz", "--list"], { env })
      yield* run("svc-fetch-annotations", ["bad"], { env })
      assert.include(seen.bodies.join("\n"), "svc.step.fetch-annotations")
      const text = seen.bodies.join("\n")
      assert.deepStrictEqual(
        service.secrets().filter((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret))),
        []
      )
    }).pipe(Effect.scoped)
  )

  it.live("gets the binary form where nobody asks for JSON, also from a step without the service", () =>
    Effect.gen(function* () {
      const seen = yield* collector()
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: seen.url }
      assert.strictEqual((yield* run("svc-steps", ["verify", "package.json"], { env })).exitCode, 66)
      assert.strictEqual(seen.asked.length, 0, "svc-verify uses no network")
      assert.strictEqual((yield* run("svc-api", ["openapi"], { env })).exitCode, 0)
      assert.includeMembers([...seen.asked], ["/v1/traces application/x-protobuf"])
    }).pipe(Effect.scoped)
  )

  it.live("that is away, or no address, changes no exit code", () =>
    Effect.gen(function* () {
      for (const endpoint of ["http://127.0.0.1:9", "nowhere"]) {
        const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
        const outcome = yield* run("svc-api", ["openapi"], { env })
        assert.strictEqual(outcome.exitCode, 0)
        if (endpoint === "nowhere") assert.match(outcome.stderr, /OTEL_EXPORTER_OTLP_ENDPOINT: it is no URL/)
      }
    }).pipe(Effect.scoped)
  )
})

describe("log lines for programs", () => {
  it.live("say which analysis and file they are about, and of a failure its name and exit code", () =>
    Effect.gen(function* () {
      const world = yield* ground({ faults: [fault({ plane: "link", file: "S1.bam" }, { status: 403 })] })
      const args = ["-a", "A1,nope", "-f", "bam", "--logFormat", "json", "-d", "out"]
      const { exitCode, stderr } = yield* world.download(args)
      const lines: ReadonlyArray<Record<string, unknown>> = stderr
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      const failed = lines.find(({ code }) => code === "LinkForbidden")
      assert.deepInclude(failed, { level: "error", analysis: "A1", file: "S1.bam", exit: 77 })
      assert.deepInclude(
        lines.find(({ code }) => code === "NotFound"),
        { level: "error", exit: 66 }
      )
      assert.strictEqual(exitCode, 77)
      const asText = yield* world.download(args.filter((arg) => arg !== "--logFormat" && arg !== "json"))
      assert.notMatch(asText.stderr, /(?:analysis|file|code|exit)=/)
    }).pipe(Effect.scoped)
  )
})
