#!/usr/bin/env node
import { exporter } from "../main/Exporter.ts"
import { runStep } from "../main/StepRunner.ts"
import { fetchAnnotationsStep } from "./FetchAnnotationsStep.ts"

runStep(fetchAnnotationsStep, "svc-fetch-annotations", process.argv.slice(2), exporter)
