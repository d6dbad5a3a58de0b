/** How much memory Node takes for what is thrown away at once. */
import { setFlagsFromString } from "node:v8"

/**
 * Keeps V8's space for new objects as small as it starts, for programs that stream a lot and keep nothing. Every chunk of
 * a body is a buffer outside of the heap and is freed only when that space is cleaned: the more it grows, the more dead
 * buffers wait in between (docs/adr/0011).
 */
export const keepYoungHeapSmall = (): void => setFlagsFromString("--semi-space-growth-factor=1")
