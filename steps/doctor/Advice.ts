/** What to do about a check of the doctor that failed: by what happened, and only else by where. */
import type {
  ConfigUnusable,
  CredentialsMissing,
  PasswordFileUnusable,
  ProxyRefused,
  SessionError,
  TokenFileUnusable,
  TransferError,
  UsageError
} from "../../core/src/Errors.ts"

/** The checks that ask something of the network or the service. */
export type AskingCheck = "dns" | "tcp" | "proxy" | "tls" | "service" | "credentials" | "login" | "api" | "links"

/** How they fail. */
export type AskingFailure =
  | TransferError
  | SessionError
  | ConfigUnusable
  | CredentialsMissing
  | PasswordFileUnusable
  | TokenFileUnusable
  | UsageError

/** Where nothing is known but which check it was. */
const ofCheck: Readonly<Record<AskingCheck, string | null>> = {
  dns: "Check the spelling of --target, and the network (VPN?) of this computer",
  tcp: "Check the port, the network (VPN, firewall), and whether a proxy is needed (--proxy)",
  proxy: "Check the address of the proxy (--proxy, SVC_PROXY)",
  tls: null,
  service: "The service is down or not at this address: check --target, then ask whoever runs it",
  credentials: null,
  login: "Run svc-doctor again later; with --loglevel debug it tells more",
  api: "The service answers and this request fails: check the address (that of a svc-gateway --api ends with /service), then tell whoever runs it",
  links: "The service gives links that do not work: tell whoever runs it"
}

const proxyAddress = "Check the address of the proxy (--proxy, SVC_PROXY), and the network of this computer"

/**
 * Null where the sentence of the error says what to do: two advices of which one is wrong cost more than none.
 *
 * @param viaProxy - what was looked for is the proxy
 */
export const adviceOn = (check: AskingCheck, error: AskingFailure, viaProxy = false): string | null => {
  switch (error._tag) {
    case "SvcLoginRefused":
      return error.expired === true || error.token === true
        ? null
        : "Set SVC_USER and SVC_PASSWORD anew; several refusals may lock the account"
    case "SvcLoginProtocol":
      return "Check that --target is the address of the API, not of a portal in front of it"
    case "SvcSessionContention":
      return "Stop other programs and browsers that use this account"
    case "SvcForbidden":
      if (error.token === true) return null
      return check === "links"
        ? "This account may not see the analysis: give another one with -a"
        : "Ask whoever runs the service to let this account in"
    case "SvcNotFound":
      return check === "links"
        ? "Check the id given with -a: svc-api get-analyses lists those of this account"
        : ofCheck[check]
    case "SvcProxyRefused":
      return ofProxy(error)
    case "SvcUnavailable":
      if (check === "links") return "Check that this computer may reach the link host (firewall, proxy)"
      return viaProxy && (check === "dns" || check === "tcp") ? proxyAddress : ofCheck[check]
    case "SvcConfigUnusable":
      return "Give a PEM file with --caFile"
    case "SvcTlsRefused":
    case "SvcLinkForbidden":
      return null
    default:
      return ofCheck[check]
  }
}

const ofProxy = ({ offers, status }: ProxyRefused): string | null => {
  if (offers !== undefined) return null
  return status === 401 || status === 407
    ? "Check SVC_PROXY_USER and SVC_PROXY_PASS"
    : "Ask whoever runs the proxy whether it lets this computer reach the service"
}
