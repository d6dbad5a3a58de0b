#!/usr/bin/env node
import { runStep } from "../main/StepRunner.ts"
import { apiStep } from "./ApiStep.ts"

runStep(apiStep, "svc-api", process.argv.slice(2))
