import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { quietPort } from "../Ports.ts"
import { folder, startListener } from "./Ground.ts"

/** tinyproxy that wants Basic credentials, for plain requests and for CONNECT to any port. */
export const startTinyproxy = Effect.fnUntraced(function* (user: string, password: string) {
  const home = yield* folder
  const port = yield* quietPort
  const log = join(home, "log")
  const config = join(home, "tinyproxy.conf")
  writeFileSync(
    config,
    `Port ${port}
Listen 127.0.0.1
Timeout 60
LogFile "${log}"
LogLevel Connect
MaxClients 50
Allow 127.0.0.1
BasicAuth ${user} ${password}
`
  )
  yield* startListener(port, "tinyproxy", ["-d", "-c", config])
  return {
    url: `http://127.0.0.1:${port}`,
    /** Request lines that came through, such as `CONNECT localhost:443 HTTP/1.1`. */
    requests: () =>
      [...readFileSync(log, "utf8").matchAll(/Request \(file descriptor \d+\): (.*)$/gm)].map(([, line = ""]) => line)
  }
})
