/** The files that deploy a gateway are run: nginx with TLS before it, and the unit of systemd. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand, startSandbox, until } from "../../Executables.ts"
import { ask, startGateway } from "../../GatewayGround.ts"
import { quietPort } from "../../Ports.ts"
import { root } from "../../Root.ts"
import { makeCertificates } from "../Certificates.ts"
import { folder, startListener } from "../Ground.ts"
import { regionText, tool } from "./Ground.ts"

const [ada, grace] = ["ada-0123456789abcdef", "grace-0123456789abcdef"]

const tokens = (home: string, text: string) => {
  writeFileSync(join(home, "tokens"), text, { mode: 0o600 })
  return join(home, "tokens")
}

const shipped = (name: string) => readFileSync(join(root, "workflows/gateway", name), "utf8")

describe("the deployment of a gateway", () => {
  it.live(
    "behind nginx.conf: samtools reads by TLS with a token in the header and in the path, and no log holds one",
    () =>
      Effect.gen(function* () {
        const home = yield* folder
        const [port, inner] = [yield* quietPort, yield* quietPort]
        const { ca, certificate, key } = yield* makeCertificates(home)
        const sandbox = yield* startSandbox(["--strict"])
        const publicUrl = `https://localhost:${port}`
        const accessLog = join(home, "gateway.log")
        const genes = "chr17\t43044294\t43125364\tBRCA1\n"
        writeFileSync(join(home, "genes.bed"), genes)
        const gateway = yield* startGateway(sandbox, [
          ...[
            "--genes",
            join(home, "genes.bed"),
            "--port",
            String(inner),
            "--relay",
            "--publicUrl",
            publicUrl,
            "--accessLog",
            accessLog
          ],
          ...["--tokenFile", tokens(home, `ada ${ada}\ngrace ${grace} A1\n`)]
        ])
        const conf = shipped("nginx.conf")
          .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
          .replaceAll("files.lab.example.org;", "localhost;")
          .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
          .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
          .replaceAll("/var/log/nginx", home)
          .replace("127.0.0.1:8080", `127.0.0.1:${inner}`)
        writeFileSync(
          join(home, "nginx.conf"),
          `${userInfo().uid === 0 ? "user root;" : ""} daemon off; pid ${home}/nginx.pid; events {} http {
client_body_temp_path ${home}/body; proxy_temp_path ${home}/proxy; fastcgi_temp_path ${home}/f; uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s;
${conf}}`
        )
        yield* startListener(port, "nginx", ["-p", home, "-c", join(home, "nginx.conf"), "-e", "stderr"], { cwd: home })
        const env = { CURL_CA_BUNDLE: ca }
        const inPath = `${publicUrl}/t/${grace}/files/A1/S1.bam`
        const count = yield* tool("samtools", ["view", "-c", inPath, regionText], { env })
        assert.isAbove(Number(count), 100)
        writeFileSync(join(home, "auth"), ada)
        const inHeader = { ...env, HTS_AUTH_LOCATION: join(home, "auth") }
        const address = `${publicUrl}/files/A2/S2.bam`
        yield* tool("samtools", ["view", "-c", address, regionText], { env: inHeader })
        const ticket = JSON.parse(
          yield* tool("curl", ["-fsS", "-H", `Authorization: Bearer ${ada}`, `${publicUrl}/reads/A1`], { env })
        )
        assert.strictEqual(ticket.htsget.urls[0].url, `${publicUrl}/files/A1/S1.bam`)
        const curl = (...args: ReadonlyArray<string>) => tool("curl", ["-sS", "--compressed", ...args], { env })
        const asAda = ["-H", `Authorization: Bearer ${ada}`]
        for (const place of [`${publicUrl}/t/${grace}`, publicUrl]) {
          assert.strictEqual(yield* curl(...asAda, `${place}/genes`), genes.trim())
        }
        const [, etag = ""] =
          /^etag: (.*)\r$/im.exec(yield* curl("-I", "-X", "GET", ...asAda, `${publicUrl}/genes`)) ?? []
        const status = (...args: ReadonlyArray<string>) => curl("-o", join(home, "got"), "-w", "%{http_code}", ...args)
        assert.deepStrictEqual(
          [
            yield* status(...asAda, "-H", `If-None-Match: ${etag}`, `${publicUrl}/genes`),
            yield* status(`${publicUrl}/genes`)
          ],
          ["304", "401"]
        )
        const page = yield* curl("-i", ...asAda, "-H", "Accept: text/html", `${publicUrl}/files/A1/`)
        assert.match(page, /^content-security-policy: .*connect-src 'self';[\s\S]*data-genes[\s\S]*>S1\.bam</im)
        yield* until(
          "both logs have their lines",
          Effect.sync(
            () => existsSync(accessLog) && readFileSync(join(home, "svc-gateway.log"), "utf8").includes("/reads/")
          )
        )
        const outer = readFileSync(join(home, "svc-gateway.log"), "utf8")
        assert.match(outer, /GET \/t\/\*\*\*\/files\/A1\/S1\.bam 20[06] /)
        assert.match(outer, /GET \/t\/\*\*\*\/genes 200 /)
        const all = `${outer}${readFileSync(accessLog, "utf8")}${gateway.lines.join("\n")}`
        for (const token of [ada, grace]) assert.notInclude(all, token)
      })
  )

  it.live("alerts.yaml names the numbers that a gateway has, and what to do", () =>
    Effect.gen(function* () {
      const sandbox = yield* startSandbox()
      const gateway = yield* startGateway(sandbox, [])
      yield* ask(`${gateway.url}/files/A1`)
      const { text } = yield* ask(`${gateway.url}/metrics`)
      const alerts = shipped("alerts.yaml")
      const named = alerts.match(/svc_gateway_[a-z0-9_]+/g) ?? []
      const told = named.filter((name) => !new RegExp(`^# TYPE ${name.replace(/_bucket$/, "")} `, "m").test(text))
      assert.deepStrictEqual([named.length > 5, told], [true, []])
      assert.strictEqual(alerts.match(/- alert:/g)?.length, alerts.match(/ action: /g)?.length)
    })
  )

  it.live(
    "by svc-gateway.service: systemd takes it and finds it closed, its command line serves, and its reload reads the tokens again",
    () =>
      Effect.gen(function* () {
        const home = yield* folder
        const unit = shipped("svc-gateway.service")
        writeFileSync(join(home, "svc-gateway.service"), unit.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"))
        const verified = yield* runCommand("systemd-analyze", ["verify", join(home, "svc-gateway.service")])
        assert.deepStrictEqual([verified.exitCode, verified.stderr], [0, ""])
        const exposed = yield* runCommand("systemd-analyze", [
          "security",
          "--offline=true",
          join(home, "svc-gateway.service")
        ])
        assert.isAtMost(Number(/exposure level for \S+: ([\d.]+)/.exec(exposed.stdout)?.[1]), 1.3)
        const [, line = ""] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? []
        const args = line
          .replace("--port 8080", "--port 0")
          .replace("/etc/svc-gateway/tokens", tokens(home, `ada ${ada}\n`))
          .replace("/var/log/svc-gateway", home)
          .split(" ")
        const sandbox = yield* startSandbox()
        const gateway = yield* startGateway(sandbox, args)
        const status = (token: string) =>
          Effect.promise(async () => {
            const reply = await fetch(`${gateway.url}/files/A1`, { headers: { authorization: `Bearer ${token}` } })
            await reply.arrayBuffer()
            return reply.status
          })
        assert.deepStrictEqual([yield* status(ada), yield* status(grace)], [200, 401])
        tokens(home, `grace ${grace}\n`)
        const [, reload = ""] = /^ExecReload=(.*)$/m.exec(unit) ?? []
        const [command = "", ...rest] = reload.replace("$MAINPID", String(gateway.pid)).split(" ")
        yield* runCommand(command, rest)
        yield* until(
          "the new token is good",
          Effect.map(status(grace), (found) => found === 200)
        )
        assert.strictEqual(yield* status(ada), 401)
        assert.strictEqual(JSON.parse(readFileSync(join(home, "access.log"), "utf8").split("\n")[0] ?? "").name, "ada")
      })
  )
})
