/** The variables by which other programs find their proxy. Ours is `SVC_PROXY`: docs/dev/adr/0016. */
import { isDirect, portOf } from "../../core/src/settings/Target.ts"

const namesFor = (protocol: string): ReadonlyArray<string> => [
  ...(protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["http_proxy", "HTTP_PROXY"]),
  ...["ALL_PROXY", "all_proxy"]
]

/** The variable that would send other programs to `url` through a proxy; null when none does. */
export const ignoredVariable = (environment: Readonly<Record<string, string | undefined>>, url: URL): string | null => {
  const noProxy = environment["NO_PROXY"] ?? environment["no_proxy"] ?? ""
  if (isDirect(noProxy, url.hostname, portOf(url))) return null
  return namesFor(url.protocol).find((name) => (environment[name] ?? "") !== "") ?? null
}
