/** Who asks a server for something. It travels in the context of a request, so that no function on its way can forget it. */
import * as Context from "effect/Context"

export interface ReaderView {
  /** Readers of one key take their turns as one: the name that a token has, or the address of who shows none. */
  readonly key: string
  /** Whether this reader may know of an analysis. For one who may not, it is as one that does not exist. */
  readonly mayRead: (analysisId: string) => boolean
}

/** Whoever asks without saying who they are may read everything: who comes in is decided before. */
export const Reader = Context.Reference<ReaderView>("svc-steps/core/serving/Reader/Reader", {
  defaultValue: () => ({ key: "", mayRead: () => true })
})
