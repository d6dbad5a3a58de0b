#!/usr/bin/env node
import { exporter } from "../main/Exporter.ts"
import { runStep } from "../main/StepRunner.ts"
import { requestRestoreStep } from "./RequestRestoreStep.ts"

runStep(requestRestoreStep, "svc-request-restore", process.argv.slice(2), exporter)
