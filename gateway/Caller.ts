/** The caller of a request: the address under which it reaches the gateway, and the header fields that its tickets must carry. */
import * as Context from "effect/Context"

export interface CallerView {
  /** Without a slash at its end; with the token when the caller has it in the path. */
  readonly base: string
  /** The fields that a request to the gateway needs, for tickets. */
  readonly headers: Readonly<Record<string, string>>
}

export const Caller = Context.Reference<CallerView>("svc-steps/gateway/Caller/Caller", {
  defaultValue: () => ({ base: "", headers: {} })
})

/** The address of a file, as the caller reaches it. */
export const fileUrl = ({ base }: CallerView, analysisId: string, fileName: string): string =>
  `${base}/files/${encodeURIComponent(analysisId)}/${encodeURIComponent(fileName)}`
