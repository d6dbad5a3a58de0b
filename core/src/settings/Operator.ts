/** The person at the terminal, if there is one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/**
 * Asks the person at the terminal. Questions go to the terminal, never to standard output.
 *
 * Without a terminal nobody is asked: `present` is false, `confirm` answers no at once, and callers must not ask for
 * a `line` or a `secret`.
 *
 * **Example** (A program that agrees to each restoration)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Settings } from "svc-steps"
 * import { Service } from "svc-steps/node"
 *
 * const operator = Settings.Operator.of({
 *   ...Settings.Operator.absent,
 *   present: true,
 *   confirm: (question) => Effect.as(Effect.logInfo(question), true)
 * })
 * const layer = Service.layerConfig(Settings.serviceConfig, { operator })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Operator extends Context.Service<
  Operator,
  {
    readonly present: boolean
    /** One line of text. */
    readonly line: (question: string) => Effect.Effect<string>
    /** One line that is not shown while it is typed. */
    readonly secret: (question: string) => Effect.Effect<Redacted.Redacted>
    /** Yes or no; anything but a clear yes is no. */
    readonly confirm: (question: string) => Effect.Effect<boolean>
  }
>()("svc-steps/core/settings/Operator") {
  /** Nobody is there: for tests and unattended runs. */
  static readonly absent = Operator.of({
    present: false,
    line: () => Effect.succeed(""),
    secret: () => Effect.die("nobody is at the terminal"),
    confirm: () => Effect.succeed(false)
  })
}
