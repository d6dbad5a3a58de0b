/** `svc-gateway`: what it is called and how it is used. */
import type { CommandOptions, Step } from "../main/Step.ts"

export const options = {
  host: {
    type: "text",
    metavar: "ADDRESS",
    default: "127.0.0.1",
    help: "Address to listen on; any but this machine's own needs --tokenFile"
  },
  port: {
    type: "int",
    least: 0,
    most: 65_535,
    metavar: "N",
    default: "0",
    help: "Port to listen on; 0 takes a free one"
  },
  socket: {
    type: "path",
    metavar: "PATH",
    help: "Listen on this socket file, which only you may use, in place of a port"
  },
  relay: {
    type: "flag",
    help: "Send the bytes of files, for readers that cannot reach the link host or follow redirects to it"
  },
  tokenFile: {
    type: "path",
    file: { what: "the token file", use: "read" },
    metavar: "FILE",
    help: "File with the token that readers must show, as Authorization: Bearer TOKEN or before the path as /t/TOKEN; or with lines NAME TOKEN [ID or PREFIX* ...]. SIGHUP reads it again"
  },
  publicUrl: {
    type: "text",
    metavar: "URL",
    help: "Address under which readers know the gateway, such as that of a proxy before it. Any but this machine's own needs --tokenFile"
  },
  allowOrigin: {
    type: "list",
    metavar: "ORIGIN",
    help: "Let pages of this origin read, such as https://igv.org; * for any"
  },
  accessLog: {
    type: "path",
    file: { what: "the access log", use: "written" },
    metavar: "FILE|-",
    help: "Write a JSON line for each reading and restoration, - to standard output; SIGHUP opens the file again"
  },
  queueTimeout: {
    type: "duration",
    default: "5m",
    metavar: "TIME",
    help: "How long a reader waits for its turn while the service answers others"
  },
  allowRestore: { type: "flag", help: "Let readers ask for the restoration of archived files, which costs money" }
} as const satisfies CommandOptions

export const gatewayStep: Step = {
  name: "gateway",
  service: true,
  summary: "Serve the files of the service at addresses that never expire, and as htsget, to any tool that reads URLs",
  options,
  // Files under way end first, then the session (gateway/Gateway.ts).
  grace: 30_000,
  examples: [
    { command: "-t https://lab.example.org --port 8080", says: "for the tools of this machine" },
    {
      command: "-t https://lab.example.org --host 0.0.0.0 --port 8080 --tokenFile token --relay",
      says: "for a cluster that reaches the gateway alone"
    },
    {
      command: "-t https://lab.example.org --port 8080 --relay --allowOrigin https://igv.org",
      says: "for a genome browser"
    }
  ]
}
