/**
 * The program of a thread that makes pieces of slices and inflates blocks. It loads nothing of Effect, and so starts in some
 * ten milliseconds.
 */
import { parentPort, workerData } from "node:worker_threads"
import { type BlockRun, type InflatedRun, inflateRun } from "../../core/src/genome/bgzf/BlockRun.ts"
import type { FetchedRange, PieceStretch, SliceJob } from "../../core/src/genome/slice/PieceJob.ts"
import * as OpenSlice from "../../core/src/genome/slice/PieceJob.ts"
import * as PieceScan from "../../core/src/genome/slice/PieceScan.ts"
import * as BlockCodec from "../inflate/BlockCodec.ts"
import { DeflateGate } from "./DeflateGate.ts"

/** Orders from the main thread. */
export type Order =
  | { readonly _tag: "Open"; readonly job: number; readonly about: SliceJob }
  | { readonly _tag: "Close"; readonly job: number }
  | {
      readonly _tag: "Take"
      readonly id: number
      readonly job: number
      readonly piece: number
      /** With the first fetched ranges of a piece. */
      readonly stretches: ReadonlyArray<PieceStretch> | null
      readonly buffer: ArrayBuffer | null
      readonly ranges: ReadonlyArray<Omit<FetchedRange, "buffer">>
      readonly isLast: boolean
    }
  | {
      readonly _tag: "Inflate"
      readonly id: number
      readonly run: BlockRun
      /** Where it is inflated; this buffer and that of the run come back with the report. */
      readonly buffer: Uint8Array<ArrayBuffer>
    }

/** Reports to the main thread; `id` is the id of the order. */
export type Report =
  | {
      readonly _tag: "Step"
      readonly id: number
      readonly result: PieceScan.StepResult
      readonly buffers: ReadonlyArray<ArrayBuffer>
      /** Output bytes that were made here and do not lie in `buffers`. */
      readonly made: ArrayBuffer
      /** The output in order, three numbers per piece: index into `buffers` (-1 for `made`), first byte, byte after the last. */
      readonly output: ReadonlyArray<number>
    }
  | { readonly _tag: "Inflated"; readonly id: number; readonly run: InflatedRun }

const gate = new DeflateGate(workerData)
const blocks = BlockCodec.make()
const codec: typeof blocks = {
  ...blocks,
  deflateRaw: (bytes, level) => gate.pass(() => blocks.deflateRaw(bytes, level))
}

/** The output of a piece since its last step. */
class Output {
  buffers: Array<ArrayBuffer> = []
  #made = new Uint8Array(0)
  #length = 0
  #pieces: Array<number> = []

  add(bytes: Uint8Array): void {
    const buffer = this.buffers.indexOf(bytes.buffer as ArrayBuffer)
    const from = buffer === -1 ? this.#copy(bytes) : bytes.byteOffset
    const last = this.#pieces.length - 3
    // Neighbours are one again.
    if (last >= 0 && this.#pieces[last] === buffer && this.#pieces[last + 2] === from) {
      this.#pieces[last + 2] = from + bytes.length
    } else this.#pieces.push(buffer, from, from + bytes.length)
  }

  take(): Pick<Extract<Report, { readonly _tag: "Step" }>, "buffers" | "made" | "output"> {
    const taken = { buffers: this.buffers, made: this.#made.buffer, output: this.#pieces }
    this.buffers = []
    this.#made = new Uint8Array(0)
    this.#length = 0
    this.#pieces = []
    return taken
  }

  #copy(bytes: Uint8Array): number {
    const at = this.#length
    this.#length += bytes.length
    if (this.#length > this.#made.length) {
      const larger = new Uint8Array(Math.max(0x20000, 2 * this.#length))
      larger.set(this.#made.subarray(0, at))
      this.#made = larger
    }
    this.#made.set(bytes, at)
    return at
  }
}

interface Piece {
  readonly scan: PieceScan.PieceScan
  readonly output: Output
}

interface Job {
  readonly slice: OpenSlice.OpenSlice
  readonly pieces: Map<number, Piece>
}

const jobs = new Map<number, Job>()

const tell = (report: Report, transfer: Array<ArrayBuffer>) => parentPort?.postMessage(report, transfer)

const take = ({ id, isLast, job, piece, buffer, stretches, ranges }: Extract<Order, { readonly _tag: "Take" }>) => {
  const own = jobs.get(job)
  if (own === undefined) return
  if (stretches !== null) {
    const output = new Output()
    const scan = PieceScan.make(own.slice, stretches, codec, (bytes) => output.add(bytes))
    own.pieces.set(piece, { scan, output })
  }
  const found = own.pieces.get(piece)
  if (found === undefined) return
  const { output, scan } = found
  if (buffer !== null) output.buffers.push(buffer)
  const bytes = new Uint8Array(buffer ?? new ArrayBuffer(0))
  const result = scan.take(
    ranges.map((range) => ({ ...range, buffer: bytes })),
    isLast
  )
  if (result._tag === "Needs") {
    tell({ _tag: "Step", id, result, buffers: [], made: new ArrayBuffer(0), output: [] }, [])
    return
  }
  if (result._tag !== "Used") own.pieces.delete(piece)
  const made = output.take()
  tell({ _tag: "Step", id, result, ...made }, [...made.buffers, made.made])
}

const inflate = ({ id, buffer, run }: Extract<Order, { readonly _tag: "Inflate" }>) => {
  const inflated = inflateRun(codec, run, buffer)
  tell({ _tag: "Inflated", id, run: inflated }, [buffer.buffer, run.bytes.buffer])
}

parentPort?.on("message", (order: Order) => {
  switch (order._tag) {
    case "Open":
      jobs.set(order.job, { slice: OpenSlice.open(order.about), pieces: new Map() })
      break
    case "Close":
      jobs.delete(order.job)
      break
    case "Take":
      take(order)
      break
    case "Inflate":
      inflate(order)
  }
})
