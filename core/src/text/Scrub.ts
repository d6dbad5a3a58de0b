/** What the service said in an error may repeat passwords, tokens and signed links; whoever shows it asks here first. */
import { Context } from "effect"

/** Hides the secrets of this process in a text; the program that runs provides it, and without one nothing is hidden. */
export const Scrub: Context.Reference<(text: string) => string> = Context.Reference<(text: string) => string>(
  "svc-steps/core/text/Scrub",
  { defaultValue: () => (text) => text }
)
