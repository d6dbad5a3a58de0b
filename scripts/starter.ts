/**
 * What every executable does first: the build makes this the body of a function `starter` (scripts/build.ts). The program
 * follows in the same function, each of its lines as a comment: so V8 reads it only once, and not at all where its functions
 * lie beside it, compiled before (scripts/warm.ts, docs/adr/0017).
 */
export {}

/** The function that this is the body of. */
declare const starter: () => void

/** SHA-256 of the program in hex, which the build puts here. */
declare const digest: string

const { closeSync, fstatSync, openSync, readFileSync, statSync } = process.getBuiltinModule("node:fs")
const { getCallSites } = process.getBuiltinModule("node:util")
const { fileURLToPath } = process.getBuiltinModule("node:url")
const { Script } = process.getBuiltinModule("node:vm")

/** Where this file is loaded as a module, as in a package of type `module`, only the call site tells its name: 1 ms of CPU. */
const filename =
  typeof __filename === "string" ? __filename : fileURLToPath(getCallSites(1)[0]?.scriptName ?? "file:///")

/**
 * V8 looks at its own version and at the length of a program, and runs what it is given: so this must be made from this
 * program, and by someone who could have changed the program itself.
 */
const compiled = () => {
  let file: number | null = null
  try {
    file = openSync(`${filename}.${process.version}.compiled`, "r")
    const { mode, uid } = fstatSync(file)
    if ((mode & 0o022) !== 0 || uid !== statSync(filename).uid) return undefined
    const bytes = readFileSync(file)
    return bytes.toString("latin1", 0, digest.length) === digest ? bytes.subarray(digest.length) : undefined
  } catch {
    return undefined
  } finally {
    if (file !== null) closeSync(file)
  }
}

const text = starter.toString()
const program = text.slice(text.indexOf("\n//"), text.lastIndexOf("\n")).replaceAll("\n//", "\n")
new Script(program, { filename, lineOffset: 1, cachedData: compiled() }).runInThisContext()
