/** Refuses Deno and Bun when the layers are loaded: a call of Node that is missing there would fail in the middle of a file. */
const other = ["Deno", "Bun"].find((name) => name in globalThis)

if (other !== undefined) {
  throw new Error(
    `svc-steps/node runs on Node 22.19 or newer, and was loaded by ${other}; svc-steps alone needs no Node.`
  )
}

export {}
