#!/usr/bin/env node
import { prepareNode } from "./NodeSetup.ts"

prepareNode()
void import("./AllSteps.ts").then(({ run }) => run("svc-steps", process.argv.slice(2)))
