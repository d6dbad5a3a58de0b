/**
 * Where the service and the proxy are: the rules for `target`, `baseUrl` and `proxy` (docs/dev/service.md 19), and for `NO_PROXY`, the
 * variable of all programs that says which hosts are reached without a proxy.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { bareHost, bitsOf } from "../text/HostReach.ts"
import type { Layer, Layers, ProxyAddress, TargetSettings } from "./Settings.ts"

/** A missing `target`, letter for letter as in docs/dev/service.md 7. */
const missingTarget = "Missing required argument --target"

/** A URL, or null; Node 20, on which the bundles run too, has no `URL.parse`. */
const urlOf = (text: string) => (URL.canParse(text) ? new URL(text) : null)

const isAddress = (text: string) => text.includes("://")

/** A raw `/`, `?` or `#` in a password ends the host there: what was meant to be the host stands behind an @ in the rest. */
const hasBrokenCredentials = ({ hash, pathname, search }: URL) => `${pathname}${search}${hash}`.includes("@")

/** A URL that may be a base: http or https, no credentials, no query; with a slash at its end. */
const baseOf = (text: string, what: string): Result.Result<URL, string> => {
  const url = urlOf(text)
  // The text is not repeated: it may hold credentials.
  if (url === null || url.hostname === "" || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return Result.fail(`${what} must be an http or https URL such as https://lab.example.org`)
  }
  if (url.username !== "" || url.password !== "" || hasBrokenCredentials(url)) {
    return Result.fail(`${what} must not hold credentials: write the address alone`)
  }
  const page = /^(.*?\/)(?:login|signin|sign-in|authenticate)(?:\.\w+)?\/?$/.exec(url.pathname)
  if (page !== null || /^#!?\//.test(url.hash)) {
    return Result.fail(
      `${what} is the address of a page in the browser; write ${url.origin}${(page?.[1] ?? url.pathname).replace(/\/$/, "")}`
    )
  }
  if (url.search !== "" || url.hash !== "") return Result.fail(`${what} must not hold a query or a fragment`)
  if (!url.pathname.endsWith("/")) url.pathname += "/"
  return Result.succeed(url)
}

const asOption = (key: "target" | "baseUrl") => `--${key}`

/**
 * The base URL of the API: `target` itself when it is a URL, else its name put into the template at `{target}`.
 * Fails with one sentence for the user.
 *
 * @param nameOf - what the sentence calls the place where the value was set
 */
export const resolveTarget = (
  target: string | null,
  template: string | null,
  nameOf = asOption
): Result.Result<URL, string> => {
  const name = target?.trim() ?? ""
  if (name === "") return Result.fail(missingTarget)
  if (isAddress(name)) return baseOf(name, nameOf("target"))
  // Checked before it becomes part of a host name: "a.example.com/" must not lead to another host.
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(name)) {
    return Result.fail(`${nameOf("target")} must be a full http(s) URL, or a name of letters, digits, dots and dashes`)
  }
  if (template === null) {
    return Result.fail(
      `${nameOf("target")} ${name} is a name, and there is no template to put it into: give a full URL such as ` +
        "https://lab.example.org, or set --baseUrl (SVC_BASE_URL) to one with {target} in it"
    )
  }
  if (!template.includes("{target}")) {
    return Result.fail(
      `${nameOf("baseUrl")} has no {target} to put the name ${name} into: write for example https://{target}.example.org, ` +
        "or give the full URL as --target"
    )
  }
  return baseOf(template.trim().replaceAll("{target}", name), nameOf("baseUrl"))
}

/** The proxy without its credentials; those of the options win over those inside the URL. `name` stands in the message. */
export const resolveProxy = (
  proxy: string | null,
  username: string | null,
  password: Redacted.Redacted | null,
  name = "--proxy"
): Result.Result<ProxyAddress | null, string> => {
  if (proxy === null) return Result.succeed(null)
  const url = urlOf(proxy.trim())
  if (url === null || url.hostname === "" || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return Result.fail(`${name} must be an http or https URL such as http://proxy.example.org:3128`)
  }
  // Not repeated and never connected to: the host could be a part of the password.
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    return Result.fail(
      `${name} must end after the host and port, as in http://proxy.example.org:3128; give user and password as --proxyUsername and SVC_PROXY_PASS`
    )
  }
  const inside = { username: decodePart(url.username), password: decodePart(url.password) }
  url.username = ""
  url.password = ""
  return Result.succeed({
    url,
    username: username ?? (inside.username === "" ? null : inside.username),
    password: password ?? (inside.password === "" ? null : Redacted.make(inside.password))
  })
}

/** A percent-encoded part of a URL; as it stands when the encoding is broken. */
const decodePart = (part: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(part)),
    () => part
  )

/** The address of a service, and how it recognises itself under other names: in entries of a restoration file. */
export const addressOf = (named: string, baseUrl: URL) => ({
  target: baseUrl.href,
  nameOf: (stored: string | null): string =>
    stored === null || stored === named
      ? baseUrl.href
      : Result.match(resolveTarget(stored, null), { onSuccess: ({ href }) => href, onFailure: () => stored })
})

