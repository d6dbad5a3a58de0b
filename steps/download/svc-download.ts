#!/usr/bin/env node
import { exporter } from "../main/Exporter.ts"
import { runStep } from "../main/StepRunner.ts"
import { downloadStep } from "./DownloadStep.ts"

runStep(downloadStep, "svc-download", process.argv.slice(2), exporter)
