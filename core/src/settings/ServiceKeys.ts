/** The service: where it is and who logs in. */
import { type Key, loggingSteps, serviceSteps } from "./Key.ts"

export const serviceKeys = {
  target: {
    type: "text",
    group: "Service",
    steps: serviceSteps,
    common: true,
    short: "t",
    env: "SVC_TARGET",
    metavar: "NAME|URL",
    help: "The API instance (required): a full http(s) URL, or a name that is put into --baseUrl"
  },
  baseUrl: {
    type: "text",
    group: "Service",
    steps: serviceSteps,
    env: "SVC_BASE_URL",
    metavar: "TEMPLATE",
    beyond: true,
    help: "Address of targets given by name, such as https://{target}.example.org"
  },
  username: {
    type: "text",
    group: "Service",
    steps: serviceSteps,
    common: true,
    short: "u",
    env: "SVC_USER",
    metavar: "NAME",
    help: "User of the API; the password is asked for, or comes from SVC_PASSWORD or --passwordFile"
  },
  password: {
    type: "secret",
    group: "Service",
    steps: serviceSteps,
    short: "p",
    env: "SVC_PASSWORD",
    metavar: "TEXT",
    help: "Password of the API. Other users of the machine can read options: rather use the variable, a private file, or the prompt"
  },
  passwordFile: {
    type: "path",
    file: { what: "the password file", use: "read" },
    group: "Service",
    steps: serviceSteps,
    env: "SVC_PASSWORD_FILE",
    metavar: "FILE",
    beyond: true,
    help: "File whose first line is the password of the API, such as a mounted secret"
  },
  config: {
    type: "path",
    file: { what: "the configuration file", use: "read" },
    group: "Service",
    steps: loggingSteps,
    metavar: "FILE",
    optionOnly: true,
    otherSpellings: ["c"],
    help: "JSON file with settings; its keys are the long option names"
  }
} as const satisfies Record<string, Key>
