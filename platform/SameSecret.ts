/** Whether a secret that somebody gave is the right one, in a time that tells nothing about where they differ. */
import { createHash, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"

export const sameSecret = (right: Redacted.Redacted, given: string): boolean =>
  timingSafeEqual(digest(Redacted.value(right)), digest(given))

/** Of equal length whatever the secrets are. */
const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()
