#!/usr/bin/env node
import { exporter } from "../main/Exporter.ts"
import { runStep } from "../main/StepRunner.ts"
import { doctorStep } from "./DoctorStep.ts"

runStep(doctorStep, "svc-doctor", process.argv.slice(2), exporter)
