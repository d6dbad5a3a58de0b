#!/usr/bin/env node
import { runStep } from "../main/StepRunner.ts"
import { downloadStep } from "./DownloadStep.ts"

runStep(downloadStep, "svc-download", process.argv.slice(2))
