/** `npm run demo:page`: a sandbox, a gateway with a token before it, and the address of its page to open in a browser, until Ctrl-C. */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromosomes, loci } from "../sandbox/samples/Genome.ts"
import { startServer } from "./demo-server.ts"

const folder = mkdtempSync(join(tmpdir(), "svc-demo-page-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(0))

const token = randomBytes(12).toString("hex")
writeFileSync(join(folder, "tokens"), `demo ${token} A1 A2 A3 may=read,restore\n`, { mode: 0o600 })
const genes = loci.map(
  ({ bases, gene, ref, start }) => `${chromosomes[ref]?.[0]}\t${start}\t${start + bases.length}\t${gene}\n`
)
writeFileSync(join(folder, "genes.bed"), genes.join(""))
const { ready: sandbox } = await startServer("svc-sandbox", ["--restoreDelay", "20s"])
const { ready: gateway } = await startServer(
  "svc-gateway",
  ["-t", sandbox.url, "--tokenFile", join(folder, "tokens"), "--genes", join(folder, "genes.bed")],
  {
    SVC_USER: sandbox.user,
    SVC_PASSWORD: sandbox.password,
    SVC_LOCK_DIR: folder,
    SVC_LOG_LEVEL: "error"
  }
)
console.log(`Open  ${gateway.url}/files/A1/#S1.bam&locus=BRCA1
Token ${token}

It shows the reads at BRCA1; CFTR and DMD are genes too. A2 can be put beside them; A3 has a file in the archive. Ctrl-C ends it.`)
