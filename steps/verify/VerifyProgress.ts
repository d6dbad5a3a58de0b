/** How far a verification is, for a person: one line about all files. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { printable } from "../../core/src/text/Printable.ts"
import { humanSize } from "../../core/src/text/Size.ts"
import type { Target } from "../../core/src/verify/Targets.ts"
import type { Verdict } from "../../core/src/verify/Verdict.ts"
import { type StatusScreen, showStatus } from "../main/LiveStatus.ts"
import { clockText, cutInFront, firstThatFits, rateOf, secondsLeft } from "../main/StatusText.ts"

export interface VerifyState {
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
export const makeVerifyProgress = Effect.fnUntraced(function* (
  screen: StatusScreen,
  targets: ReadonlyArray<Target>
): Effect.fn.Return<
  {
    readonly progress: (path: string, bytes: number) => Effect.Effect<void>
    readonly settled: (verdict: Verdict) => Effect.Effect<void>
  },
  never,
  Scope.Scope
> {
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
    progress: (path, current) => Ref.update(state, (old) => ({ ...old, path, current })),
    settled: ({ bytes }) =>
      Ref.update(state, (old) => ({ ...old, files: old.files + 1, settled: old.settled + (bytes ?? 0), current: 0 }))
  }
})
