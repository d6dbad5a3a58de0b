#!/usr/bin/env node
import { runStep } from "../main/StepRunner.ts"
import { fetchAnnotationsStep } from "./FetchAnnotationsStep.ts"

runStep(fetchAnnotationsStep, "svc-fetch-annotations", process.argv.slice(2))
