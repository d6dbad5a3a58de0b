#!/usr/bin/env node
import { exporter } from "../main/Exporter.ts"
import { runStep } from "../main/StepRunner.ts"
import { gatewayStep } from "./GatewayStep.ts"

runStep(gatewayStep, "svc-gateway", process.argv.slice(2), exporter)
