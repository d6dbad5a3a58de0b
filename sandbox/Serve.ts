/** The process of `svc-sandbox`. Exit codes: 0 when a signal ended it, 64 usage, 65 and 66 an input, 69 a port, 1 a defect. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Runtime from "effect/Runtime"
import { type HelpText, runSandbox } from "./CommandLine.ts"

const Edge = Layer.mergeAll(NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]))

export const serve = (argv: ReadonlyArray<string>, helpText: HelpText): void =>
  runSandbox(argv, helpText).pipe(
    Effect.provide(Edge),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit, onExit) => {
        if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
        // What fails has been said; a defect has not.
        if (Cause.hasDies(exit.cause))
          process.stderr.write(`svc-sandbox: internal error: ${Cause.squash(exit.cause)}\n`)
        onExit(Runtime.getErrorExitCode(Cause.squash(exit.cause)))
      }
    })
  )
