#!/usr/bin/env node
import { runStep } from "../main/StepRunner.ts"
import { verifyStep } from "./VerifyStep.ts"

runStep(verifyStep, "svc-verify", process.argv.slice(2), null)
