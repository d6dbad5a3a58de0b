/**
 * What a caller can say about a request besides the request itself.
 */
import { Context } from "effect"

/** Set to `true` around a PUT or POST that may be sent twice: it then counts as a GET when the session breaks. */
export const RepeatSafe: Context.Reference<boolean> = Context.Reference<boolean>("svc-steps/core/session/RepeatSafe", {
  defaultValue: () => false
})

/** Set to `true` around a request whose reply takes minutes to begin, such as a case report. */
export const SlowReply: Context.Reference<boolean> = Context.Reference<boolean>("svc-steps/core/session/SlowReply", {
  defaultValue: () => false
})
