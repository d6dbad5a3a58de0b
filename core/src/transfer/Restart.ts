/** What was fetched cannot be completed: the download begins again at byte 0, a bounded number of times. */
import * as Data from "effect/Data"

export class Restart extends Data.TaggedError("Restart")<{
  /** `Changed`: the remote file is another one now. `NoRanges`: the host sends the whole file or nothing. */
  readonly cause: "Changed" | "NoRanges"
  readonly reason: string
}> {}
