/**
 * A process that downloads one file and prints what came of it, and the memory it took (`maxRss`, kB), as one line of
 * JSON: `node download-one.ts OPTIONS`, where OPTIONS is JSON with `link`, `size`, `directory`, `overwrite`, and `checksums` where one is wanted.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Redacted, Runtime, Schema } from "effect"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import { live } from "./LiveTransfer.ts"

const Options = Schema.fromJsonString(
  Schema.Struct({
    link: Schema.String,
    size: Schema.NullOr(Schema.Int),
    directory: Schema.String,
    overwrite: Schema.Boolean,
    checksums: Schema.optionalKey(Schema.Literal("sha256"))
  })
)

const program = Effect.gen(function* () {
  const { link, ...options } = yield* Schema.decodeEffect(Options)(process.argv[2] ?? "")
  const again = { link: Redacted.make(link), size: null }
  const download = Effect.flatMap(FileTransfer, (transfer) =>
    transfer.download({
      ...options,
      target: "test",
      analysisId: "A1",
      fileName: "s.bam",
      name: "s.bam",
      check: "none",
      link: again.link,
      renewLink: Effect.succeed(again),
      progress: ({ _tag }) => (_tag === "Bytes" ? Effect.void : Effect.sync(() => process.stderr.write(`${_tag}\n`)))
    })
  )
  const outcome = yield* download.pipe(Effect.provide(live(link)))
  process.stdout.write(`${JSON.stringify({ ...outcome, maxRss: process.resourceUsage().maxRSS })}\n`)
}).pipe(
  Effect.tapError((error) =>
    Effect.sync(() =>
      process.stdout.write(
        `${JSON.stringify({ error: error._tag, message: error.message, exit: Runtime.getErrorExitCode(error) })}\n`
      )
    )
  )
)

NodeRuntime.runMain(program, { disableErrorReporting: true })
