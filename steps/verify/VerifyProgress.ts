/** How far a verification is, for a person: one line that is redrawn in place, on a terminal only. */
import { Clock, Effect, Ref, Schedule, type Scope } from "effect"
import { printable } from "../../core/src/selection/Printable.ts"
import { humanSize } from "../../core/src/selection/Size.ts"
import type { Target } from "../../core/src/verify/Targets.ts"
import type { Verdict } from "../../core/src/verify/Verdict.ts"
import type { Screen } from "../../platform/Screen.ts"

export interface Standing {
  readonly files: { readonly done: number; readonly all: number }
  readonly bytes: { readonly done: number; readonly all: number }
  /** The file at work. */
  readonly path: string
  readonly milliseconds: number
}

/** `2 of 9 files, 1.2 GiB of 3.0 GiB, 310.0 MiB/s, 6 s left: data/S1.bam`, shorter than `columns`. */
export const standingLine = ({ bytes, files, milliseconds, path }: Standing, columns: number): string => {
  const perSecond = milliseconds < 1000 ? 0 : Math.round((bytes.done * 1000) / milliseconds)
  const rate =
    perSecond === 0 ? "" : `, ${humanSize(perSecond)}/s, ${Math.ceil((bytes.all - bytes.done) / perSecond)} s left`
  const line = `${files.done} of ${files.all} files, ${humanSize(bytes.done)} of ${humanSize(bytes.all)}${rate}${path === "" ? "" : `: ${printable(path)}`}`
  const characters = [...line]
  return characters.length < columns ? line : `${characters.slice(0, columns - 2).join("")}…`
}

const redraw = Schedule.spaced("200 millis")

const sizeOf = ({ role }: Target): number => (role._tag === "File" ? role.bytes : 0)

/** Draws until the scope closes, then removes what it drew. */
export const makeVerifyProgress = Effect.fnUntraced(function* (
  screen: Pick<Screen["Service"], "live" | "columns" | "status">,
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
  const draw = Effect.gen(function* () {
    const { current, files, path, settled } = yield* Ref.get(state)
    const standing = {
      files: { done: files, all: targets.length },
      bytes: { done: settled + current, all },
      path,
      milliseconds: (yield* Clock.currentTimeMillis) - started
    }
    screen.status([standingLine(standing, screen.columns())])
  })
  if (screen.live) {
    yield* Effect.addFinalizer(() => Effect.sync(() => screen.status([])))
    yield* Effect.forkScoped(Effect.repeat(draw, redraw))
  }
  return {
    progress: (path, current) => Ref.update(state, (old) => ({ ...old, path, current })),
    settled: ({ bytes }) =>
      Ref.update(state, (old) => ({ ...old, files: old.files + 1, settled: old.settled + (bytes ?? 0), current: 0 }))
  }
})
