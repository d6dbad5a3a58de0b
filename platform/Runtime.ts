/** Elsewhere than on Node these layers would fail in mid-file, by a call that is missing there: so that is said where they are loaded. */
const other = ["Deno", "Bun"].find((name) => name in globalThis)

if (other !== undefined) {
  throw new Error(
    `svc-steps/node runs on Node 22.19 or newer, and was loaded by ${other}; svc-steps alone needs no Node.`
  )
}

export {}
