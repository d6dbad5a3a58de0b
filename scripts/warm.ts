/**
 * Runs each executable of a folder on its usual work against the sandbox and keeps what V8 compiled for it, beside it as
 * `<executable>.js.<version of Node>.compiled`, from which it starts from then on with this Node (docs/adr/0017).
 *
 *     node scripts/warm.ts FOLDER
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const folder = resolve(process.argv[2] ?? ".")

const record = fileURLToPath(new URL("record.cjs", import.meta.url))

const start = (name: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, [record, join(folder, `${name}.js`), ...args], {
    cwd: scratch,
    env: { PATH: process.env["PATH"], TMPDIR: scratch, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })

const scratch = mkdtempSync(join(tmpdir(), "svc-warm-"))
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }))

const waitForEnd = (child: ReturnType<typeof start>) =>
  new Promise<{ readonly code: number | null; readonly said: string }>((done) => {
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text))
    child.on("close", (code) => done({ code, said }))
  })

/** A server: the line with which it says that it is ready, and its end. */
const serve = async (name: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const server = start(name, args, env)
  process.on("exit", () => server.kill())
  const end = waitForEnd(server)
  const [line] = await new Promise<ReadonlyArray<string>>((done) => {
    createInterface({ input: server.stdout }).on("line", (line) => done([line]))
    server.on("exit", () => done([]))
  })
  if (line === undefined) throw new Error(`${name} does not start: ${(await end).said}`)
  const stop = () => {
    server.kill()
    return end
  }
  return { line, stop }
}

// Nothing comes back while the jobs run, however slow the machine is.
const sandbox = await serve("svc-sandbox", ["--strict", "--restoreDelay", "1h"])
const ready: { readonly url: string; readonly user: string; readonly password: string } = JSON.parse(sandbox.line)
const account = { SVC_TARGET: ready.url, SVC_USER: ready.user, SVC_PASSWORD: ready.password }

/** The usual work, with its exit code: 75 while a restoration is pending. */
const jobs: ReadonlyArray<readonly [code: number, name: string, ...args: ReadonlyArray<string>]> = [
  [0, "svc-download", "-a", "A1", "-d", ".", "-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi"],
  [0, "svc-download", "-a", "A1", "-d", ".", "-f", "bam,vcf.gz", "-g", "chr1:1-20000"],
  [0, "svc-request-restore", "A3", "-d", "."],
  [75, "svc-resume-restore"],
  [0, "svc-fetch-annotations", "A1"],
  [0, "svc-api", "get-person", "LIMS-0001"],
  [0, "svc-verify", "."],
  [0, "svc-doctor"],
  [0, "svc-steps", "--help"]
]
for (const [wanted, name, ...args] of jobs) {
  const { code, said } = await waitForEnd(start(name, args, account))
  if (code !== wanted) throw new Error(`${[name, ...args].join(" ")} ended with ${code}, not ${wanted}:\n${said}`)
}
const gateway = await serve("svc-gateway", ["--relay"], account)
const { url }: { readonly url: string } = JSON.parse(gateway.line)
for (const path of ["files/A1", "files/A1/S1.bam", "reads/A1?referenceName=chr1&start=0&end=20000", "nothing"]) {
  await (await fetch(`${url}/${path}`)).arrayBuffer()
}
await gateway.stop()
await sandbox.stop()

const isKept = (file: string) => existsSync(join(folder, `${file}.${process.version}.compiled`))
const cold = readdirSync(folder).filter((file) => file.endsWith(".js") && !isKept(file))
if (cold.length > 0) throw new Error(`Nothing was run of ${cold.join(", ")}`)
