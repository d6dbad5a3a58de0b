#!/usr/bin/env node
import { prepareNode } from "../main/NodeSetup.ts"

prepareNode()
void import("../main/AllSteps.ts").then(({ run }) => run("svc-request-restore", process.argv.slice(2)))
