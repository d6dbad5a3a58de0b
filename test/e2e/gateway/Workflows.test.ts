/** Workflow engines stage addresses of the gateway, and do nothing twice although the links behind them change. */
import { cpSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../../Executables.ts"
import { startGateway } from "../../GatewayGround.ts"
import { root } from "../../Root.ts"
import { fault, setFaults } from "../../SandboxFaults.ts"
import { ground } from "../engines/Engines.ts"
import { launchPad } from "../nextflow/Nextflow.ts"
import { tool } from "./Ground.ts"

const limit = 600_000

/** Makes the gateway ask for other links, as it does when a link host refuses one. */
const otherLinks = (sandbox: string, gateway: string) =>
  Effect.andThen(
    setFaults(sandbox, [fault({ plane: "link", times: 1 }, { expireLink: "now" })]),
    Effect.promise(async () => {
      const reply = await fetch(`${gateway}/files/A1/S1.bam`, { headers: { "svc-relay": "1", range: "bytes=100-199" } })
      assert.strictEqual((await reply.arrayBuffer()).byteLength, 100)
    })
  )

/** What samtools says of the file itself. */
const counted = (url: string) =>
  Effect.map(tool("samtools", ["idxstats", `${url}/files/A1/S1.bam`]), (text) => `${text}\n`)

describe("workflow engines at the gateway", () => {
  it.live.each([[["--relay"]], [[]]])(
    "Nextflow stages files by URL, and -resume finds its cache although every link is another one by then (%s)",
    ([way]) =>
      Effect.gen(function* () {
        const pad = yield* launchPad()
        const gateway = yield* startGateway(pad.sandbox, way)
        const pipeline = join(root, "workflows/gateway/main.nf")
        const args = ["--gateway", gateway.url, "--outdir", join(pad.folder, "results")]
        const first = yield* pad.run(pipeline, args)
        assert.strictEqual(first.exitCode, 0, first.stdout + first.stderr)
        assert.deepStrictEqual(
          first.tasks.map(({ status }) => status),
          ["COMPLETED"]
        )
        const made = readFileSync(join(pad.folder, "results/A1.tsv"), "utf8")
        assert.strictEqual(made, yield* counted(gateway.url))
        yield* otherLinks(pad.sandbox.url, gateway.url)
        const again = yield* pad.run(pipeline, [...args, "-resume"])
        assert.deepStrictEqual(
          again.tasks.map(({ status }) => status),
          ["CACHED"]
        )
        assert.isAbove((yield* pad.stats).requests["getFileDownloadLinks"] ?? 0, 1)
      }),
    limit
  )

  it.live(
    "Snakemake stages files by URL, and a second run has nothing to do",
    () =>
      Effect.gen(function* () {
        const { env, project, sandbox } = yield* ground()
        const gateway = yield* startGateway({ ...sandbox, user: "pipeline", password: env.SVC_PASSWORD })
        cpSync(join(root, "workflows/gateway/Snakefile"), join(project, "Snakefile"))
        const run = runCommand("snakemake", ["--cores", "2", "--config", `gateway=${gateway.url}`], {
          cwd: project,
          env
        })
        const first = yield* run
        assert.strictEqual(first.exitCode, 0, first.stderr)
        assert.strictEqual(readFileSync(join(project, "results/A1.tsv"), "utf8"), yield* counted(gateway.url))
        yield* otherLinks(sandbox.url, gateway.url)
        const again = yield* run
        assert.strictEqual(again.exitCode, 0, again.stderr)
        assert.include(again.stderr, "Nothing to be done")
        assert.isFalse(existsSync(join(project, "S1.bam")))
      }),
    limit
  )

  it.live("the manifest for Kubernetes and the compose file hold what the gateway needs", () =>
    Effect.gen(function* () {
      const { env } = yield* ground()
      const load = Effect.fnUntraced(function* (path: string) {
        const script = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))"
        const { exitCode, stderr, stdout } = yield* runCommand("python3", ["-c", script, join(root, path)], { env })
        assert.strictEqual(exitCode, 0, stderr)
        return JSON.parse(stdout)
      })
      const [deployment, service] = yield* load("workflows/gateway/deployment.yaml")
      assert.deepStrictEqual([deployment.spec.replicas, deployment.spec.strategy.type], [1, "Recreate"])
      assert.isAbove(deployment.spec.template.spec.terminationGracePeriodSeconds, 30)
      const [container] = deployment.spec.template.spec.containers
      assert.strictEqual(container.livenessProbe.httpGet.path, "/healthz")
      assert.strictEqual(service.spec.ports[0].targetPort, container.ports[0].name)
      const [compose] = yield* load("containers/gateway-compose.yaml")
      // Both are command lines that the step takes: what is wrong is only that nobody has made the token.
      for (const args of [container.args, compose.services.gateway.command]) {
        const { exitCode, stderr } = yield* runCommand("svc-steps", args, { env })
        assert.strictEqual(exitCode, 78, stderr)
        assert.include(stderr, "Token file")
      }
    })
  )
})
