// Runs an executable as launch.cjs does, from what earlier runs kept, and adds what this one compiled: for warm.ts.
const { existsSync, readFileSync, writeFileSync } = require("node:fs")
const { Script } = require("node:vm")

// V8 refuses what was kept under other flags than it starts with, so a step must not set any while it is recorded.
require("node:v8").setFlagsFromString = () => {}

process.argv.splice(1, 1)
const filename = process.argv[1]
const kept = `${filename}.compiled`
const cachedData = existsSync(kept) ? readFileSync(kept) : undefined
const script = new Script(readFileSync(filename, "utf8"), { filename, cachedData })
process.on("exit", () => writeFileSync(kept, script.createCachedData()))
script.runInThisContext()
