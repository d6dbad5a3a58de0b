/** How much memory Node takes for what is thrown away. */
import { setFlagsFromString } from "node:v8"

/**
 * Keeps V8's heap near what is in use, for programs that stream a lot and keep little.
 *
 * - The space for new objects stays as small as it starts: every chunk of a body is a buffer outside of the heap and is freed only
 *   when that space is cleaned (docs/adr/0011). It is cleaned when it is full: by default this waits for an idle moment, and the
 *   plan of 10,000 files, made in one go, let it grow to 25 MB that were never given back.
 * - The space for old objects is cleaned when it grew by 20 %, while by default it may grow to several times its size.
 * - Maglev, the compiler between the first and the best, is off: it held the memory of 83 functions that got hot in one moment,
 *   10 MB that malloc kept.
 */
export const keepHeapSmall = (): void =>
  setFlagsFromString("--semi-space-growth-factor=1 --no-minor-gc-task --heap-growing-percent=20 --no-maglev")
