#!/usr/bin/env node
import { prepareNode } from "../main/NodeSetup.ts"

prepareNode()
void import("../main/AllSteps.ts").then(({ run }) => run("svc-api", process.argv.slice(2)))
