/** Refuses an old Node, Deno and Bun when the layers are loaded: a call that is missing there would fail in the middle of a file. */
import { olderNode, oldestNode } from "./SupportedNode.ts"

const older = olderNode()
const other = ["Deno", "Bun"].find((name) => name in globalThis) ?? (older === null ? null : `Node ${older}`)

if (other !== null) {
  throw new Error(
    `svc-steps/node and svc-steps/sandbox run on Node ${oldestNode} or newer, and were loaded by ${other}; svc-steps alone needs no Node.`
  )
}
