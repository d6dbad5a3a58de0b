/** The Operator at a terminal: questions on standard error, answers from standard input, hidden when they are secret. */
import { StringDecoder } from "node:string_decoder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Operator } from "../../core/src/settings/Operator.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"

/** The streams and the interruption that this module needs of a terminal; `process` has them. */
export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
  /** What questions go through before they are shown. */
  readonly prose: (text: string) => string
  /** Stops the program as Ctrl-C does (`SIGINT`), or as the end of its terminal does. */
  readonly interrupt: (signal: "SIGINT" | "SIGHUP") => void
}

type Answer =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "typing" }
  /** Ctrl-C. */
  | { readonly kind: "stop" }
  /** Ctrl-D: there will be no answer. */
  | { readonly kind: "end" }

/**
 * One line typed in raw mode, fed character by character: rubbing out, Ctrl-U, Ctrl-C and Ctrl-D work; escape sequences
 * of arrow keys and pasting are dropped. Exported for its test.
 */
export const makeLine = (echo: (text: string) => void) => {
  let typed: Array<string> = []
  let sequence: "none" | "began" | "inside" = "none"
  const rubOut = (count: number) => echo("\b \b".repeat(count))
  return (character: string): Answer => {
    if (sequence === "began") {
      sequence = character === "[" || character === "O" ? "inside" : "none"
      return { kind: "typing" }
    }
    if (sequence === "inside") {
      if (character >= "@" && character <= "~") sequence = "none"
      return { kind: "typing" }
    }
    switch (character) {
      case "\r":
      case "\n":
        return { kind: "line", text: typed.join("") }
      case "\u0003":
        return { kind: "stop" }
      case "\u0004":
        return typed.length === 0 ? { kind: "end" } : { kind: "typing" }
      case "\u007f":
      case "\b":
        if (typed.pop() !== undefined) rubOut(1)
        return { kind: "typing" }
      case "\u0015":
        rubOut(typed.length)
        typed = []
        return { kind: "typing" }
      case "\u001b":
        sequence = "began"
        return { kind: "typing" }
      default:
        if (character >= " ") {
          typed.push(character)
          echo(character)
        }
        return { kind: "typing" }
    }
  }
}

/** False when the terminal has gone away: then the system refuses it. */
const setRawMode = (stdin: TerminalStreams["stdin"], raw: boolean): boolean => {
  try {
    stdin.setRawMode(raw)
    return true
  } catch {
    return false
  }
}

/** Null when there will be no answer. */
const ask = ({ interrupt, prose, stderr, stdin }: TerminalStreams, question: string, hidden: boolean) =>
  Effect.callback<string | null>((resume) => {
    const read = makeLine(hidden ? () => {} : (text) => stderr.write(text))
    // A letter of several bytes may come in two pieces.
    const decoder = new StringDecoder("utf8")
    const stop = () => {
      stdin.off("data", onData)
      stdin.off("end", onEnd)
      stdin.off("error", onEnd)
      setRawMode(stdin, false)
      stdin.pause()
      stderr.write("\n")
    }
    const onEnd = () => {
      stop()
      resume(Effect.succeed(null))
    }
    // An interruption comes back as the end of this effect, whose finalizer is `stop`.
    const onData = (chunk: Buffer) => {
      const characters = [...decoder.write(chunk)]
      for (const [index, character] of characters.entries()) {
        const answer = read(character)
        if (answer.kind === "stop") return interrupt("SIGINT")
        if (answer.kind === "end") return onEnd()
        if (answer.kind === "line") {
          const ahead = characters.slice(index + 1).join("")
          stop()
          // What was pasted beyond this line answers the next question.
          if (ahead !== "") stdin.unshift(Buffer.from(ahead))
          return resume(Effect.succeed(answer.text))
        }
      }
    }
    // Standard input has ended already, so no event will come. Raw mode stops the echo before the question is shown, so a
    // password typed early is not shown either.
    if (stdin.readableEnded || !setRawMode(stdin, true)) return resume(Effect.succeed(null))
    stdin.on("data", onData)
    stdin.once("end", onEnd)
    stdin.once("error", onEnd)
    stdin.resume()
    stderr.write(printable(prose(question)))
    return Effect.sync(stop)
  })

/** A person is asked only when both directions are a terminal. Exported for its test. */
export const makeOperator = (streams: TerminalStreams): Operator["Service"] => {
  if (streams.stdin.isTTY !== true || streams.stderr.isTTY !== true) return Operator.absent
  const { interrupt, stdin } = streams
  // A step cannot go on without a user name or password, so no answer ends it.
  const stop = Effect.sync(() => interrupt(stdin.readableEnded || stdin.destroyed ? "SIGHUP" : "SIGINT"))
  const orInterrupt = (asking: Effect.Effect<string | null>) =>
    Effect.flatMap(asking, (text) => (text === null ? Effect.andThen(stop, Effect.never) : Effect.succeed(text)))
  return {
    present: true,
    line: (question) => orInterrupt(ask(streams, question, false)),
    secret: (question) => Effect.map(orInterrupt(ask(streams, question, true)), (text) => Redacted.make(text)),
    confirm: (question) =>
      Effect.map(ask(streams, `${question} [y/N] `, false), (text) =>
        ["y", "yes"].includes(text?.trim().toLowerCase() ?? "")
      )
  }
}

/**
 * The Operator of this process. Ctrl-C at a question stops the program as it does elsewhere; Ctrl-D is no answer, which
 * counts as no.
 */
export const layer = Layer.effect(
  Operator,
  Effect.map(Scrubber, ({ prose }) =>
    makeOperator({
      prose,
      stdin: process.stdin,
      stderr: process.stderr,
      interrupt: (signal) => process.kill(process.pid, signal)
    })
  )
)
