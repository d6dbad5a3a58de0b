/** What to do about a check that asked the network or the service and failed: by what happened, and only else by where. */
import type { ConfigUnusable, ProxyRefused, ServiceError } from "../../core/src/Errors.ts"

/** What failed: no host has that name, no connection came about to the host or to the proxy, or the exchange over it. */
export type Stage = "name" | "connection" | "proxy" | "address" | "tls" | "login" | "gateway"

/** Where nothing is known but how far it came. */
const ofStage: Readonly<Record<Stage, string | null>> = {
  name: "Check the spelling of --target, and the network (VPN?) of this computer",
  connection: "Check the port, the network (VPN, firewall), and whether a proxy is needed (--proxy)",
  proxy: "Check the address of the proxy (--proxy, SVC_PROXY), and the network of this computer",
  address: "The service is down or not at this address: check --target, then ask whoever runs it",
  tls: null,
  login: "Run svc-doctor again later; with --loglevel debug it tells more",
  gateway: "Check the address (that of a svc-gateway --api ends with /service), then tell whoever runs it"
}

/** Null where the sentence of the error says what to do: two advices of which one is wrong cost more than none. */
export const adviceOn = (stage: Stage, error: ServiceError | ConfigUnusable): string | null => {
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
      return error.token === true ? null : "Ask whoever runs the service to let this account in"
    case "SvcProxyRefused":
      return ofProxy(error)
    case "SvcConfigUnusable":
      return "Give a PEM file with --caFile"
    case "SvcTlsRefused":
      return null
    default:
      return ofStage[stage]
  }
}

const ofProxy = ({ offers, status }: ProxyRefused): string | null => {
  if (offers !== undefined) return null
  return status === 401 || status === 407
    ? "Check SVC_PROXY_USER and SVC_PROXY_PASS"
    : "Ask whoever runs the proxy whether it lets this computer reach the service"
}
