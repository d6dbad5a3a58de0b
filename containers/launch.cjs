#!/usr/bin/env node
// Every `svc-*` of the image is a link to this file. It starts the executable of that name from functions that were compiled when the
// image was built (warm.ts). Node's own compile cache would need a folder for each user id, and keeps less (docs/adr/0013).
const { readFileSync } = require("node:fs")
const { basename } = require("node:path")
const { Script } = require("node:vm")

const filename = `${__dirname}/${basename(process.argv[1])}.js`
process.argv[1] = filename
// What another Node compiled is refused by V8 and compiled again: slower, and nothing else.
new Script(readFileSync(filename, "utf8"), {
  filename,
  cachedData: readFileSync(`${filename}.compiled`)
}).runInThisContext()
