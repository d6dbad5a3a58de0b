/** A server of ours for a demo, which ends with the demo. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const dist = fileURLToPath(new URL("../dist/", import.meta.url))

/** Starts `name`. `ready` is the line of JSON that it prints when it can be used. */
export const startServer = async (
  name: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) => {
  const child = spawn(process.execPath, [`${dist}${name}.js`, ...args], {
    env: { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const stop = () => child.kill("SIGTERM")
  process.on("exit", stop)
  for await (const line of createInterface({ input: child.stdout })) return { ready: JSON.parse(line), line, stop }
  throw new Error(`${name} ended before it was ready`)
}
