#!/usr/bin/env node
import { runStep } from "../main/StepRunner.ts"
import { requestRestoreStep } from "./RequestRestoreStep.ts"

runStep(requestRestoreStep, "svc-request-restore", process.argv.slice(2))
