/** The program of `svc-verify`: finds the files, checks them, says what it found. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import { errnoOf, LocalIo, NotFound, NothingToVerify } from "../../core/src/Errors.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { humanSize } from "../../core/src/text/Quantity.ts"
import { parseManifest, refusedManifest } from "../../core/src/verify/Manifest.ts"
import { findTargets, type Target } from "../../core/src/verify/Targets.ts"
import {
  exitCodeOf,
  summary,
  totalsOf,
  unprovenSentence,
  type Verdict,
  verdictLine,
  verdictsJson
} from "../../core/src/verify/Verdict.ts"
import { verify } from "../../core/src/verify/Verification.ts"
import * as FileSource from "../../platform/files/NodeFileSource.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import * as LogOutput from "../../platform/terminal/LogOutput.ts"
import { Screen } from "../../platform/terminal/Screen.ts"
import { makeProgram, valuesOf, withProblems } from "../main/Program.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"
import {
  clockText,
  cutInFront,
  firstThatFits,
  rateOf,
  type StatusScreen,
  secondsLeft,
  showStatus
} from "../main/Status.ts"
import type { ValuesOf } from "../main/Step.ts"
import { version } from "../main/Version.ts"
import type { options } from "./VerifyStep.ts"

/** A manifest is read whole; this many bytes name some hundred thousand files. */
const largestManifest = 256 * 1024 * 1024

interface VerifyRequest extends ValuesOf<typeof options> {
  readonly operands: ReadonlyArray<string>
}

export const program = makeProgram(
  (_settings, operands, own) => {
    const values = valuesOf<typeof options>(own)
    const nothing = operands.length === 0 && values.against === null
    return withProblems(Result.succeed({ ...values, operands }), [
      ...(operands.includes("") ? ["PATH must not be empty"] : []),
      ...(nothing ? ["Nothing to check: give files or folders, or --against with a report"] : [])
    ])
  },
  Effect.fnUntraced(function* (_settings: LocalSettings, { against, format, operands }: VerifyRequest) {
    const manifest = against === null ? null : { file: against, ...(yield* readManifest(against)) }
    const targets = yield* findTargets(operands, manifest)
    const verdicts = yield* checkTargets(targets, format === "text")
    const nothing = nothingIn(operands, against, targets, verdicts)
    if (format === "json") yield* printDocument(verdictsJson(version, verdicts, nothing))
    const code = exitCodeOf(verdicts, nothing)
    const last = nothing?.message ?? summary(totalsOf(verdicts))
    yield* code === 0 ? Effect.logInfo(last) : LogOutput.failure(last)
    return code
  })
)

/** What a report says was left in the archive is as the report says when it is not there. */
const nothingIn = (
  operands: ReadonlyArray<string>,
  against: string | null,
  targets: ReadonlyArray<Target>,
  verdicts: ReadonlyArray<Verdict>
): NothingToVerify | null => {
  const reason = targets.some(({ role }) => role._tag === "Absent") ? null : unprovenSentence(verdicts)
  const where = [...operands, ...(against === null ? [] : [against])].join(", ")
  return reason === null ? null : new NothingToVerify({ where, reason })
}

const readManifest = Effect.fn("svc.step.readManifest")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const failed = (error: PlatformError.PlatformError) =>
    errnoOf(error) === "ENOENT" ? new NotFound({ what: path }) : LocalIo.of("read", path)(error)
  const { size } = yield* Effect.mapError(fs.stat(path), failed)
  if (size > largestManifest) {
    return yield* refusedManifest(path, "too large for a report or list of checksums")
  }
  return yield* Effect.fromResult(parseManifest(path, yield* Effect.mapError(fs.readFileString(path), failed)))
})

const checkTargets = Effect.fnUntraced(function* (targets: ReadonlyArray<Target>, print: boolean) {
  const screen = yield* Screen
  const { progress, settled } = yield* makeVerifyProgress(screen, targets)
  return yield* verify(targets, {
    progress,
    verdict: (verdict) => Effect.andThen(settled(verdict), print ? say(screen, verdictLine(verdict)) : Effect.void)
  }).pipe(Effect.provide([FileSource.layer, ZlibCodec.layer]))
}, Effect.scoped)

/** Standard output is often the terminal that shows the status: a line below the status would be wiped out with it. */
const say = (screen: Screen["Service"], line: string) =>
  Effect.andThen(
    Effect.sync(() => screen.status([])),
    printLines(line)
  )

interface VerifyState {
  readonly files: { readonly done: number; readonly all: number }
  readonly bytes: { readonly done: number; readonly all: number }
  /** The file at work. */
  readonly path: string
  readonly milliseconds: number
}

/** `2 of 9 files, 1.2 GiB of 3.0 GiB, 310.0 MiB/s, 0:06 left: data/S1.bam`, shorter than `columns`. */
export const verifyStateLine = ({ bytes, files, milliseconds, path }: VerifyState, columns: number): string => {
  const rate = rateOf(bytes.done, milliseconds)
  const left = secondsLeft(bytes.all - bytes.done, rate)
  const time = left === null ? "" : `, ${clockText(left)} left`
  const speed = rate === null || rate === 0 ? "" : `, ${humanSize(rate)}/s`
  const amount = `${humanSize(bytes.done)} of ${humanSize(bytes.all)}`
  const all = `${files.done} of ${files.all} files, ${amount}${speed}${time}`
  const room = columns - 1 - all.length - 2
  const name = path === "" || room < 8 ? [] : [`${all}: ${cutInFront(printable(path), room)}`]
  return firstThatFits(
    [...name, all, `${files.done}/${files.all}, ${amount}${time}`, `${files.done}/${files.all}${time}`],
    columns
  )
}

const sizeOf = ({ role }: Target): number => (role._tag === "File" ? role.bytes : 0)

/** Shows how far it is until the scope closes. */
export const makeVerifyProgress = Effect.fnUntraced(function* (screen: StatusScreen, targets: ReadonlyArray<Target>) {
  const started = yield* Clock.currentTimeMillis
  const all = targets.reduce((sum, target) => sum + sizeOf(target), 0)
  const state = yield* Ref.make({ files: 0, settled: 0, path: "", current: 0 })
  yield* showStatus(
    screen,
    Effect.fnUntraced(function* (columns) {
      const { current, files, path, settled } = yield* Ref.get(state)
      const now = {
        files: { done: files, all: targets.length },
        bytes: { done: settled + current, all },
        path,
        milliseconds: (yield* Clock.currentTimeMillis) - started
      }
      return [verifyStateLine(now, columns)]
    })
  )
  return {
    progress: (path: string, current: number) => Ref.update(state, (old) => ({ ...old, path, current })),
    settled: ({ bytes }: Verdict) =>
      Ref.update(state, (old) => ({ ...old, files: old.files + 1, settled: old.settled + (bytes ?? 0), current: 0 }))
  }
})
