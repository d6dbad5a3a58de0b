#!/usr/bin/env node
/** Each executable: `scripts/build.ts` writes this under every name, and by its name it is that step, or `svc-steps`. */
import { basename } from "node:path"
import { prepareNode } from "./NodeSetup.ts"

prepareNode()
const name = basename(new URL(import.meta.url).pathname, ".js")
void import("./AllSteps.ts").then(({ run }) => run(name, process.argv.slice(2)))
