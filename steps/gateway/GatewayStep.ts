/** `svc-gateway`: what it is called and how it is used; the server itself is loaded when it runs. */
import type { ServiceStep } from "../main/Step.ts"
import { options } from "./Options.ts"

export const gatewayStep: ServiceStep = {
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
  ],
  load: () => import("./Program.ts").then(({ program }) => program)
}
