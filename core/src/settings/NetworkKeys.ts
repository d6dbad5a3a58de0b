/** Connections: how many, how fast, and through which proxy. */
import { fetchingSteps, type Key, serviceSteps } from "./Key.ts"

export const networkKeys = {
  connections: {
    type: "int",
    group: "Network",
    steps: fetchingSteps,
    metavar: "N",
    default: "8",
    least: 1,
    most: 64,
    beyond: true,
    otherSpellings: ["threads", "jobs", "parallel"],
    help: "Connections to link hosts at the same time; a large file takes several, and up to 4 files (N/2 with more than 8) share them"
  },
  idleTimeout: {
    type: "duration",
    group: "Network",
    steps: fetchingSteps,
    metavar: "TIME",
    default: "60s",
    beyond: true,
    help: "Give up a connection on which no byte came for this long; the transfer continues on a new one"
  },
  limitRate: {
    type: "rate",
    group: "Network",
    steps: fetchingSteps,
    env: "SVC_LIMIT_RATE",
    metavar: "RATE",
    default: "0",
    beyond: true,
    otherSpellings: ["bwlimit", "max-rate", "rate-limit"],
    help: "Bytes per second over all connections and files together, such as 800k, 50M or 1G (M: 10^6; progress shows MiB, 2^20); 0: no limit"
  },
  proxy: {
    type: "text",
    group: "Network",
    steps: serviceSteps,
    env: "SVC_PROXY",
    metavar: "URL",
    help: "HTTP or HTTPS proxy for everything except the hosts in NO_PROXY; HTTPS_PROXY is not read"
  },
  proxyUsername: {
    type: "text",
    group: "Network",
    steps: serviceSteps,
    env: "SVC_PROXY_USER",
    metavar: "NAME",
    otherSpellings: ["pxu"],
    help: "User of the proxy"
  },
  proxyPassword: {
    type: "secret",
    group: "Network",
    steps: serviceSteps,
    env: "SVC_PROXY_PASS",
    metavar: "TEXT",
    otherSpellings: ["pxp"],
    help: "Password of the proxy"
  },
  caFile: {
    type: "path",
    file: { what: "the CA file", use: "read" },
    group: "Network",
    steps: serviceSteps,
    env: "SVC_CA_FILE",
    metavar: "FILE",
    beyond: true,
    help: "PEM file with further certificate authorities to trust"
  },
  lockDir: {
    type: "path",
    group: "Network",
    steps: serviceSteps,
    env: "SVC_LOCK_DIR",
    metavar: "DIR",
    beyond: true,
    help: "Folder of the locks by which processes of one account take turns; the default is the user's runtime folder"
  }
} as const satisfies Record<string, Key>
