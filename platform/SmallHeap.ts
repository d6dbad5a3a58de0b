/** How much memory Node takes for what is thrown away. */
import { setFlagsFromString } from "node:v8"

/**
 * Keeps V8's heap near what is in use, for programs that stream a lot and keep little.
 *
 * - The space for new objects stays as small as it starts: every chunk of a body is a buffer outside of the heap and is freed only
 *   when that space is cleaned (docs/adr/0011). It is cleaned when it is full: by default this waits for an idle moment, and the
 *   plan of 10,000 files, made in one go, let it grow to 25 MB that were never given back.
 * - The space for old objects is cleaned when it grew by 20 %, while by default it may grow to several times its size.
 */
export const keepHeapSmall = (): void =>
  setFlagsFromString("--semi-space-growth-factor=1 --no-minor-gc-task --heap-growing-percent=20")

/** From so many analyses or files on, V8's compilers cost more memory than a run should take. */
const many = 1000

/**
 * Lets V8's compilers do less where a run is about many analyses or files, since malloc keeps what compiling took on each of four threads.
 *
 * - Maglev, the middle compiler, is left out: after some 600 analyses, 83 functions get hot in one moment, and compiling them took 10 MB.
 *   Small runs keep it: without it they take 7 % more CPU.
 * - TurboFan, the last one, waits for 100,000 calls of a function instead of 3,000: what is called once for each file was compiled
 *   in the middle of the run, and took 6 MB. The CPU of 10,000 files is the same within its noise, as is that of scanning 1.4 GB of records.
 */
export const keepCompilersSmall = (count: number): void => {
  if (count > many) setFlagsFromString("--no-maglev --invocation-count-for-turbofan=100000")
}
