#!/usr/bin/env node
import { exporter } from "../main/Exporter.ts"
import { runStep } from "../main/StepRunner.ts"
import { resumeRestoreStep } from "./ResumeRestoreStep.ts"

runStep(resumeRestoreStep, "svc-resume-restore", process.argv.slice(2), exporter)
