/** A thread that does nothing but deflate. */
import { parentPort, workerData } from "node:worker_threads"
import { deflateRawSync } from "node:zlib"
import { DeflateGate } from "../../platform/threads/DeflateGate.ts"

const gate = new DeflateGate(workerData)
const bytes = new Uint8Array(10)
parentPort?.postMessage("deflates")
for (;;) gate.pass(() => deflateRawSync(bytes))
