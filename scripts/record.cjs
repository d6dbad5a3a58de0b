// Runs an executable and keeps beside it what V8 has compiled of it by its end, with what earlier runs kept: for warm.ts.
const { chmodSync, readFileSync, realpathSync, renameSync, writeFileSync } = require("node:fs")
const { pathToFileURL } = require("node:url")
const vm = require("node:vm")

// V8 refuses what was kept under other flags than it starts with, so a step must not set any while it is recorded.
require("node:v8").setFlagsFromString = () => {}

process.argv.splice(1, 1)
const filename = realpathSync(process.argv[1])
const digest = /"[0-9a-f]{64}"/.exec(readFileSync(filename, "latin1"))[0].slice(1, -1)

const keep = (compiled) => {
  const path = `${filename}.${process.version}.compiled`
  const fresh = `${path}.${process.pid}`
  writeFileSync(fresh, Buffer.concat([Buffer.from(digest), compiled]), { flush: true })
  // The executable takes no functions that others could have written.
  chmodSync(fresh, 0o644)
  renameSync(fresh, path)
}

vm.Script = class extends vm.Script {
  constructor(program, options) {
    super(program, options)
    process.on("exit", () => keep(this.createCachedData()))
  }
}
import(pathToFileURL(filename).href)
