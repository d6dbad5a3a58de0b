/** Compares a given secret with the right one in constant time, so that the time says nothing about where they differ. */
import { createHash, timingSafeEqual } from "node:crypto"
import * as Redacted from "effect/Redacted"

export const sameSecret = (right: Redacted.Redacted, given: string): boolean =>
  timingSafeEqual(digest(Redacted.value(right)), digest(given))

/** A digest has the same length for every secret, as `timingSafeEqual` demands. */
const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()