/** The same of settings: behind a gateway it is the service itself, whose address stays when that of the gateway does not. */
export const serviceOf = ({
  baseUrl,
  service,
  target,
  token
}: Pick<TargetSettings, "baseUrl" | "service" | "target" | "token">) => {
  const own = token === null ? Result.fail("") : resolveTarget(service, null)
  return Result.isSuccess(own) ? addressOf(own.success.href, own.success) : addressOf(target, baseUrl)
}

const tokenKeys = ["token", "tokenFile"] as const
const accountKeys = [...tokenKeys, "username", "password", "passwordFile"] as const

const without = (layer: Layer, keys: ReadonlyArray<keyof Layer>): Layer =>
  Object.fromEntries(Object.entries(layer).filter(([key]) => !keys.some((other) => other === key)))

/**
 * An account is for the target that stands beside it: a token in the environment, or anything in a configuration file, does not go to another
 * target that a source above names. Whoever wrote it down once did not think of the sandbox, the gateway or the mistyped address that a later
 * command goes to. A user and password of a file that this command line names, or of the environment, are meant for it.
 * Is the target the `service` behind the gateway of a token, it is reached through that.
 */
export const keepAccount = (
  layers: Layers,
  takesToken: boolean
): { readonly layers: Layers; readonly warnings: ReadonlyArray<string> } => {
  const { commandLine, environment, file } = layers
  const template = commandLine.baseUrl ?? environment.baseUrl ?? file.baseUrl
  const hrefOf = (target: ReadonlyArray<string> | undefined, base = template) =>
    Result.getOrNull(Result.map(resolveTarget(target?.at(-1) ?? null, base?.at(-1) ?? null), ({ href }) => href))
  /** What the sources above leave of a layer. */
  const settle = (above: Layer, layer: Layer, isNamed: boolean, place: string) => {
    const keys = [...(takesToken ? tokenKeys : []), ...(isNamed ? [] : accountKeys.slice(tokenKeys.length))]
    const isNeeded = keys.some((key) => layer[key] !== undefined) && !keys.some((key) => above[key] !== undefined)
    const [wanted, own] = [hrefOf(above.target ?? layer.target), hrefOf(layer.target, layer.baseUrl)]
    const service = hrefOf(layer.service)
    if (!wanted || !own || wanted === own) return { isThrough: false, layer, warnings: [] }
    const hasToken = tokenKeys.some((key) => layer[key] !== undefined)
    if (takesToken && hasToken && isNeeded && wanted === service) return { isThrough: true, layer, warnings: [] }
    const warning = `The ${hasToken ? "token" : "account"} in ${place} is for ${service ?? own}, and does not go to ${wanted}: give ${hasToken ? "--tokenFile FILE" : "-u NAME and SVC_PASSWORD"} for that, or no other target`
    return { isThrough: false, layer: without(layer, [...keys, "service"]), warnings: isNeeded ? [warning] : [] }
  }
  const inner = settle(commandLine, environment, true, "the environment")
  const line = inner.isThrough ? without(commandLine, ["target"]) : commandLine
  const path = (commandLine.config ?? environment.config ?? file.config)?.at(-1)
  const outer = settle({ ...inner.layer, ...line }, file, commandLine.config !== undefined, `${path}`)
  const [top, middle] = outer.isThrough
    ? [without(line, ["target"]), without(inner.layer, ["target"])]
    : [line, inner.layer]
  return {
    layers: { commandLine: top, environment: middle, file: outer.layer },
    warnings: [...inner.warnings, ...outer.warnings]
  }
}

/** The port of a URL, also when it is the usual one of its scheme. */
export const portOf = (url: URL): number =>
  url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)

/** Whether `NO_PROXY` names the host: `*`, a name and all below it, a name with port, an address, a range (CIDR). */
export const isDirect = (noProxy: string, hostname: string, port: number): boolean => {
  const host = bareHost(hostname).toLowerCase()
  const hostBits = bitsOf(host)
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true
      const [, network = "", length] = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(entry) ?? []
      const bits = bitsOf(network)
      if (bits !== null && hostBits?.length === bits.length) {
        return Number(length) <= bits.length && hostBits.startsWith(bits.slice(0, Number(length)))
      }
      const isAddress = bitsOf(entry) !== null
      const [, name = entry, only] = /^(.*[^:]):(\d{1,5})$/.exec(entry) ?? []
      if (only !== undefined && !isAddress && Number(only) !== port) return false
      const bare = bareHost(isAddress ? entry : name).replace(/^\*?\./, "")
      return host === bare || host.endsWith(`.${bare}`)
    })
}

/** The variables by which other programs find their proxy. Ours is `SVC_PROXY`: docs/dev/adr/0016. */
const proxyVariables = (protocol: string): ReadonlyArray<string> => [
  ...(protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["http_proxy", "HTTP_PROXY"]),
  ...["ALL_PROXY", "all_proxy"]
]

/** The variable that would send other programs to `url` through a proxy; null when none does. */
export const ignoredVariable = (environment: Readonly<Record<string, string | undefined>>, url: URL): string | null => {
  const noProxy = environment["NO_PROXY"] ?? environment["no_proxy"] ?? ""
  if (isDirect(noProxy, url.hostname, portOf(url))) return null
  return proxyVariables(url.protocol).find((name) => (environment[name] ?? "") !== "") ?? null
}
