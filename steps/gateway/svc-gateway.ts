#!/usr/bin/env node
import { runStep } from "../main/StepRunner.ts"
import { gatewayStep } from "./GatewayStep.ts"

runStep(gatewayStep, "svc-gateway", process.argv.slice(2))
