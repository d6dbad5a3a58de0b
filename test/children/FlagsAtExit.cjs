/** Loaded before a program: when that ends, it writes to stderr which of V8's flags in `FLAGS` had been set. */
const { cachedDataVersionTag, setFlagsFromString } = require("node:v8")

/** The tag depends on the values of all flags: it stays the same when a flag is set again. */
const wasSet = (flag) => {
  const before = cachedDataVersionTag()
  setFlagsFromString(flag)
  return cachedDataVersionTag() === before
}

process.on("exit", () => {
  const flags = process.env.FLAGS.split(" ")
  process.stderr.write(`\nflags: ${flags.filter(wasSet).join(" ")}\n`)
})
