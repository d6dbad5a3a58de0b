/** What to do about each failure, in the words of the executables: core names it, and only here are options and commands. */
import type { RestoreDecision } from "../../core/src/archive/Policy.ts"
import {
  type AdviceName,
  type Advised,
  type Advising,
  type RunError,
  runAdvice,
  type TlsReason
} from "../../core/src/Errors.ts"
import { printable, shellWord } from "../../core/src/text/Printable.ts"

/** All that has an advice of this name. */
type Of<Name, A = RunError | RestoreDecision> = A extends { readonly advice?: infer Named }
  ? Name extends Named
    ? A
    : never
  : never

/** By what is not there: the option that looks for it, and what it takes. */
const looksFor: Readonly<Record<string, string>> = {
  analysis: "-a an id",
  sample: "-s a sampleId",
  person: "-l a personLimsId"
}

const findId = ({ what }: Of<"findId">): string => {
  const used = looksFor[what.split(" ")[0] ?? ""] ?? []
  const ways = new Set([used, Object.values(looksFor)].flat())
  return `ids are case-sensitive; svc-api get-analyses shows what svc-download takes: ${[...ways].join(", ")}`
}

const takeOut = "take it out of the wanted regions: unlike samtools and bcftools, none is passed over"

const optionA = ({ analysisId }: { readonly analysisId?: string | undefined }) =>
  analysisId === undefined ? "" : ` -a ${shellWord(printable(analysisId))}`

const onTls: Readonly<Record<TlsReason, string>> = {
  "its certificate has expired":
    "its operators must renew it, unless the clock of this machine is wrong (svc-doctor compares it)",
  "its certificate is not valid yet": "set the clock of this machine, if it is behind (svc-doctor compares it)",
  "its certificate is for another host name":
    "check the address: it must be a name that the certificate has; a captive network answers in place of others",
  "its certificate is self-signed": "if it is the right one, give it with --caFile",
  "its certificate comes from an unknown authority":
    "the root certificate of a private authority must be in the file that --caFile names",
  "it does not speak TLS there": "check the port, or write http:// if it is plain on purpose",
  "it offers no TLS version that is safe (1.2 at least)": "its operators must allow TLS 1.2",
  "it wants a certificate of the client": "there is no option for one: ask its operators for an address without that"
}

/** Each is the end of the sentence of a failure; those of a run are sentences of their own. */
const advices: { readonly [Name in AdviceName]: (of: Of<Name>) => string } = {
  again: () => "Run the same command again",
  afterMending: () => "When that is mended, run the same command again",
  mendEntry: () => "Mend the entry of the restoration file, or take it out: see svc-steps restorations",
  correctRegion: () => `regions are CHR:START-END, and no gene is known here by its name: correct it, or ${takeOut}`,
  correctRegions: () => `correct them, or ${takeOut}`,
  damagedAtSource: () => "if it comes so again, it is damaged at its source: tell the operators of the service",
  dropRegion: () => takeOut,
  filetypes: () => "--filetypes chooses them",
  findId,
  gatewayAddress: () => "a token (SVC_TOKEN) is for the address of a svc-gateway --api, which ends with /service",
  givePassword: () =>
    "set SVC_PASSWORD or SVC_PASSWORD_FILE, or put password into a configuration file only you can read",
  giveToken: () => "give another with SVC_TOKEN, or in the token file",
  giveUser: () => "give --username, set SVC_USER, or put username into the configuration file",
  layout: () => "use --layout analysis to give each its own folder",
  linkOfService: ({ retryable }) =>
    `the service gave this link: ${retryable ? "if it comes so again, tell its operators, or those of a proxy on the way" : "tell its operators"}`,
  listFiles: (error) => `svc-download --list${optionA(error)} shows what there is`,
  lockDir: () => "try again in a minute; if it comes so again, give all steps of one account the same SVC_LOCK_DIR",
  maxRestores: () => "--maxRestores says how many",
  ownDestinations: () => "download them one at a time, each into a --destination of its own",
  overwrite: (error) => {
    switch (error._tag) {
      case "SvcFileDamaged":
        return `--overwrite fetches ${error.overwrite === "both" ? "both" : "it"} again`
      case "SvcFileDiffers":
        return "move it away, or download it with --overwrite"
      case "SvcCannotCreate":
        return "give --overwrite to replace it, or another --destination"
      // What was kept is no error.
      default:
        return "--overwrite replaces it"
    }
  },
  proxyHelper: () =>
    "ask for a proxy or a rule without it, or put a helper such as cntlm or px before it and give its address with --proxy",
  requestRestore: (error) =>
    `svc-request-restore${optionA(error)} asks for it${error._tag === "SvcInArchive" ? "; run again when it is back" : ""}`,
  restoreListed: () =>
    "the service lists it as there, so nothing can be asked for: tell its operators, and run again when it is back",
  restoreUnasked: () => "run svc-request-restore with the same options, or give --restoreArchived force",
  tls: ({ reason }) => onTls[reason as TlsReason]
}

/** The text in the table, which the compiler cannot see is for this very error. */
export const wordsOf = (name: AdviceName, advised: Advised): string =>
  (advices[name] as (of: Advised) => string)(advised)

/** What stands after the sentence of a failure; the advice of a run is said once, at its end. */
export const adviceOf: Advising = (advised) => {
  const name = advised.advice ?? null
  return name === null || runAdvice.some((said) => said === name) ? null : wordsOf(name, advised)
}
