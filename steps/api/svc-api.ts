#!/usr/bin/env node
import { exporter } from "../main/Exporter.ts"
import { runStep } from "../main/StepRunner.ts"
import { apiStep } from "./ApiStep.ts"

runStep(apiStep, "svc-api", process.argv.slice(2), exporter)
