#!/usr/bin/env node
import { prepareNode } from "../main/SupportedNode.ts"

prepareNode()
void import("../main/AllSteps.ts").then(({ run }) => run("svc-sandbox", process.argv.slice(2)))
