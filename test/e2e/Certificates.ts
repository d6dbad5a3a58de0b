import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { runCommand } from "../Executables.ts"

const openssl = (cwd: string, args: string) =>
  runCommand("openssl", args.split(" "), { cwd }).pipe(
    Effect.tap(({ exitCode, stderr }) =>
      exitCode === 0 ? Effect.void : Effect.die(new Error(`openssl ${args}: ${stderr}`))
    )
  )

/** A private certificate authority in `cwd`, and a certificate of it for `localhost` and 127.0.0.1. */
export const makeCertificates = Effect.fnUntraced(function* (cwd: string) {
  writeFileSync(join(cwd, "names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n")
  yield* openssl(cwd, "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=Test-CA -keyout ca.key -out ca.pem")
  yield* openssl(cwd, "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr")
  yield* openssl(cwd, "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -days 2 -extfile names -out server.pem")
  return { ca: join(cwd, "ca.pem"), certificate: join(cwd, "server.pem"), key: join(cwd, "server.key") }
})
